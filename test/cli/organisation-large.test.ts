import { readFileSync, statSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { isFull } from "../support/effort.ts";
import { usePlace } from "./places.ts";

const place = usePlace();
const count = 250;
const userAt = (at: number) => ({
  reference: `E-${String(at).padStart(3, "0")}`,
  first_name: "Ada",
  last_name: `L${at}`,
  email: `ada${at}@example.com`,
  unit: "root",
});
type User = ReturnType<typeof userAt> & { title?: string };

function write(name: string, users: readonly User[]): string {
  const file = place().home.path(name);
  writeFileSync(file, name.endsWith(".json") ? JSON.stringify({ users }, null, 2) : stringify({ version: 1, users }));
  return file;
}

beforeAll(async () => {
  expect(await place().wcs(["units", "update", "1", "--reference", "root"])).toMatchObject({ code: 0 });
  const file = write(
    "all.yaml",
    Array.from({ length: count }, (_, at) => userAt(at)),
  );
  expect(await place().wcs(["apply", file])).toMatchObject({ code: 0 });
});

const changed = [0, count / 2, count - 1];
const withTitles = Array.from({ length: count }, (_, at) => ({
  ...userAt(at),
  ...(changed.includes(at) && { title: `Title ${at}` }),
}));
const changesAt = (places: readonly number[]) =>
  places.map((at) => {
    const changes = [{ field: "title", before: null, after: `Title ${at}` }];
    return { action: "update", kind: "user", name: userAt(at).reference, changes };
  });

describe.each(["users.yaml", "users.json"])("%s", (name) => {
  it("diff finds changes of the first, a middle and the last user", async () => {
    const { code, stdout } = await place().wcs(["diff", write(name, withTitles), "--json"]);
    expect({ code, changes: JSON.parse(stdout) }).toEqual({ code: 0, changes: changesAt(changed) });
  });

  it("diff finds them in a file that is not sorted, in the order of the file", async () => {
    const shuffled = withTitles.toSorted((a, b) => (a.last_name < b.last_name ? 1 : -1)).reverse();
    const reversed = [...shuffled.slice(100), ...shuffled.slice(0, 100)].reverse();
    const order = changed.toSorted((a, b) => placeIn(reversed, a) - placeIn(reversed, b));
    const { code, stdout } = await place().wcs(["diff", write(name, reversed), "--json"]);
    expect({ code, changes: JSON.parse(stdout) }).toEqual({ code: 0, changes: changesAt(order) });
  });

  it("a syntax error in the middle of a file of several chunks is reported", async () => {
    const file = write(
      name,
      Array.from({ length: 8000 }, (_, at) => userAt(at)),
    );
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, lines.toSpliced(lines.length / 2, 0, "stray").join("\n"));
    const { code, stderr } = await place().wcs(["diff", file]);
    const message = `error: ${file} is neither YAML nor JSON; nothing was changed.\n`;
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(message) });
  });

  it("an error at the last user is reported with its line, and so is a user that occurs twice", async () => {
    const wrong = { ...userAt(count), email: "no address" };
    const file = write(name, [...withTitles, wrong, { ...userAt(count + 1), reference: userAt(0).reference }]);
    const { code, stderr } = await place().wcs(["diff", file]);
    expect(code).toBe(3);
    const lines = readFileSync(file, "utf8").split("\n");
    const email = lines.findIndex((line) => line.includes("no address")) + 1;
    const reference = lines.findLastIndex((line) => line.includes(userAt(0).reference)) + 1;
    const [first, second] = stderr.split("\n");
    expect(first).toContain(`${file}:${email}: users[${count}].email must be`);
    expect(second).toBe(`${file}:${reference}: users[${count + 1}].reference is already used by users[0]`);
  });
});

const placeIn = (users: readonly User[], at: number) => users.findIndex((user) => user.email === userAt(at).email);

it("diff prints the first issues of a file with many, and --json all of them", async () => {
  const file = write(
    "wrong.yaml",
    Array.from({ length: count }, (_, at) => ({ ...userAt(at), unit: "nowhere" })),
  );
  const { code, stderr } = await place().wcs(["diff", file]);
  const lines = stderr.trimEnd().split("\n");
  expect([code, lines.length, lines[99]]).toEqual([
    3,
    103,
    expect.stringContaining(`${file}:502: users[99].unit is not`),
  ]);
  expect(lines.slice(100)).toEqual([
    `${file}: and 150 more; --json lists all`,
    `error: 250 errors in ${file}; nothing was changed.`,
    "hint: wcs help organisation describes the file",
  ]);
  const asJson = await place().wcs(["diff", file, "--json"]);
  expect(Object.keys(JSON.parse(asJson.stderr).error.fields)).toHaveLength(count);
});

/** Writes users into a file of more than 16 MiB, which has a long comment at each. */
function writeLarge(users: readonly User[]): string {
  const file = write("large.yaml", users);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("\n  - ", `\n  # ${"x".repeat(60_000)}\n  - `));
  expect(statSync(file).size).toBeGreaterThan(16_777_216);
  return file;
}

const many = Array.from({ length: 300 }, (_, at) => ({ ...userAt(at), title: "New" }));

it("diff reads a file of more than 16 MiB", async () => {
  const file = writeLarge(many);
  const { code, stdout, stderr } = await place().wcs(["diff", file, "--fields", "action,name", "-o", "csv"]);
  expect({ code, stderr: stderr.trimEnd() }).toEqual({ code: 0, stderr: "Would update 250 users; create 50 users." });
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("create,E-299");
});

it.runIf(isFull)("diff says where a file of more than 16 MiB is wrong", async () => {
  const broken = writeLarge([...many, { ...userAt(300), unit: "nowhere" }]);
  const refused = await place().wcs(["diff", broken]);
  expect(refused).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("users[300].unit is not an existing unit"),
  });
});

it("a file of more than 16 MiB that cannot be read entry by entry is refused", async () => {
  const file = place().home.path("whole.yaml");
  writeFileSync(file, `---\n# ${"x".repeat(16_777_216)}\nusers: []\n`);
  const { code, stderr } = await place().wcs(["diff", file]);
  expect({ code, first: stderr.split("\n")[0] }).toMatchObject({
    code: 3,
    first: `${file}:1: The line is neither a field nor an item of a list.`,
  });
  expect(stderr).toContain("is larger than 16 MiB and cannot be read entry by entry; nothing was changed.");
});
