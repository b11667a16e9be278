import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { topics } from "../../src/cli/help/help-topics.ts";
import { sqliteLocal } from "../support/instance.ts";
import { describePlaces, newPlace, type Place, usePlace } from "./places.ts";
import { finished, start } from "./support.ts";

const acme = `version: 1
usertypes:
- reference: manager
  name: Manager
  abilities: [user, units]
- name: Employee
units:
# Children may come before their parents.
- reference: lab
  name: Lab
  parent: eng
  unit_type: department
- reference: eng
  name: Engineering
  parent: root
  description: |
    Builds things.
    And mends them.
  departments: [Tools, Paint]
  contact: {name: Grace, phone: "+45 12345678"}
  addresses: {delivery: {street: Main Street 1, city: Aarhus}}
  opening_hours: {office_hours: [{day: 1, starthours: 900, endhours: 1700}]}
  geo: {lat: 56.15, lng: 10.2}
- reference: sales
  name: Sales
  parent: root
users:
- reference: E-001
  first_name: Grace
  last_name: Hopper
  email: grace@example.com
  unit: eng
  user_types: [Employee, manager]
  department: Tools
  birthday: 1906-12-09
  memberships:
  - unit: sales
    user_types: [Employee]
- email: linus@example.com
  first_name: Linus
  last_name: Åkesson
  unit: lab
  provider: okta
  active: false
- reference: E-003
  first_name: Radia
  last_name: Perlman
  email: radia@example.com
  unit: sales
  admin: true
webhooks:
- name: payroll
  uri: https://127.0.0.1:9/payroll
  triggers: [user.delete, user.create]
- name: quiet
  uri: https://127.0.0.1:9/quiet
  active: false
`;

const write = (place: Place, name: string, text: string) => {
  writeFileSync(place.home.path(name), text);
  return place.home.path(name);
};

/** The last lines of stderr, without what is said about callbacks. */
const said = (stderr: string) =>
  stderr
    .trimEnd()
    .split("\n")
    .filter((line) => !line.includes("callback"));

async function changes(place: Place, ...args: string[]) {
  const { code, stdout, stderr } = await place.wcs([...args, "--json"]);
  return { code, stderr: said(stderr), rows: code === 2 ? [] : JSON.parse(stdout || "[]") };
}

