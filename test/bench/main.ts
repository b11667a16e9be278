/**
 * Prints how fast the program is, each figure as a ratio to the cheapest thing that could do the work at all ("floor").
 * `npm run bench` runs all, `npm run bench -- http tree` some, `http-lists` a part. Never part of the tests.
 */
import type { Figure } from "./figure.ts";

type Figures = Iterable<Figure> | AsyncIterable<Figure>;

const suites: Record<string, () => Promise<Figures>> = {
  start: async () => (await import("./start.ts")).start(),
  "http-reads": async () => (await import("./http.ts")).httpReads(),
  "http-lists": async () => (await import("./http.ts")).httpLists(),
  "http-writes": async () => (await import("./http.ts")).httpWrites(),
  "http-postgres": async () => (await import("./http.ts")).httpPostgres(),
  workers: async () => (await import("./workers.ts")).workers(),
  model: async () => (await import("./scaling-model.ts")).model(),
  tree: async () => (await import("./tree.ts")).tree(),
  import: async () => (await import("./import.ts")).importing(),
  list: async () => (await import("./list.ts")).listing(),
  messages: async () => (await import("./messages.ts")).messages(),
  events: async () => (await import("./events.ts")).manyEvents(),
  posts: async () => (await import("./posts.ts")).manyPosts(),
  others: async () => (await import("./others.ts")).others(),
  uploads: async () => (await import("./uploads.ts")).uploads(),
  moving: async () => (await import("./moving.ts")).moving(),
  "memory-organisation": async () => (await import("./memory-organisation.ts")).memoryOfOrganisation(),
  "memory-deliveries": async () => (await import("./webhooks.ts")).memoryOfDeliveries(),
  "memory-server": async () => (await import("./memory-server.ts")).memoryOfServer(),
  webhooks: async () => (await import("./webhooks.ts")).webhooks(),
};

const number = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

const wanted = process.argv.slice(2);
const print = (line: string) => process.stdout.write(`${line}\n`);
print(
  `${"id".padEnd(4)} ${"what".padEnd(56)} ${"measured".padStart(10)} ${"floor".padStart(10)} ${"ratio".padStart(6)}  target`,
);
for (const [name, run] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.some((part) => name === part || name.startsWith(`${part}-`))) continue;
  for await (const { id, what, measured, floor, unit, target, note = "" } of await run()) {
    const columns = [
      id.padEnd(4),
      what.padEnd(56),
      number(measured).padStart(10),
      number(floor).padStart(10),
      (measured / floor).toFixed(2).padStart(6),
    ];
    print(`${columns.join(" ")}  ${target} (${unit}${note && `; ${note}`})`);
  }
}
