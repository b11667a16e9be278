import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { usePlace } from "./places.ts";

const place = usePlace();
const run = async (...args: string[]) => place().home.sit([...args, ...place().args]);
const made = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, "--json");
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as { id: number };
};
const create = (name: string, ...more: string[]) => {
  return made(
    "users",
    "create",
    "--first-name",
    name,
    "--last-name",
    "X",
    "--email",
    `${name.toLowerCase()}@example.com`,
    ...more,
  );
};
const namesIn = (csv: string) =>
  csv
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[1]);

let sales: { id: number };
beforeAll(async () => {
  sales = await made("units", "create", "--name", "Sales", "--parent", "1", "--reference", "sales");
  const north = await made("units", "create", "--name", "North", "--parent", String(sales.id), "--reference", "north");
  await create("Sally", "--unit", String(sales.id));
  await create("Nora", "--unit", String(north.id));
  const left = await create("Left", "--unit", "1");
  await run("users", "deactivate", String(left.id), "--yes");
});

it("users export writes active users, with --inactive all of them, and with --unit those of a branch", async () => {
  expect(namesIn((await run("users", "export")).stdout)).toEqual(["Ada", "Sally", "Nora"]);
  expect(namesIn((await run("users", "export", "--inactive")).stdout)).toEqual(["Ada", "Sally", "Nora", "Left"]);
  expect(namesIn((await run("users", "export", "--unit", String(sales.id))).stdout)).toEqual(["Sally", "Nora"]);
});

it("an export is readable only by its owner, and replaces the old file when it is complete", async () => {
  const { home } = place();
  mkdirSync(home.path("out"));
  const [file, link] = [home.path("out/users.csv"), home.path("out/link.csv")];
  writeFileSync(file, "earlier", { mode: 0o644 });
  symlinkSync(file, link);
  const { code, stderr, stdout } = await run("users", "export", link);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toBe(`Exported 3 users to ${link}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(namesIn(readFileSync(file, "utf8"))).toEqual(["Ada", "Sally", "Nora"]);
  expect(readdirSync(home.path("out"))).toEqual(["link.csv", "users.csv"]);
  expect(await run("users", "export", home.path("out"))).toMatchObject({
    code: 2,
    stderr: `error: Cannot write ${home.path("out")}: it is a directory.\n`,
  });
  expect((await run("users", "export", home.path("nowhere/users.csv"))).code).toBe(2);
  expect((await run("users", "export", `${home.path("nowhere")}/../users.csv`)).code).toBe(2);
  expect((await run("users", "export", "/dev/null")).code).toBe(0);
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

it("users export fails for users who may not see all e-mail addresses, and keeps the old file", async () => {
  const file = place().home.path("forbidden.csv");
  writeFileSync(file, "earlier");
  const { code, stderr } = await run("users", "export", file, "--as", "sally@example.com");
  expect(code).toBe(5);
  expect(stderr).toMatch(
    /^error: You don't have access to the e-mail address of Ada Lovelace \(1\)\.\nhint: Exporting users needs the ability user/,
  );
  expect(readFileSync(file, "utf8")).toBe("earlier");
  expect((await run("units", "export", "--as", "sally@example.com")).code).toBe(0);
  expect(readdirSync(place().home.folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

it("an export does not go into a file that another user of the machine has put beside it", async () => {
  const { folder } = place().home;
  const [file, victim] = [`${folder}/planted.csv`, `${folder}/victim`];
  const draft = `${folder}/.planted.csv.${process.pid}.tmp`;
  writeFileSync(victim, "mine");
  symlinkSync(victim, draft);
  expect(await run("users", "export", file)).toMatchObject({ code: 0 });
  expect(readFileSync(victim, "utf8")).toBe("mine");
  expect(lstatSync(file).isFile()).toBe(true);
  writeFileSync(draft, "", { mode: 0o644 });
  expect(await run("users", "export", file)).toMatchObject({ code: 0 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("users export --unit works for the manager of the branch", async () => {
  const type = await made("usertypes", "create", "--name", "Sales manager", "--abilities-user");
  const manager = await create("Mona", "--unit", String(sales.id), "--user-types", String(type.id));
  const { code, stdout } = await run("users", "export", "--unit", String(sales.id), "--as", String(manager.id));
  expect(code).toBe(0);
  expect(namesIn(stdout)).toEqual(["Sally", "Nora", "Mona"]);
  expect(stdout).toContain("mona@example.com,sales,Sales manager,");
});

it("exports name the units and users that they skip, and count those with several memberships", async () => {
  const unnamed = await made("units", "create", "--name", "Unnamed", "--parent", "1");
  const unit = (name: string, parent: number) =>
    made("units", "create", "--name", name, "--parent", String(parent), "--reference", name.toLowerCase());
  const below = await unit("Below", unnamed.id);
  const deeper = await unit("Deeper", below.id);
  const lost = await create("Lost", "--unit", String(unnamed.id));
  const units = await run("units", "export");
  expect(units.code).toBe(3);
  expect(units.stderr.split("\n").slice(0, 4)).toEqual([
    `unit ${unnamed.id} (Unnamed) has no reference; run wcs units update ${unnamed.id} --reference REF`,
    `unit ${below.id} (Below) is below unit ${unnamed.id}, which has no reference`,
    `unit ${deeper.id} (Deeper) is below unit ${unnamed.id}, which has no reference`,
    "error: 3 of 5 units were not exported.",
  ]);
  const users = await run("users", "export");
  expect(users.code).toBe(3);
  expect(users.stderr.split("\n").slice(0, 2)).toEqual([
    `user ${lost.id} (Lost X) is in unit ${unnamed.id}, which has no reference; run wcs units update ${unnamed.id} --reference REF`,
    "error: 1 of 5 users were not exported.",
  ]);
  expect(namesIn(users.stdout)).toEqual(["Ada", "Sally", "Nora", "Mona"]);
  await run("users", "delete", String(lost.id), "--yes");
  await run("users", "membership", "add", "1", String(sales.id));
  const further = await run("users", "export");
  expect(further).toMatchObject({
    code: 0,
    stderr: "1 user with several memberships: only the first one was exported. wcs export has them all.\n",
  });
});

it("exports are CSV or JSON lines, and refuse other formats", async () => {
  const { code, stdout } = await run("units", "export", "--format", "ndjson", "--as", "1");
  expect(code).toBe(3);
  expect(JSON.parse(stdout.split("\n")[0]!)).toEqual({
    reference: "sales",
    name: "Sales",
    parent: null,
    unit_type: "unit",
    description: "",
  });
  expect((await run("units", "export", "--format", "xlsx")).code).toBe(2);
  expect((await run("units", "export", "-o", "yaml")).code).toBe(2);
});