// One story, in which each step goes on from the one before.
describePlaces("an organisation", (place) => {
  let file: string;

  it("diff shows all entries of a file for a new instance", async () => {
    file = write(place(), "acme.yaml", acme);
    const { code, rows, stderr } = await changes(place(), "diff", file, "--exit-code");
    expect({ code, stderr: stderr[0] }).toEqual({
      code: 9,
      stderr: "Would create 2 user types, 3 units, 3 users, 2 webhooks.",
    });
    expect(rows.map(({ action, kind, name }: Record<string, string>) => `${action} ${kind} ${name}`)).toEqual([
      "create usertype manager",
      "create usertype Employee",
      "create unit eng",
      "create unit sales",
      "create unit lab",
      "create user E-001",
      "create user linus@example.com",
      "create user E-003",
      "create webhook payroll",
      "create webhook quiet",
    ]);
    expect((await changes(place(), "apply", file, "--dry-run")).rows).toEqual(rows);
    expect((await place().wcs(["users", "list", "--json"])).stdout).not.toContain("grace@example.com");
  });

  it("apply creates everything, and then finds nothing to change", async () => {
    const { code, rows, stderr } = await changes(place(), "apply", file);
    expect({ code, stderr: stderr[0] }).toEqual({
      code: 0,
      stderr: "Created 2 user types, 3 units, 3 users, 2 webhooks.",
    });
    const secrets = rows.filter(({ secret }: { secret?: string }) => secret !== undefined);
    expect(secrets.map(({ name }: { name: string }) => name)).toEqual(["payroll", "quiet"]);
    expect(secrets[0].secret).toMatch(/^whsec_/);
    expect(await changes(place(), "apply", file)).toEqual({
      code: 0,
      rows: [],
      stderr: [`Nothing to change: the data matches ${file}.`],
    });
    expect(await changes(place(), "diff", file, "--exit-code")).toEqual({ code: 0, rows: [], stderr: [""] });
    const grace = JSON.parse((await place().wcs(["users", "get", "--reference", "E-001", "--json"])).stdout);
    expect(grace).toMatchObject({
      birthday: "1906-12-09",
      unit: { name: "Engineering" },
      department: { name: "Tools" },
    });
    expect(grace.memberUnits).toHaveLength(2);
    const eng = JSON.parse((await place().wcs(["units", "get", "--reference", "eng", "--json"])).stdout);
    expect(eng).toMatchObject({
      contact: { name: "Grace", phone: "+45 12345678" },
      addresses: { delivery: { city: "Aarhus" } },
      geo: { lat: 56.15, lng: 10.2 },
    });
  });

  it("export writes the same bytes again, also from another instance with the file applied", async () => {
    const [yaml, json] = [place().home.path("out.yaml"), place().home.path("out.json")];
    expect(said((await place().wcs(["export", yaml])).stderr)).toEqual([`Exported 12 entries to ${yaml}`]);
    await place().wcs(["export", json]);
    const text = readFileSync(yaml, "utf8");
    expect((await place().wcs(["export"])).stdout).toBe(text);
    expect(text).toContain("user_types: [Employee, manager]");
    expect(text.match(/provider: .*/g)).toEqual(["provider: okta"]);
    expect(text).not.toContain("whsec_");
    expect([...text.matchAll(/email: (\w+)/g)].map(([, who]) => who)).toEqual(["ada", "grace", "radia", "linus"]);
    const other = await newPlace(sqliteLocal);
    try {
      expect(await other.wcs(["apply", "-"], { stdin: text })).toMatchObject({ code: 0 });
      expect((await other.wcs(["export"])).stdout).toBe(text);
      expect((await other.wcs(["export", "--format", "json"])).stdout).toBe(readFileSync(json, "utf8"));
      expect(await other.wcs(["apply", json])).toMatchObject({
        code: 0,
        stderr: `Nothing to change: the data matches ${json}.\n`,
      });
    } finally {
      await other.close();
    }
  });

  it("apply changes only what the file names", async () => {
    const part = write(
      place(),
      "part.yaml",
      `users:
- {email: linus@example.com, reference: E-002, unit: sales, active: true}
- {reference: E-001, unit: sales, title: Admiral}
units:
- {reference: lab, parent: sales}
- {reference: eng, departments: [Wood], contact: {phone: null}}
usertypes:
- {reference: employee, name: Employee, abilities: [news]}
`,
    );
    const { code, rows } = await changes(place(), "apply", part);
    expect(code).toBe(0);
    type Changed = { action: string; name: string; changes: { field: string; before: unknown; after: unknown }[] };
    const told = (rows as Changed[]).map(({ action, name, changes }) => [
      action,
      name,
      Object.fromEntries(changes.map(({ field, before, after }) => [field, [before, after]])),
    ]);
    expect(told).toEqual([
      ["update", "employee", { reference: [null, "employee"], abilities: [null, ["news"]] }],
      [
        "update",
        "eng",
        {
          departments: [
            ["Paint", "Tools"],
            ["Paint", "Tools", "Wood"],
          ],
          contact: [{ name: "Grace", phone: "+45 12345678" }, { name: "Grace" }],
        },
      ],
      ["move", "lab", { parent: ["eng", "sales"] }],
      ["update", "E-002", { reference: [null, "E-002"], unit: ["lab", "sales"], active: [false, true] }],
      [
        "update",
        "E-001",
        {
          title: [null, "Admiral"],
          unit: ["eng", "sales"],
          department: ["Tools", null],
          memberships: [[{ unit: "sales", user_types: ["employee"], department: null }], null],
        },
      ],
    ]);
    expect((await changes(place(), "diff", part)).rows).toEqual([]);
    const grace = JSON.parse((await place().wcs(["users", "get", "--reference", "E-001", "--json"])).stdout);
    expect(grace).toMatchObject({ email: "grace@example.com", title: "Admiral", birthday: "1906-12-09" });
    expect(grace.memberUnits).toHaveLength(1);
  });

  it("apply removes entries that are not in the file only with --prune, after a question", async () => {
    const rest = write(
      place(),
      "rest.yaml",
      `usertypes: [{reference: manager}, {name: Employee}]
units: [{reference: root}, {reference: eng, departments: [Wood]}]
users: [{reference: E-003, unit: root}, {reference: E-002, unit: eng, memberships: []}, {reference: E-001, unit: root}]
webhooks: []
`,
    );
    expect((await changes(place(), "apply", rest)).stderr[0]).toBe("Changed 3 users.");
    await place().wcs(["users", "import", "-"], {
      stdin: "first_name,last_name,email,unit\nAnn,Moe,ann@example.com,lab\n",
    });
    const before = (await place().wcs(["export"])).stdout;
    const refused = await place().wcs(["apply", rest, "--prune"]);
    expect({ code: refused.code, stderr: said(refused.stderr) }).toEqual({
      code: 2,
      stderr: [
        "--prune will delete 2 webhooks, 2 units; deactivate 1 user.",
        "error: Cannot be undone.",
        "hint: Pass --yes to confirm.",
      ],
    });
    expect((await place().wcs(["export"])).stdout).toBe(before);
    const { code, rows } = await changes(place(), "apply", rest, "--prune", "--yes");
    expect(code).toBe(0);
    const told = rows.map(({ action, kind, name }: Record<string, string>) => `${action} ${kind} ${name}`);
    expect(told).toEqual([
      "update unit eng",
      "delete webhook payroll",
      "delete webhook quiet",
      "deactivate user ann@example.com",
      "delete unit lab",
      "delete unit sales",
    ]);
    expect((await changes(place(), "diff", rest, "--prune")).rows).toEqual([]);
    // The user who prunes stays active, and the members of a unit are in the one above.
    const users = JSON.parse((await place().wcs(["users", "list", "--inactive", "--json"])).stdout);
    expect(users.map(({ email, active, unit }: never) => [email, active, (unit as { name: string }).name])).toEqual([
      ["ada@example.com", true, "Acme"],
      ["grace@example.com", true, "Acme"],
      ["linus@example.com", true, "Engineering"],
      ["radia@example.com", true, "Acme"],
      ["ann@example.com", false, "Acme"],
    ]);
  });

  it("somebody who is in the file again stays deactivated, and diff and apply say so, until the entry says active", async () => {
    const { id } = JSON.parse((await place().wcs(["users", "get", "ann@example.com", "--json"])).stdout);
    const left = write(place(), "left.yaml", "users: [{email: ann@example.com}]\n");
    const note = `1 user in the file is deactivated and will not be reactivated: ${id}. To reactivate, write active: true in the file.`;
    for (const command of ["diff", "apply"]) expect((await changes(place(), command, left)).stderr).toContain(note);
    const back = write(place(), "back.yaml", "users: [{email: ann@example.com, active: true}]\n");
    const { rows, stderr } = await changes(place(), "apply", back);
    expect({ changed: rows.map((row: { changes: unknown }) => row.changes), stderr }).toEqual({
      changed: [[{ field: "active", before: false, after: true }]],
      stderr: ["Changed 1 user."],
    });
  });
});

