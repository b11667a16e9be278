import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { describePlaces, type Place, usePlace } from "./places.ts";
import { finished, start } from "./support.ts";

const header = "reference,first_name,last_name,email,unit\n";
const person = (reference: string) => `${reference},Given,${reference},${reference}@example.com,hq\n`;
const people = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => person(`${name}-${from + at}`)).join("");

const rooted = async (place: Place) => place.wcs(["units", "update", "1", "--reference", "hq"]);

/** Commands on files with the given rows, and the active users of a provider. */
function commands(place: () => Place) {
  const file = (rows: string) => {
    const path = place().home.path("people.csv");
    writeFileSync(path, header + rows);
    return path;
  };
  return {
    file,
    async sync(provider: string, rows: string, ...flags: string[]) {
      const removal = ["--deactivate-missing", "--scope", `provider:${provider}`, ...flags];
      const args = ["users", "import", file(rows), "--set", `provider=${provider}`, "-q", ...removal];
      return place().wcs(args);
    },
    async active(provider: string) {
      const { stdout } = await place().wcs(["users", "list", "--provider", provider, "--all", "--fields", "reference"]);
      // The first line names the column.
      return stdout.trimEnd().split("\n").length - 1;
    },
  };
}

describePlaces("users import --deactivate-missing", (place) => {
  beforeAll(() => rooted(place()));
  const { sync, active, file } = commands(place);

  it("exactly 5% are deactivated; a dry run lists them; the same command again changes nothing", async () => {
    expect(await sync("okta", people("p", 0, 40), "--yes")).toMatchObject({ code: 0, stderr: "" });
    const args = ["users", "import", file(people("p", 2, 40)), "--deactivate-missing", "--scope", "provider:okta"];
    const rehearsed = await place().wcs([...args, "--dry-run"]);
    expect(rehearsed.stderr.replace(/user \d+/g, "user N")).toBe(
      [
        "created 0, changed 0, unchanged 38, skipped 0",
        "not in the file: Given p-0 (p-0, user N)",
        "not in the file: Given p-1 (p-1, user N)",
        "2 of 40 active users of the scope before the import would be deactivated.",
        "Dry run: nothing was changed.",
        "",
      ].join("\n"),
    );
    expect(await active("okta")).toBe(40);
    const done = await place().wcs([...args, "--yes", "--json"]);
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({
      unchanged: 38,
      active: 40,
      deactivated: 2,
      kept: 0,
      users: [{ name: "Given p-0", reference: "p-0" }, { name: "Given p-1" }],
    });
    expect(await active("okta")).toBe(38);
    const again = await place().wcs([...args, "--yes"]);
    expect(again).toMatchObject({
      code: 0,
      stderr: "created 0, changed 0, unchanged 38, skipped 0\n0 of 38 active users of the scope were deactivated.\n",
    });
  });

  it("one more is refused: the rows are imported and nobody is deactivated, until more is allowed", async () => {
    const rows = people("p", 5, 40) + person("new-1");
    const refused = await sync("okta", rows, "--yes");
    expect(refused.code).toBe(7);
    expect(refused.stderr).toContain(
      "3 users would be deactivated, more than the maximum of 5% of 39; nobody was deactivated.",
    );
    expect(refused.stderr).toContain("--max-removals");
    const rehearsed = await sync("okta", rows, "--dry-run");
    expect(rehearsed).toMatchObject({
      code: 7,
      stderr: expect.stringContaining("hint: This compares with the scope before the import."),
    });
    expect(await active("okta")).toBe(39);
    const scope = ["--deactivate-missing", "--scope", "provider:okta"];
    const counted = await place().wcs(["users", "import", file(rows), ...scope, "--yes", "--json"]);
    expect(counted.code).toBe(7);
    expect(JSON.parse(counted.stdout)).toEqual({ created: 0, changed: 0, unchanged: 36, skipped: 0 });
    expect(await sync("okta", rows, "--yes", "--max-removals", "3")).toMatchObject({ code: 0 });
    expect(await active("okta")).toBe(36);
  });

  it("somebody who comes back stays deactivated, and the import says so", async () => {
    const args = ["users", "import", file(people("p", 0, 6))];
    const listed = await place().wcs(["users", "list", "--inactive", "--all", "--json"]);
    const ids = (JSON.parse(listed.stdout) as { id: number; active: boolean }[])
      .flatMap(({ id, active }) => (active ? [] : [id]))
      .sort((one, other) => one - other);
    expect(ids).toHaveLength(5);
    const says = `5 users in the file are deactivated and will not be reactivated: ${ids.join(", ")}. To reactivate, run wcs users reactivate <id>.\n`;
    const counts = "created 0, changed 0, unchanged 6, skipped 0\n";
    expect(await place().wcs(args)).toMatchObject({ code: 0, stderr: counts + says });
    expect((await place().wcs([...args, "--dry-run"])).stderr).toContain(says);
    const { still_deactivated } = JSON.parse((await place().wcs([...args, "--json"])).stdout);
    expect(still_deactivated).toEqual(ids);
    for (const id of ids.slice(1)) await place().wcs(["users", "reactivate", `${id}`]);
    expect((await place().wcs(args)).stderr).toContain(
      `1 user in the file is deactivated and will not be reactivated: ${ids[0]}.`,
    );
    expect((await place().wcs([...args, "--json", "--fields", "still_deactivated"])).stdout).toContain(`${ids[0]}`);
    await place().wcs(["users", "reactivate", `${ids[0]}`]);
    expect((await place().wcs(args)).stderr).toBe(counts);
    expect(JSON.parse((await place().wcs([...args, "--json"])).stdout)).not.toHaveProperty("still_deactivated");
    for (const id of ids) await place().wcs(["users", "deactivate", `${id}`, "--yes"]);
  });

  it("a row that was not imported may be a missing user, so nobody is deactivated", async () => {
    const rows = `${people("p", 5, 39)}p-39,Given,p-39,not-an-address,hq\n`;
    const { code, stderr } = await place().wcs([
      ...["users", "import", file(rows), "--set", "provider=okta"],
      ...["--deactivate-missing", "--scope", "provider:okta", "--max-removals", "100%", "--yes"],
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain("Nobody was deactivated, because rows were not imported");
    expect(await active("okta")).toBe(36);
  });
});

const place = usePlace();
const { sync, active, file } = commands(place);
beforeAll(async () => {
  await rooted(place());
  expect(await sync("ldap", people("l", 0, 4), "--yes")).toMatchObject({ code: 0 });
});
const all = ["--deactivate-missing", "--scope", "provider:ldap"];

it.each([
  [["--scope", "provider:ldap"], 2, "--scope needs --deactivate-missing"],
  [["--max-removals", "5"], 2, "--max-removals needs --deactivate-missing"],
  [["--deactivate-missing", "--yes"], 2, "--deactivate-missing needs a scope"],
  [["--deactivate-missing", "--scope", "provider", "--yes"], 2, "--scope provider needs a name"],
  [["--deactivate-missing", "--scope", "unit:", "--yes"], 2, "--scope unit needs a name"],
  [["--deactivate-missing", "--scope", "group:1", "--yes"], 2, "'group:1' is neither a provider nor a unit"],
  [["--deactivate-missing", "--scope", "provider:LDAP", "--yes"], 2, "'LDAP' must be a short name"],
  [["--deactivate-missing", "--scope", "provider:service", "--yes"], 2, "reserved for service accounts"],
  [["--deactivate-missing", "--scope", "provider:lpad", "--yes"], 6, "No user has the provider lpad"],
  [["--deactivate-missing", "--scope", "unit:nowhere", "--yes"], 6, "no unit is called nowhere"],
  [[...all, "--max-removals", "101%", "--yes"], 2, "'101%' must be a number like 20, or a percentage"],
  [[...all, "--max-removals", "-1", "--yes"], 2, "'-1' must be a number like 20"],
  [all, 2, "--deactivate-missing needs a confirmation"],
])("%j is refused before a row is sent", async (flags, exit, message) => {
  const { code, stderr } = await place().wcs(["users", "import", file(person("never")), ...flags]);
  expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringContaining(message) });
  expect((await place().wcs(["users", "get", "--reference", "never"])).code).toBe(6);
});

