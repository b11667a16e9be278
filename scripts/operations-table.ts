import type { Access, AnyOperation } from "../src/contract/operation.ts";

/** The table of operations in the README, as Markdown. */
export function operationsTable(operations: readonly AnyOperation[]): string {
  const rows = operations.map(
    (op) => `| \`${op.method} ${op.path.replace(/=\w+\}/g, "}")}\` | ${op.summary} | ${who(op.access)} |`,
  );
  return ["| operation, below `/api` | what it does | who |", "|---|---|---|", ...rows].join("\n");
}

function who(access: Access): string {
  if (access === "public") return "anybody";
  if (access === "signed_in") return "signed in";
  if (access === "administrator") return "administrator";
  const there = access.at ? " there" : "";
  return `ability \`${access.ability}\`${there}${takeover(access.takeover)}${access.self ? ", oneself" : ""}`;
}

function takeover(fields: true | readonly string[] | undefined): string {
  if (fields === undefined) return "";
  return ` and all abilities of the user${fields === true ? "" : ` (to change ${fields.join(" or ")})`}`;
}

const marks = ["<!-- operations: made by npm run docs -->", "<!-- /operations -->"] as const;

/** The README with its table made anew. */
export function withOperationsTable(readme: string, operations: readonly AnyOperation[]): string {
  const [begin, end] = [readme.indexOf(marks[0]), readme.indexOf(marks[1])];
  if (begin < 0 || end < begin) throw new Error("README.md has lost the marks around its table of operations");
  return `${readme.slice(0, begin)}${marks[0]}\n${operationsTable(operations)}\n${readme.slice(end)}`;
}