describe("files", () => {
  const place = usePlace();
  const sit = (args: readonly string[], seat = {}) => place().home.sit([...args, ...place().args], seat);

  beforeAll(async () => {
    await place().wcs(["apply", "-"], { stdin: acme });
  });

  it("apply reports every error of a file at once, with its line", async () => {
    const bad = write(place(), "bad.yaml", mistaken);
    const before = (await sit(["export"])).stdout;
    const { code, stdout, stderr } = await sit(["apply", bad, "--prune", "--yes"]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr.replaceAll(`${bad}:`, "").trimEnd().split("\n")).toEqual([
      "1: version must be 1",
      "2: user is unknown; did you mean users?",
      "4: usertypes lacks manager, which user E-001 will still hold; keep it, or take it away",
      "5: usertypes[0].abilities[1] must be one of news, calendar, groups, user, units, usertypes, integrations",
      "6: usertypes[1].name is already used by usertypes[0]",
      "7: usertypes[2].name is required, because the user type does not exist yet",
      "8: usertypes[3] must be an object",
      "11: units[0].parent is below the unit itself: a below b below a",
      "12: units[1].parent is below the unit itself: b below a below b",
      "13: units[2].nmae is unknown; did you mean name?",
      "13: units[2].name is required, because there is no such unit yet",
      "13: units[2].parent is not an existing unit: enk (did you mean eng?)",
      "14: units[3].reference is already used by units[2]",
      "15: units[4].parent must be omitted, because the root unit cannot be moved",
      "16: units[5].name must be a text",
      "16: units[5].contact.phnoe is unknown; did you mean phone?",
      "16: units[5].parent is required, because there is no such unit yet; the root is root",
      "17: units[6].parent is lab, which is not in the file and would be deleted by --prune",
      '19: users[0].reference must be text; put it in quotes: "0012"',
      "20: users[1] must be an object",
      "21: users[2].reference is required, or an email",
      "22: users[3].first_name is required, because the user does not exist yet",
      "24: users[3].unit is not an existing unit: enk (did you mean eng?)",
      "25: users[3].user_types[0] is not an existing user type: Employe (did you mean Employee?)",
      "26: users[3].birthday must be a date that exists, as YYYY-MM-DD",
      "27: users[3].memberships[0].department is not an existing department of eng: Tols (did you mean Tools?)",
      "27: users[3].memberships[1].unit is already a unit of the user: eng",
      "28: users[4].email is already used by users[3]",
      "29: webhooks must be a list; an empty list is []",
      `error: 29 errors in ${bad}; nothing was changed.`,
      "hint: wcs help organisation describes the file",
    ]);
    expect((await sit(["export"])).stdout).toBe(before);
    const asJson = JSON.parse((await sit(["diff", bad, "--prune", "--json"])).stderr);
    expect(asJson.error.fields).toMatchObject({
      "users[0].reference": ["must be text; put it in quotes"],
      "users[3].unit": ["is not an existing unit: enk (did you mean eng?)"],
    });
  });

  it.each([
    ["a: [", "stdin:1: Flow sequence", "stdin is neither YAML nor JSON; nothing was changed."],
    [
      "users: []\nusers: []",
      "stdin:2: Map keys must be unique",
      "stdin is neither YAML nor JSON; nothing was changed.",
    ],
    [
      'users:\n- a: 1\n  "a": 2',
      "stdin:3: Map keys must be unique",
      "stdin is neither YAML nor JSON; nothing was changed.",
    ],
    ['{"units": []}}{', "stdin:1: Unexpected", "stdin is neither YAML nor JSON; nothing was changed."],
    ['{"units": {}}', "stdin:1: units must be a list", "1 error in stdin"],
    ["", "stdin:1: the file must be an object", "1 error in stdin"],
    ["users: [*ann]", "", "stdin has an undefined alias"],
    [bomb(), "", "stdin has an undefined alias"],
    [Buffer.from([0x61, 0xff]).toString("latin1"), "stdin:1: the file must be an object", "1 error"],
  ])("%j is refused", async (text, complaint, message) => {
    const { code, stderr } = await sit(["diff", "-"], { stdin: text });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(complaint) });
    expect(stderr).toContain(`error: ${message}`);
  });

  it.each([
    ["0012", "0012"],
    ["+4512345678", "+4512345678"],
    ["1.50", "1.50"],
    ["0x1F", "0x1F"],
    ["True", "True"],
    ["&number 12345678901234567890", "12345678901234567890"],
  ])("text without quotes, %s, is shown in quotes as the file has it", async (written, shown) => {
    const users = `users:\n- email: a@example.com\n  phone: ${written}\n`;
    // The second file cannot be read entry by entry.
    for (const text of [users, `${users}...\n`]) {
      const { code, stderr } = await sit(["diff", "-"], { stdin: text });
      const issue = `stdin:3: users[0].phone must be text; put it in quotes: "${shown}"`;
      expect([code, stderr.split("\n")]).toEqual([3, expect.arrayContaining([issue])]);
    }
  });

  it("diff shows the first 20 syntax errors, and how many more there are", async () => {
    const text = `{"units": []}}{\n${"a: 1\n".repeat(500)}`;
    const { code, stderr } = await sit(["diff", "-"], { stdin: text });
    const lines = stderr.trimEnd().split("\n");
    expect({ code, lines: lines.length }).toEqual({ code: 3, lines: 22 });
    expect(lines[20]).toMatch(/^stdin: and \d+ more, perhaps because of these$/);
  });

  it.each([
    ["closed lists in JSON", `{"units": [{"name": ${"[".repeat(20_000)}${"]".repeat(20_000)}}]}`, 1],
    ["open lists in JSON", `{"version": 1,\n"units": [${"[".repeat(200_000)}`, 2],
    ["objects in JSON", `${'{"units":'.repeat(20_000)}1${"}".repeat(20_000)}`, 1],
    ["lists in YAML", `units:\n- name: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`, 2],
    ["open lists in YAML", `units: ${"[".repeat(200_000)}`, 1],
    ["dashes in YAML", `units:\n${"- ".repeat(20_000)}x\n`, 2],
    ["lines of YAML", Array.from({ length: 200 }, (_, at) => `${" ".repeat(at)}units:\n`).join(""), 65],
  ])("nested %s are refused", async (_, text, line) => {
    const { code, stderr } = await sit(["diff", "-"], { stdin: text });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr:
        `stdin:${line}: The file is nested deeper than 64 levels.\n` +
        "error: stdin is nested deeper than 64 levels; nothing was changed.\n",
    });
  });

  it("apply accepts 64 nested levels", async () => {
    for (const text of ['{"$schema": {"a": LIST}}', "$schema:\n  a: LIST\n", "# [\n{'$schema': {'a': LIST}}"]) {
      const nested = (levels: number) => text.replace("LIST", `${"[".repeat(levels - 2)}1${"]".repeat(levels - 2)}`);
      expect(await sit(["diff", "-"], { stdin: nested(64) })).toMatchObject({ code: 0 });
      expect(await sit(["diff", "-"], { stdin: nested(65) })).toMatchObject({ code: 3 });
    }
    const brackets = `{"$schema": "${"[".repeat(100)}", # ${"[".repeat(100)}\n"units": []}`;
    expect(await sit(["diff", "-"], { stdin: brackets })).toMatchObject({ code: 0 });
  });

  it("a field with the name of a property of all objects is an unknown field", async () => {
    for (const name of ["__proto__", "toString"]) {
      const { code, stderr } = await sit(["diff", "-"], { stdin: `${name}: []\nusers: [{${name}: {admin: true}}]` });
      expect(code, stderr).toBe(3);
      expect(stderr).toContain(
        `stdin:1: ${name} is unknown; known are version, complete, usertypes, units, users, webhooks\n`,
      );
      expect(stderr).toContain(`stdin:2: users[0].${name} is unknown; `);
    }
  });

  it("apply refuses an entry that matches two users", async () => {
    const text = "users: [{reference: E-001, email: linus@example.com}]";
    const { code, stderr } = await sit(["apply", "-"], { stdin: text });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/^stdin:1: users\[0\]\.email belongs to two users: \d+ and \d+$/m),
    });
  });

  it("the example in the help is a valid file", async () => {
    const example = topics.organisation!.split("\n").filter((line) => line.startsWith("  "));
    const { code, stderr } = await sit(["diff", "-"], { stdin: example.join("\n") });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("Would ") });
  });

  it("apply on a terminal shows changes as lines, and asks before it removes anything", async () => {
    const text = "webhooks: [{name: payroll, uri: https://127.0.0.1:9/new, active: true}]";
    const file = write(place(), "one.yaml", text);
    const screen = { width: 100, height: 30 };
    const { stdout, stderr } = await sit(["diff", file, "--prune"], { screen });
    expect(stdout).toBe(
      "~ update webhook payroll\n    uri: https://127.0.0.1:9/payroll -> https://127.0.0.1:9/new\n- delete webhook quiet\n",
    );
    expect(stderr).toBe("Would update 1 webhook; delete 1 webhook.\n");
    const no = await sit(["apply", file, "--prune"], { screen, answers: ["n"] });
    expect(no).toEqual({
      code: 130,
      stdout: "",
      stderr: "--prune will delete 1 webhook.\n? Delete 1 webhook?\nNothing was changed.\n",
    });
    const yes = await sit(["apply", file, "--prune"], { screen, answers: ["y"] });
    expect(yes).toMatchObject({ code: 0, stdout });
    expect((await sit(["webhooks", "list", "--json"])).stdout).not.toContain("quiet");
  });

  it("apply --prune refuses to delete a user type that users hold", async () => {
    const before = (await sit(["export"])).stdout;
    const text = "usertypes: [{reference: manager}]\nusers: [{reference: E-001, user_types: [manager]}]";
    const { code, stderr } = await sit(["apply", "-", "--prune", "--yes"], { stdin: text });
    expect({ code, stderr: stderr.split("\n")[0] }).toEqual({
      code: 3,
      stderr: "stdin:1: usertypes lacks Employee, which user E-001 will still hold; keep it, or take it away",
    });
    for (const line of [["diff"], ["apply", "--yes"]]) {
      const without = await sit([...line, "-", "--prune"], { stdin: "usertypes: [{reference: manager}]" });
      expect(without).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^stdin:1: usertypes lacks Employee, which .*user.* will still hold; keep it, /),
      });
    }
    expect((await sit(["export"])).stdout).toBe(before);
  });

  it("apply --prune refuses to delete a user type that a service account holds, and names the account", async () => {
    await sit(["usertypes", "create", "--name", "Bots"]);
    const account = ["--first-name", "Deploy", "--last-name", "Bot", "--service"];
    const made = await sit(["users", "create", ...account, "--unit", "root", "--user-types", "Bots", "--query", "id"]);
    const id = made.stdout.trim();
    const text = "usertypes: [{reference: manager}, {name: Employee}]\nusers: []";
    const { stderr } = await sit(["diff", "-", "--prune"], { stdin: text });
    expect(stderr.split("\n")[0]).toBe(
      `stdin:1: usertypes lacks Bots, which user ${id} (Deploy Bot) will still hold; keep it, or take it away`,
    );
    expect(await sit(["users", "delete", id, "--yes"])).toMatchObject({ code: 0 });
    expect(await sit(["usertypes", "delete", "Bots", "--yes"])).toMatchObject({ code: 0 });
  });

  it("apply reports what the service rejects half way, and the next run continues from there", async () => {
    const chain = Array.from({ length: 100 }, (_, at) => `deep-${at + 1},Deep,${at === 0 ? "" : `deep-${at}`}`);
    const rows = [...chain, "deeper,Deeper,"].join("\n");
    await sit(["units", "import", "-"], { stdin: `reference,name,parent\n${rows}\n` });
    // A file cannot name this unit, so only the service finds it too deep.
    const { stdout: made } = await sit(["units", "create", "--name", "Deepest", "--parent", "ref:deeper", "--json"]);
    const apply = async (parent: string) => {
      const text = `units:
- {reference: deeper, name: Deeper, parent: ${parent}}
- {reference: shallow, name: Shallow, parent: root}
webhooks:
- {name: late, uri: https://127.0.0.1:9/late}
`;
      const { code, stdout, stderr } = await sit(["apply", "-", "--fields", "name"], { stdin: text });
      return { code, stdout, stderr: stderr.split("\n").filter((line) => !line.includes("callback")) };
    };
    const refused = [
      "stdin:2: units[0] parent is too deep: the tree has at most 100 levels below the root",
      "Not applied: move 1 unit; create 1 webhook.",
      "error: 1 entry was not applied.",
      "",
    ];
    const kept = "The applied changes are kept. Run the same command again to apply the rest.";
    expect(await apply("deep-99")).toEqual({
      code: 3,
      stdout: "name\nshallow\n",
      stderr: ["Created 1 unit.", ...refused.toSpliced(2, 0, kept)],
    });
    expect(await apply("deep-99")).toEqual({ code: 3, stdout: "name\n", stderr: refused });
    expect(await apply("deep-98")).toMatchObject({ code: 0, stdout: "name\ndeeper\nlate\n" });
    await sit(["units", "update", String(JSON.parse(made).id), "--reference", "deepest"]);
  });

  it("apply refuses units that would be too deep in the tree before the first change", async () => {
    const text = `units:
- {reference: never, name: Never, parent: root}
- {reference: deep-1, parent: shallow}
`;
    for (const command of [["diff"], ["apply", "--dry-run"], ["apply"]]) {
      const { code, stderr } = await sit([...command, "-"], { stdin: text });
      const issue = "stdin:3: units[1].parent is too deep: the tree has at most 100 levels below the root";
      expect([code, stderr.split("\n").slice(0, 2)]).toEqual([
        3,
        [issue, "error: 1 error in stdin; nothing was changed."],
      ]);
    }
    expect((await sit(["units", "get", "--reference", "never"])).code).toBe(6);
  });

  it("apply stops between two changes after Ctrl-C and says what was applied, and the next run continues", async () => {
    const names = Array.from({ length: 500 }, (_, at) => `{name: Role ${at}}`);
    const file = write(
      place(),
      "roles.yaml",
      `usertypes: [${names.join(", ")}]\nwebhooks: [{name: last, uri: https://127.0.0.1:9/x}]`,
    );
    const child = start(["apply", file, "-o", "ndjson", ...place().args], place().home.env);
    child.stdout?.once("data", () => child.kill("SIGINT"));
    const { code, stdout, stderr } = await finished(child);
    const done = stdout.trimEnd().split("\n").length;
    expect({ code, stderr: said(stderr) }).toEqual({
      code: 130,
      stderr: [
        expect.stringMatching(/^Created \d+ user types?\.$/),
        `Not applied: create ${500 - done} user types, 1 webhook.`,
        "The applied changes are kept. Run the same command again to apply the rest.",
      ],
    });
    const rest = await sit(["apply", file, "--json"]);
    expect(JSON.parse(rest.stdout)).toHaveLength(501 - done);
  });

  it("export skips and names units without a reference", async () => {
    const eng = JSON.parse((await sit(["units", "get", "--reference", "eng", "--json"])).stdout);
    await sit(["units", "create", "--name", "Attic", "--parent", String(eng.id)]);
    await sit(["webhooks", "create", "--name", "late", "--uri", "https://127.0.0.1:9/other"]);
    const held = JSON.parse((await sit(["usertypes", "create", "--name", "chief", "--json"])).stdout);
    await sit(["usertypes", "create", "--name", "Chef", "--reference", "chief"]);
    await sit(["users", "membership", "set", "1", "1", "--user-types", String(held.id)]);
    const people = await sit(["export", "--only", "usertypes,users"]);
    expect(people.code).toBe(3);
    expect(people.stderr).toMatch(
      /^user type \d+ \(chief\) has a name that is the reference of another user type; run wcs usertypes/m,
    );
    expect(people.stderr).toMatch(/^user 1 \(Ada Lovelace\) has user type \d+, which was not exported$/m);
    const told = await sit(["apply", "-"], { stdin: "users: [{email: ada@example.com, user_types: [chief]}]" });
    expect(told.stdout).toContain("user_types: chief (without a reference) -> chief");
    expect(await sit(["apply", "-"], { stdin: "usertypes: [{name: chief}]" })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("usertypes[0].name is the reference of another user type; add a reference"),
    });
    const { code, stdout, stderr } = await sit(["export", "--only", "units,webhooks"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^unit \d+ \(Attic\) has no reference; run wcs units update \d+ --reference REF$/m);
    expect(stderr).toMatch(
      /^webhook \d+ has the name of webhook \d+ \(late\); run wcs webhooks update \d+ --name NAME$/m,
    );
    expect(stderr).toMatch(/^error: 2 of \d+ entries were not exported\.$/m);
    expect(stdout).not.toMatch(/Attic|users:/);
    const wrong = await sit(["export", "--only", "user"]);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("hint: Did you mean users?") });
    expect(await sit(["apply", "-"], { stdin: "webhooks: [{name: late, active: false}]" })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("is the name of webhooks"),
    });
  });
});