it("a killed command deactivates nobody, and the same command again does the rest", async () => {
  expect(await sync("slow", people("s", 0, 3), "--yes")).toMatchObject({ code: 0 });
  const flags = ["--set", "provider=slow", "--deactivate-missing", "--scope", "provider:slow", "--yes"];
  const args = ["users", "import", "-", ...flags, ...place().args];
  const child = start(args, { ...place().home.env, ...place().env });
  const result = finished(child);
  child.stdin?.write(header + people("s", 1, 1502));
  while ((await active("slow")) < 1001 && child.exitCode === null) await sleep(20);
  child.kill("SIGKILL");
  expect((await result).signal).toBe("SIGKILL");
  expect(await active("slow")).toBe(1001);
  const again = await place().wcs(["users", "import", "-", ...flags], { stdin: header + people("s", 1, 1502) });
  expect(again).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("1 of 1502 active users of the scope was deactivated."),
  });
});

it("the address of a user who has left is freed as the hint says", async () => {
  expect(await sync("heir", people("h", 0, 4), "--yes")).toMatchObject({ code: 0 });
  const rows = people("h", 0, 2) + person("h-2").replace("h-2@", "h-3@");
  const refused = await sync("heir", rows, "--yes", "--max-removals", "1");
  expect(refused.code).toBe(3);
  const [, id = ""] = /email: is taken by user (\d+)$/m.exec(refused.stderr) ?? [];
  const [, hint = ""] = /run (wcs users update <id> --email) <address>\.$/m.exec(refused.stderr) ?? [];
  const command = hint.replace("wcs ", "").replace("<id>", id).split(" ");
  expect(await place().wcs([...command, "left-h-3@example.com"])).toMatchObject({ code: 0 });
  expect(await sync("heir", rows, "--yes", "--max-removals", "1")).toMatchObject({ code: 0 });
  expect(await active("heir")).toBe(3);
});

