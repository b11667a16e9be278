import { writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { usePlace } from "./places.ts";

const place = usePlace();
const run = async (...args: string[]) => {
  const { code, stderr } = await place().wcs(args);
  return { code, stderr: stderr.trimEnd().split("\n") };
};
beforeAll(async () => {
  expect(await run("units", "update", "1", "--reference", "root")).toMatchObject({ code: 0 });
});

it("users import --dry-run: a reference that a later batch clears is free for another user", async () => {
  const row = (reference: string, at: number, email = `many${at}@example.com`) =>
    `${reference},Many,No${at},${email},root`;
  const rows = [
    ...Array.from({ length: 2000 }, (_, at) => row(`many-${at}`, at)),
    row("", 6),
    row("many-6", 6, "another6@example.com"),
  ];
  const file = place().home.path("users.csv");
  writeFileSync(file, `reference,first_name,last_name,email,unit\n${rows.join("\n")}\n`);
  const summary = "created 2001, changed 1, unchanged 0, skipped 0";
  const rehearsed = await run("users", "import", file, "--dry-run");
  expect(rehearsed).toEqual({ code: 0, stderr: [summary, "Dry run: nothing was changed."] });
  expect(await run("users", "import", file)).toEqual({ code: 0, stderr: [summary] });
});

it("users import --dry-run: names no ID of a user whom an earlier row of the file would create", async () => {
  const file = place().home.path("twice.csv");
  const rows = ["t-1,Ann,One", "t-1,Ann,One", "t-1,Ann,Two", "t-2,Bob,One"];
  const text = rows.map((row) => `${row},twice@example.com,root\n`).join("");
  writeFileSync(file, `reference,first_name,last_name,email,unit\n${text}`);
  const { stdout } = await place().wcs(["users", "import", file, "--dry-run", "-o", "ndjson"]);
  const line = (at: number, reference: string, action: string, errors: object | null = null) =>
    JSON.stringify({ line: at, reference, action, id: null, errors });
  expect(stdout.trimEnd().split("\n")).toEqual([
    line(2, "t-1", "created"),
    line(3, "t-1", "unchanged"),
    line(4, "t-1", "changed"),
    line(5, "t-2", "skipped", { email: ["is taken by line 2"] }),
  ]);
});