describe("a user without all abilities", () => {
  const place = usePlace();
  const as = (args: readonly string[], stdin: string) =>
    place().home.sit([...args, ...place().args, "--as", "grace@example.com"], { stdin });

  beforeAll(async () => {
    await place().wcs(["apply", "-"], { stdin: acme });
  });

  it.each([
    ["usertypes: [{name: Chief, abilities: [calendar]}]", "usertypes"],
    [
      "units: [{reference: eng, name: Ours}, {reference: new, name: New, parent: root}]",
      "You don't have the ability units in unit root",
    ],
    [
      "units: [{reference: eng, name: Ours}, {reference: sales, name: Theirs}]",
      "You don't have the ability units in unit sales",
    ],
    ["units: [{reference: eng, name: Ours}]\nwebhooks: []", "administrator"],
    ["units: [{reference: eng, name: Ours}]\nusers: [{reference: E-003, title: Boss}]", "You cannot change user"],
    [
      "units: [{reference: eng, name: Ours}]\nusers: [{reference: N, first_name: N, last_name: N, email: n@example.com, unit: root}]",
      "unit is a unit in which you don't have the ability user",
    ],
    ["units: [{reference: eng, name: Ours}]\nusers: [{reference: E-001, admin: true}]", "Only administrators"],
  ])("%j changes nothing and exits with 5", async (text, message) => {
    const before = (await place().home.sit(["export", ...place().args])).stdout;
    const { code, stdout, stderr } = await as(["apply", "-"], text);
    expect({ code, stdout, stderr }).toEqual({ code: 5, stdout: "", stderr: expect.stringContaining(message) });
    expect((await as(["apply", "-", "--dry-run"], text)).code).toBe(5);
    expect((await place().home.sit(["export", ...place().args])).stdout).toBe(before);
  });

  it("diff and apply of webhooks are refused before units and users are compared", async () => {
    const text = "units: [{reference: eng, name: Ours}]\nwebhooks: []";
    for (const command of ["diff", "apply"]) {
      const { code, stderr } = await as([command, "-", "--verbose"], text);
      expect([code, stderr]).toEqual([5, expect.not.stringContaining("units.list")]);
    }
  });

  it("applies a file within the own branch", async () => {
    const text =
      "units: [{reference: eng, name: Ours}]\nusers: [{email: linus@example.com, title: Boss, active: false}]";
    expect(await as(["apply", "-"], text)).toMatchObject({ code: 0 });
    expect(await as(["apply", "-"], text)).toMatchObject({
      code: 0,
      stderr: "Nothing to change: the data matches stdin.\n",
    });
  });
});