it("on a terminal it lists who is missing and asks", async () => {
  const args = ["users", "import", file(people("l", 1, 4)), ...all, "--max-removals", "1", ...place().args];
  const declined = await place().home.sit(args, { answers: ["n"] });
  expect(declined.code).toBe(130);
  expect(declined.stderr).toContain("not in the file: Given l-0 (l-0, user ");
  expect(declined.stderr).toContain("The rows are imported; nobody was deactivated.");
  expect(await active("ldap")).toBe(4);
  const agreed = await place().home.sit(args, { answers: ["y"] });
  expect(agreed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("1 of 4 active users of the scope was deactivated."),
  });
  expect(await active("ldap")).toBe(3);
});

it("--scope without a name means that of --set; a dry run of a new provider deactivates nobody", async () => {
  const args = ["users", "import", file(people("n", 0, 2)), "--set", "provider=new", "--deactivate-missing"];
  const rehearsed = await place().wcs([...args, "--scope", "provider", "--dry-run"]);
  expect(rehearsed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("created 2, changed 0, unchanged 0, skipped 0\nDry run: nothing was changed.\n"),
  });
  expect(await place().wcs([...args, "--scope", "provider", "--yes"])).toMatchObject({ code: 0 });
  expect(await active("new")).toBe(2);
});

it("the scope of a unit takes all its users, but keeps the administrator who runs it", async () => {
  await place().wcs(["units", "create", "--name", "Branch", "--parent", "1", "--reference", "branch"]);
  const branch = people("b", 0, 3).replaceAll(",hq\n", ",branch\n");
  expect(await place().wcs(["users", "import", file(branch)])).toMatchObject({ code: 0 });
  const args = ["--deactivate-missing", "--max-removals", "100%", "--yes"];
  const rest = branch.split("\n").slice(1).join("\n");
  const one = await place().wcs(["users", "import", file(rest), ...args, "--scope", "unit:branch"]);
  expect(one.stderr).toContain("1 of 3 active users of the scope was deactivated.");
  const whole = await place().wcs(["users", "import", file(rest), ...args, "--scope", "unit:ref:hq"]);
  expect(whole.stderr).toContain("1 missing user stayed active: administrators and you are kept.");
  expect((await place().wcs(["users", "get", "ada@example.com"])).code).toBe(0);
});
