import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { newHome, type Seat, useHome } from "./support.ts";

const home = useHome();
const json = (text: string) => JSON.parse(text);
const sit = (args: string[], answers: string[], seat: Seat = {}) =>
  home().sit([...args, "--json"], { ...seat, answers });
/** The words of the command line that a wizard shows. */
const shown = (stderr: string) => /As one command: wcs (.*)/.exec(stderr)?.[1] ?? "";

describe("a wizard asks all its questions, and shows the resulting command line", () => {
  beforeAll(async () => {
    const made = [
      await home().wcs(["usertypes", "create", "--name", "Employee"]),
      await home().wcs(["usertypes", "create", "--name", "Editor"]),
      await home().wcs(["units", "department", "add", "2", "Inside sales"]),
      await home().wcs(["groups", "create", "--name", "Sailing"]),
    ];
    for (const { code, stderr } of made) if (code !== 0) throw new Error(stderr);
  });

  it("users create: unit, user types, department of the unit", async () => {
    const answers = ["Eve", "O'Neil", "eve@example.com", "sal", "empl", "edit", "", "Inside sales"];
    const { code, stdout, stderr } = await sit(["users", "create"], answers);
    expect(code, stderr).toBe(0);
    expect(json(stdout)).toMatchObject({ unit: { id: 2 }, department: { name: "Inside sales" } });
    expect(json(stdout).userTypes).toHaveLength(2);
    expect(shown(stderr)).toBe(
      "users create --json --first-name Eve --last-name 'O'\\''Neil' --email eve@example.com --unit 2 --user-types 1,2 --department 1",
    );
    const alone = await sit(["users", "create"], ["Al", "One", "al@example.com", "acme", ""]);
    expect(json(alone.stdout)).toMatchObject({ department: null, userTypes: [] });
  });

  it("users membership add: user, unit, user types, department", async () => {
    const { code, stdout, stderr } = await sit(["users", "membership", "add"], ["ada", "sales", "editor", "", "None"]);
    expect(code, stderr).toBe(0);
    expect(json(stdout)).toMatchObject({ unit: { id: 2 }, userTypes: [{ name: "Editor" }] });
    expect(shown(stderr)).toBe("users membership add --json 1 2 --user-types 2");
  });

  it("events create: explained types, start, end, place, repetition, audience", async () => {
    const answers = ["Stand-up", "unit", "n", "whenever", "2027-01-05 09:00", "+15m", "Canteen", "often"];
    const rest = ["every tuesday until 2027-02-01", "sales", "", "employee", ""];
    const { code, stdout, stderr } = await sit(["events", "create"], [...answers, ...rest]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("chain: units and everything below them");
    const { id } = json(stdout);
    const event = json((await home().wcs(["events", "get", String(id), "--json"])).stdout);
    expect(event).toMatchObject({ title: "Stand-up", location: "Canteen", units: [{ id: 2 }] });
    expect(event.dates.length).toBeGreaterThan(3);
    expect(shown(stderr)).toBe(
      "events create --json --title Stand-up --type unit --start '2027-01-05 09:00' --end +15m --location Canteen --repeat 'every tuesday until 2027-02-01' --units 2 --user-types 1",
    );
  });

  it("events create: a start that is not after the end on the line", async () => {
    const line = ["events", "create", "--title", "Lunch", "--type", "user", "--end", "2027-01-05 13:00"];
    const { code, stderr } = await sit(line, ["2027-01-05 14:00", "2027-01-05 12:00", "", "", ""]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("It must not be after --end\n");
    expect(shown(stderr)).toContain("--json --start '2027-01-05 12:00'");
  });

  it.each([
    ["on the line", ["--start", "2027-01-05 13:00"], []],
    ["typed", [], ["n", "2027-01-05 13:00"]],
  ])("events create: an end that is not before the start %s", async (_, flags, before) => {
    const line = ["events", "create", "--title", "Lunch", "--type", "user", ...flags];
    const { code, stderr } = await sit(line, [...before, "2027-01-05 12:59", "2027-01-05 13:00", "", "", ""]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("It must not be before the start\n");
    expect(shown(stderr)).toContain("--end '2027-01-05 13:00'");
  });

  it("events create: all day, personal, with the title and type on the line", async () => {
    const line = ["events", "create", "--title", "Off", "--type", "user"];
    const { code, stderr } = await sit(line, ["y", "2027-01-05", "", "", "eve", ""]);
    expect(code, stderr).toBe(0);
    expect(shown(stderr)).toBe("events create --title Off --type user --json --all-day --date 2027-01-05 --shares 2");
  });

  it("posts create: readers, then published, kept as a draft or not at all", async () => {
    const line = ["posts", "create", "--content-type", "news", "--title", "Hi"];
    const editor = () => "Hello";
    const draft = await sit(line, ["Units", "sales", "", "Save as draft"], { editor });
    expect(draft.code, draft.stderr).toBe(0);
    expect(json(draft.stdout)).toMatchObject({ publish: { status: false }, visibility: { units: [{ id: 2 }] } });
    expect(shown(draft.stderr)).toBe(
      "posts create --content-type news --title Hi --json --body @post.md --visibility-units 2 --no-publish-status",
    );
    const all = await sit(line, ["All units", "Publish"], { editor });
    expect(json(all.stdout)).toMatchObject({ publish: { status: true }, visibility: { all_units: true } });
    const before = json((await home().wcs(["posts", "list", "--all", "--json"])).stdout).length;
    const { code, stderr } = await sit(line, ["Your own unit and those below it", "Cancel"], { editor });
    expect(code).toBe(130);
    const [, kept = ""] = /Your text was kept in (.*)/.exec(stderr) ?? [];
    expect(readFileSync(kept, "utf8")).toBe("Hello");
    expect(json((await home().wcs(["posts", "list", "--all", "--json"])).stdout)).toHaveLength(before);
    const debate = ["posts", "create", "--content-type", "debate", "--title", "Sails"];
    const group = await sit(debate, ["A group", "sail", "Publish"], { editor });
    expect(json(group.stdout)).toMatchObject({ group: { name: "Sailing" } });
  });

  it("usertypes create: several abilities", async () => {
    const { stdout, stderr } = await sit(["usertypes", "create"], ["Publisher", "news,calendar"]);
    expect(json(stdout)).toMatchObject({ abilities: { news: true, calendar: true, user: false } });
    expect(shown(stderr)).toBe("usertypes create --json --name Publisher --abilities-news --abilities-calendar");
  });

  it("a secret is shown as its flag without a value, and nothing is shown without a question", async () => {
    const local = ["users", "password", "--profile", "local"];
    const changed = await home().sit(local, { answers: ["eve", "a very long horse", "a very long horse"] });
    expect(changed.code, changed.stderr).toBe(0);
    expect(shown(changed.stderr)).toBe("users password --profile local 2 --password-stdin");
    expect(changed.stderr).not.toContain("horse");
    expect((await sit(["usertypes", "create", "--name", "Plain"], [])).stderr).toBe("");
    expect((await home().sit(["units", "get", "2"], { answers: [] })).stderr).toBe("");
  });
});

it("init checks the password at the prompt and keeps the other answers", async () => {
  const own = newHome();
  const answers = [
    "ada@example.com",
    "Ada Lovelace",
    "Acme",
    "short",
    "ada@example.com",
    "a long secret",
    "a wrong one",
  ];
  const { code, stderr } = await own.sit(["init"], { answers: [...answers, "a long secret", "a long secret"] });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("The password must have at least");
  expect(stderr).toContain("The passwords do not match.");
  expect(shown(stderr)).toBe(
    "init --admin-email ada@example.com --admin-name 'Ada Lovelace' --root-unit Acme --password-stdin",
  );
});

it("auth login without a profile asks for the URL", async () => {
  const own = newHome();
  const { code, stderr } = await own.sit(["auth", "login"], {
    answers: ["nonsense", "http://127.0.0.1:1", "ada@example.com", "secret"],
  });
  expect(code).toBe(8);
  expect(stderr).toContain("? URL of the instance:\n> Enter a URL like https://wcs.example.com\n");
  expect((await own.sit(["auth", "login"])).stderr).toContain("No target selected");
});