it("an export has no units below one without a reference, and no users in them, so that it can be applied elsewhere", async () => {
  const [one, other] = [await newPlace(sqliteLocal), await newPlace(sqliteLocal)];
  try {
    const levels = ["top", "hidden", "below", "deeper"];
    const units = levels.map((name, at) => `{reference: ${name}, name: ${name}, parent: ${levels[at - 1] ?? "root"}}`);
    const users = levels.map((name) => {
      return `{email: ${name}@example.com, first_name: ${name}, last_name: X, unit: ${name}, memberships: [{unit: root}]}`;
    });
    const text = `units: [{reference: root}, ${units.join(", ")}]\nusers: [${users.join(", ")}]`;
    await one.wcs(["units", "update", "1", "--reference", "root"]);
    expect(await one.wcs(["apply", "-"], { stdin: text })).toMatchObject({ code: 0 });
    const { id } = JSON.parse((await one.wcs(["units", "get", "ref:hidden", "--json"])).stdout);
    await one.wcs(["units", "update", String(id), "--reference", ""]);
    const { code, stdout, stderr } = await one.wcs(["export"]);
    const idless = stderr
      .replace(/\d+(?= \()/g, "N")
      .trimEnd()
      .split("\n");
    expect({ code, said: idless }).toEqual({
      code: 3,
      said: [
        `unit N (hidden) has no reference; run wcs units update ${id} --reference REF`,
        `unit N (below) is below unit ${id}, which has no reference`,
        `unit N (deeper) is below unit ${id}, which has no reference`,
        `user N (hidden X) is in unit ${id}, which has no reference; run wcs units update ${id} --reference REF`,
        `user N (below X) is in unit ${id + 1}, which was not exported`,
        `user N (deeper X) is in unit ${id + 2}, which was not exported`,
        "error: 6 of 10 entries were not exported.",
      ],
    });
    expect(await other.wcs(["apply", "-"], { stdin: stdout })).toMatchObject({ code: 0 });
    expect((await other.wcs(["export"])).stdout).toBe(stdout);
    expect((await one.wcs(["export", "--only", "users"])).stderr).toMatch(/^error: 1 of 5 entries/m);
  } finally {
    for (const place of [one, other]) await place.close();
  }
});

describe("a large file", () => {
  const place = usePlace();

  it("apply sends many users in one request, and none that are unchanged", async () => {
    const sit = (args: readonly string[], seat = {}) => place().home.sit([...args, ...place().args], seat);
    await sit(["units", "update", "1", "--reference", "root"]);
    const many = Array.from({ length: 1100 }, (_, at) => {
      return `{reference: M-${at}, first_name: M, last_name: M, email: m${at}@example.com, unit: root}`;
    });
    const text = `users: [${many.join(", ")}]`;
    const called = (stderr: string) =>
      [...stderr.matchAll(/^> ([\w.]+):.*?(\(dry run\))?$/gm)].map(([, op, dry]) => `${op}${dry ? " dry" : ""}`);
    const first = await sit(["apply", "-", "-v"], { stdin: text });
    const lists = ["usertypes.list", "units.list", "users.list"];
    const tried = ["users.import dry", "users.import dry", "users.import dry"];
    expect(called(first.stderr)).toEqual([...lists, ...tried, "users.import", "users.import"]);
    const second = await sit(["apply", "-", "-v"], { stdin: text });
    expect(called(second.stderr)).toEqual([...lists, "users.list", "users.list"]);
  });
});

/** Lists of lists, each ten times in the next. */
function bomb(): string {
  const lines = Array.from({ length: 9 }, (_, at) => {
    return `x${at}: &x${at} [${Array(10)
      .fill(at === 0 ? "x" : `*x${at - 1}`)
      .join(", ")}]`;
  });
  return lines.join("\n");
}

const mistaken = `version: 2
user: []
usertypes:
- name: A
  abilities: [news, fly]
- name: a
- reference: x
- 17
- {name: Employee}
units:
- {reference: a, name: A, parent: b}
- {reference: b, name: B, parent: a}
- {reference: c, nmae: C, parent: enk}
- {reference: c, name: C, parent: root}
- {reference: root, parent: a}
- {reference: d, name: [x], contact: {phnoe: 12}}
- {reference: eng, parent: lab}
users:
- {reference: 0012, email: twelve@example.com, first_name: T, last_name: T, unit: eng}
- nobody
- first_name: X
- email: ann@example.com
  last_name: X
  unit: enk
  user_types: [Employe]
  birthday: 2020-02-31
  memberships: [{unit: eng, department: Tols}, {unit: eng}]
- email: ANN@example.com
webhooks: nothing
`;
