import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useHome } from "./support.ts";

const home = useHome();
const run = (line: string, seat = {}) => home().sit(line.split(" "), seat);
const idOf = async (...line: string[]) => (await home().sit([...line, "--query", "id"])).stdout.trim();

describe("exports into files of other kinds", () => {
  it("events export <file.ics> names the flag for the file", async () => {
    expect(await run("events export cal.ics")).toMatchObject({
      code: 2,
      stderr: "error: <ids>: cal.ics is the name of a file.\nhint: Write to it with -o cal.ics.\n",
    });
  });

  it("users export into a workbook is refused, because it would be none", async () => {
    const file = home().path("hr.xlsx");
    const { code, stderr } = await home().sit(["users", "export", file]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/would not be a workbook\.\nhint: Name it \.csv; /)]);
    expect(existsSync(file)).toBe(false);
  });
});

it("posts delete and webhooks delete take several names, and ask about each", async () => {
  const posts: string[] = [];
  for (const title of ["First", "Second"])
    posts.push(await idOf("posts", "create", "--content-type", "news", "--title", title, "--body", "x"));
  const gone = await home().sit(["posts", "delete", "First", "Second"], { answers: ["y", "y"] });
  expect([gone.code, gone.stderr.match(/^Deleted post .*$/gm)]).toEqual([
    0,
    posts.map((id, at) => `Deleted post ${id} (${["First", "Second"][at]}).`),
  ]);
  for (const name of ["one", "two"]) await idOf("webhooks", "create", "--name", name, "--uri", "https://example.com/");
  const removed = await run("webhooks delete one two --yes");
  expect([removed.code, removed.stderr.match(/^Deleted webhook/gm)?.length]).toEqual([0, 2]);
});

describe("units delete", () => {
  it("says what the unit holds before it asks, and asks with it when there is a receiver", async () => {
    const id = await idOf("units", "create", "--name", "Full", "--parent", "1");
    await idOf("units", "create", "--name", "Inner", "--parent", id);
    await run("users membership add 1 Full");
    expect(await run("units delete Full", { answers: [] })).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/^error: Unit \d+ has 1 child and 1 member\.\nhint: .*--transfer ID\n$/),
    });
    const moved = await run("units delete Full --transfer 1", { answers: ["n"] });
    expect(moved.stderr).toMatch(/^\? Delete unit Full, and move its 1 child and 1 member to unit 1\?/);
  });
});

describe("users import", () => {
  const importRows = async (...rows: string[]) => {
    const file = home().path("rows.csv");
    writeFileSync(file, ["reference,first_name,last_name,email,unit,user_types", ...rows, ""].join("\n"));
    await run("units update 1 --reference root");
    return (await home().sit(["users", "import", file])).stderr;
  };

  it("names --create-user-types when missing user types are the only issue, and not beside other ones", async () => {
    const row = "x-1,Ann,Lee,lee@example.com,root,Astronaut";
    expect(await importRows(row)).toContain("--create-user-types");
    expect(await importRows(row, "x-2,Bo,Lee,bo@example.com,nowhere,")).not.toContain("--create-user-types");
  });
});

describe("users membership set without a unit", () => {
  it("changes the only membership; of several, it names them or asks", async () => {
    const berlin = await idOf("units", "create", "--name", "Berlin", "--parent", "1");
    const person = ["--first-name", "Bob", "--last-name", "Roe", "--email", "bob@example.com", "--unit", "1"];
    const id = await idOf("users", "create", ...person);
    const moved = await run("users membership set bob@example.com --unit Berlin");
    expect([moved.code, moved.stderr]).toEqual([
      0,
      `Moved user ${id} (Bob Roe) from unit 1 to unit ${berlin} (Berlin).\n`,
    ]);
    await run("users membership add bob@example.com 1");
    const several = await run("users membership set bob@example.com --unset department");
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringMatching(/^error: Missing <unit>\.\nhint: The user is a member of (.+ \(\d+\), )+.+\.\n$/),
    ]);
    const chosen = await run("users membership set bob@example.com --unset department", {
      answers: [`Berlin (${berlin})`],
    });
    expect([chosen.code, chosen.stderr]).toEqual([
      0,
      expect.stringContaining(`Changed the membership of user ${id} (Bob Roe) in unit ${berlin}.`),
    ]);
  });
});

it("help describes the command where it does less than its operation", async () => {
  const help = async (line: string) => (await run(`${line} --help`)).stdout.replace(/\s+/g, " ");
  expect(await help("posts vote")).toContain("Replaces your earlier vote. Arguments:");
  expect(await help("conversations rename")).not.toContain("given fields");
  expect(await help("conversations participants list")).not.toContain("latest message");
});

it.each([
  [
    "users update 1 --timezone berlin",
    3,
    "error: --timezone must be a time zone of the IANA database like Europe/Berlin.\n",
  ],
  [
    "settings set timezone Mars/Olympus",
    3,
    "error: timezone must be a time zone of the IANA database like Europe/Copenhagen.\n",
  ],
  ["webhooks log Payroll", 2, "error: Missing <entry>.\n"],
  ["webhooks create --url http://localhost:1 --uri https://example.com/", 2, "error: Missing --name.\n"],
  [
    "users create --name Ann --email ann@example.com",
    2,
    "error: Unknown option '--name'.\nhint: Use --first-name and --last-name.\n",
  ],
])("%s says what was meant", async (line, code, stderr) => {
  expect(await home().wcs(line.split(" "))).toMatchObject({ code, stdout: "", stderr });
});
