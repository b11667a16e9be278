import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/open-database.ts";
import { changeDirectly } from "../support/direct.ts";
import { finished, start, useHome } from "./support.ts";

const home = useHome();
/** The folder of Linux in which no file can be created. */
const hasProc = existsSync("/proc/self/stat");
const screen = { width: 100, height: 40 };
const wcs = (line: string) => home().wcs(line.split(" "));

const person = (name: string) =>
  wcs(`users create --first-name ${name} --last-name Low --email ${name.toLowerCase()}@example.com --unit 2`);

describe("errors", () => {
  it("api: every wrong field is named", async () => {
    const { stderr, code } = await wcs("api POST /users -f first_name= -f email=nope");
    expect(code).toBe(3);
    for (const field of ["first_name", "last_name", "email", "unit"]) expect(stderr).toContain(`${field} `);
    expect(stderr).not.toMatch(/more/);
  });

  describe("of a busy instance", () => {
    let url = "";
    const server = createServer((_, response) => {
      const error = { code: "too_many_requests", message: "There were too many attempts; try again later." };
      response.writeHead(429, { "content-type": "application/json", "retry-after": "700" });
      response.end(JSON.stringify({ error }));
    });
    beforeAll(async () => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(() => server.close());

    it("say when to try again", async () => {
      const line = ["auth", "login", "--url", url, "--username", "ada@example.com", "--password-stdin"];
      const { stderr, code } = await home().wcs(line, { stdin: "secret" });
      expect(code).toBe(8);
      expect(stderr).toMatch(/^hint: Try again in 12 minutes\.$/m);
    });
  });

  it("auth login: a wrong password leads to the reset", async () => {
    const line = ["auth", "login", "--username", "ada@example.com", "--password-stdin"];
    const { stderr, code } = await home().wcs(line, { stdin: "not the password" });
    expect(code).toBe(4);
    expect(stderr).toMatch(/^hint: .* wcs auth password request --email ada@example\.com --db \S+$/m);
  });
});

describe("commands on several things, or on none", () => {
  it.each(["users update 1", "units update 2", "units department update 2 1", "users membership set 1 1"])(
    "%s: there is nothing to change",
    async (line) => {
      const { stderr, stdout, code } = await wcs(line);
      expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
      expect(stderr).toMatch(
        /^error: (Nothing to change\.\nhint: See wcs .* --help for what can be changed\.|Missing )/,
      );
    },
  );

  it("users get: prints the users that exist, then names the others", async () => {
    const { stdout: id } = await person("Bo").then(() => wcs("users get bo@example.com --query id"));
    const { stdout, stderr, code } = await wcs(`users get 1 99 ${id.trim()} 98 --fields name --no-header`);
    expect(stdout).toBe("Ada Lovelace\nBo Low\n");
    expect(stderr).toMatch(/^error: There are no users 99, 98\.\nhint: A number is an ID; /);
    expect(code).toBe(6);
  });
});

const sit = (line: string) => home().sit(line.split(" "), { screen, answers: [] });

describe("values", () => {
  it("--no-header of a single item prints the values only", async () => {
    expect((await wcs("units get 2 --fields id,name --no-header")).stdout).toBe("2\nSales\n");
    expect((await sit("units get 2 --fields id,name --no-header")).stdout).toBe("2\nSales\n");
  });

  it("sizes are readable in tables, and numbers for programs", async () => {
    expect((await sit("db info")).stdout).toMatch(/^size_bytes +\d+(\.\d)? kB$/m);
    expect((await wcs("db info")).stdout).toMatch(/^size_bytes\t\d+$/m);
    expect((await sit("db info")).stdout).toMatch(/^created_at +\d{4}-\d\d-\d\d \d\d:\d\d$/m);
  });

  it("settings list: values with meaning, unit and default on a terminal", async () => {
    const { stdout } = await sit("settings list");
    expect(stdout).toMatch(/^tokens\.lifetime +86400\n +Lifetime of an access token \(seconds, default 86400\)$/m);
    expect(stdout).toMatch(/^uploads\.max_bytes +26\.2 MB$/m);
    const { stdout: narrow } = await home().sit(["settings", "list"], { screen: { width: 40, height: 40 } });
    expect(narrow).toMatch(
      /^tokens\.lifetime +86400\n {2}Lifetime of an access token \(seconds,\n {2}default 86400\)$/m,
    );
    expect(JSON.parse((await wcs("settings list --json")).stdout)).toMatchObject({ "tokens.lifetime": 86_400 });
    expect((await wcs("settings list")).stdout).toMatch(/^tokens\.lifetime\t86400$/m);
  });

  it("usertypes list shows the abilities", async () => {
    await wcs("usertypes create --name Editor --abilities-news --abilities-calendar");
    expect((await wcs("usertypes list --no-header")).stdout).toBe("1\tEditor\t\tnews, calendar\n");
  });

  it("users birthdays shows the day", async () => {
    await wcs("users update 1 --birthday 1815-12-10");
    const { stdout } = await wcs("users birthdays --start 12-01 --end 12-31 --fields day,name --no-header");
    expect(stdout).toBe("12-10\tAda Lovelace\n");
  });

  it("units tree shows references or IDs, and explains the numbers", async () => {
    await wcs("units create --name Web --parent 2");
    const { stdout } = await sit("units tree");
    expect(stdout).toMatch(
      /^Acme \(root, \d+ users?\)\n└── Sales \(SALES, \d+ users?\)\n {4}└── Web \(ID \d+, 0 users\)\n$/,
    );
  });
});

describe("events", () => {
  // A list shows the next time of an event, so it has to be in the future.
  const monday = new Date();
  monday.setUTCDate(monday.getUTCDate() + 8 - monday.getUTCDay());
  const dayAfter = (days: number) => new Date(monday.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  const [first, until] = [dayAfter(0), dayAfter(13)];
  const event = ["events", "create", "--type", "user", "--title", "Talk", "--start", `${first}T10:00:00Z`];
  const standup = [...event, "--end", `${first}T11:00:00Z`, "--repeat", `every monday until ${until}`];

  it("events create prints the event in every form", async () => {
    const { id, title, dates } = JSON.parse((await home().wcs([...standup, "--json"])).stdout);
    expect({ id, title, count: dates.length }).toEqual({ id: 1, title: "Talk", count: 2 });
    expect((await home().wcs([...standup, "--fields", "id,title", "--no-header"])).stdout).toBe("2\nTalk\n");
    expect((await home().sit(standup, { screen })).stdout).toMatch(/^title +Talk$/m);
  });

  it("events create --dry-run prints the event in the same forms, and creates none", async () => {
    const count = async () => JSON.parse((await wcs("events list --json")).stdout).length;
    const before = await count();
    const { id, title, dates } = JSON.parse((await home().wcs([...standup, "--json", "-n"])).stdout);
    expect({ title, count: dates.length }).toEqual({ title: "Talk", count: 2 });
    const fields = await home().wcs([...standup, "--fields", "id,title", "--no-header", "-n"]);
    expect(fields).toMatchObject({ code: 0, stdout: `${id}\nTalk\n` });
    expect((await home().sit([...standup, "-n"], { screen })).stdout).toMatch(/^title +Talk$/m);
    expect(await count()).toBe(before);
  });

  it("events list cuts no time on a narrow terminal", async () => {
    const { stdout } = await home().sit(["events", "list"], { screen: { width: 40, height: 40 } });
    expect(stdout).toMatch(new RegExp(`^1 +${first} \\d\\d:\\d\\d( |$)`, "m"));
  });

  it("events list has start, end and repeats for programs", async () => {
    const [head, row] = (await wcs(`events list --start ${first}`)).stdout.split("\n");
    expect(head).toBe("id\ttitle\ttype\tstart\tend\tdate\trepeats\tlocation");
    const times = `${first}T10:00:00+00:00\t${first}T11:00:00+00:00`;
    expect(row).toBe(`1\tTalk\tuser\t${times}\t\tevery Monday until ${until}\t`);
  });

  it("events list and get take the columns of their rows in --fields, in every format", async () => {
    const start = Date.parse(`${first}T10:00:00Z`) / 1000;
    const list = await wcs(`events list --start ${first} --limit 1 --fields id,title,start --no-header`);
    expect(list.stdout).toBe(`1\tTalk\t${first}T10:00:00+00:00\n`);
    for (const line of [`events list --start ${first} --limit 1`, "events get 1"]) {
      const { stdout } = await wcs(`${line} --fields id,start,repeats --json`);
      const row = { id: 1, start, repeats: `every Monday until ${until}` };
      expect(JSON.parse(stdout)).toEqual(line.includes("list") ? [row] : row);
    }
    expect((await wcs("events get 1 --fields id,start,dates -o csv")).stdout).toMatch(
      new RegExp(`^id,start,dates\n1,${start},.*start`),
    );
    expect((await wcs("events get 1 --fields begin")).stderr).toMatch(
      /unknown field 'begin'\.\nhint: Available fields: id, .*, dates, .*, start, end, repeats\.\n/,
    );
    expect((await wcs("events get 1 --fields repeat")).stderr).toContain("hint: Did you mean 'repeats'?");
  });

  it("events get has the next occurrence for programs, and its CSV and JSON have all", async () => {
    const rows = (await wcs("events get 1")).stdout;
    expect(rows).toContain(`start\t${first}T10:00:00+00:00\n`);
    expect(rows).not.toMatch(/^dates\t/m);
    expect((await wcs("events get 1 -o csv")).stdout).toMatch(/^[^\n]*,dates,/);
  });

  it("events create and get have the next day of an all-day event for programs, and JSON has all", async () => {
    const week = ["--date", first, "--repeat", `every monday until ${until}`];
    const created = await home().wcs(["events", "create", "--type", "user", "--title", "Inventory", ...week]);
    const days = `\ndays\t${first}\n`;
    expect(created.stdout).toContain(days);
    const [, id] = /^id\t(\d+)$/m.exec(created.stdout) ?? [];
    expect((await wcs(`events get ${id}`)).stdout).toContain(days);
    expect(JSON.parse((await wcs(`events get ${id} --json`)).stdout).days).toEqual([first, dayAfter(7)]);
  });
});

describe("several IDs", () => {
  const bo = ["--first-name", "Bo", "--last-name", "X", "--unit", "1", "--email", "stdin@example.com", "-t", "{id}"];

  it.each(["welcome", "get"])("that are too many for users %s are to be passed in portions", async (verb) => {
    const stdin = Array.from({ length: 501 }, (_, at) => `${at + 1}\n`).join("");
    const { code, stderr } = await home().wcs(["users", verb, "-"], { stdin });
    const hint = `Pass fewer at a time, as in xargs -n 500 wcs users ${verb} < FILE`;
    expect([code, stderr]).toEqual([3, expect.stringMatching(` must have at most 500 items\\.\nhint: ${hint}\n$`)]);
  });

  it("of users are read from stdin for -, one a line, by name, too", async () => {
    const made = (await home().wcs(["users", "create", ...bo])).stdout.trim();
    expect(made).toMatch(/^\d+$/);
    const found = await home().wcs(["users", "get", "-", "-t", "{id}"], {
      stdin: `${made}\r\n \r\nada@example.com\r\n`,
    });
    expect([found.code, found.stdout]).toEqual([0, `${made}\n1\n`]);
    // A single line is a list as well, so a script gets the same columns.
    const single = await home().wcs(["users", "get", "-", "--json", "--query", "[].id"], { stdin: "Bo X\n" });
    expect([single.code, JSON.parse(single.stdout)]).toEqual([0, [Number(made)]]);
    const wrong = await home().wcs(["users", "get", "-"], { stdin: "0\n" });
    expect([wrong.code, wrong.stderr]).toEqual([3, "error: <id> must be a positive integer.\n"]);
    const ended = await home().wcs(["users", "deactivate", "-", "--yes"], { stdin: "stdin@example.com\n" });
    expect([ended.code, ended.stderr]).toEqual([0, `Deactivated user ${made} (Bo X).\n`]);
    const empty = await home().wcs(["users", "get", "-", "--json"], { stdin: "\n" });
    expect([empty.code, empty.stdout, empty.stderr]).toEqual([0, "[]\n", ""]);
    const both = await home().wcs(["users", "get", "-", "--reference", "x"], { stdin: "" });
    expect([both.code, both.stderr]).toEqual([2, "error: <id> and --reference cannot be used together.\n"]);
    for (const verb of ["welcome", "deactivate", "delete"]) {
      const none = await home().wcs(["users", verb, "-"], { stdin: "" });
      expect([none.code, none.stdout, none.stderr]).toEqual([0, "", "Nothing to do: stdin is empty.\n"]);
      const target = ["--db", home().path("missing.db")];
      expect((await home().wcs(["users", verb, "-", ...target], { stdin: "" })).code).toBe(6);
    }
    expect((await wcs("users deactivate --help")).stdout).toMatch(/- reads\s+one a line/);
    expect((await wcs("conversations participants add --help")).stdout).not.toMatch(/- reads\s+one\s+a\s+line/);
  });

  it("after one that fails are named as not tried", async () => {
    const { code, stderr } = await wcs("users reactivate 1 999 1 998 997");
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(/^Reactivated user 1\.\nNot tried after the error: 998, 997\.\nerror: .*999/),
    ]);
    expect((await wcs("users reactivate 1 999")).stderr).not.toContain("Not tried");
    const many = Array.from({ length: 13 }, (_, at) => 1001 + at).join(" ");
    expect((await wcs(`users reactivate ${many}`)).stderr).toMatch(/error: 1002, [\d, ]+, 1011 and 2 more\.\nerror:/);
  });
});

describe("--fields", () => {
  it.each([
    "auth status",
    "alias list",
    "profile list",
    "profile show",
    "api GET /units",
    "api POST /groups -f name=No",
    "db info",
    "db check",
    "db migrate",
    "db outbox",
    "db prune",
    "doctor",
    "events calendar --from 2040-01-01",
    "settings get languages",
    "top --once",
    "schema organisation",
  ])("of %s refuses an unknown field", async (line) => {
    for (const format of ["", " --json"]) {
      const { code, stdout, stderr } = await wcs(`${line} --fields nope${format}`);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("--fields: unknown field 'nope'")]);
    }
  });

  it.each([
    ["db info --fields counts.nope", /hint: Available fields in counts: users, .*/],
    ["db info --fields counts.user", /hint: Did you mean 'counts.users'\?/],
    ["db info --fields kind.nope", /hint: 'kind' has no fields\./],
    ["users list --fields unit.name.nope", /hint: 'unit\.name' has no fields\./],
    ["users list -t {id.nope}", /hint: 'id' has no fields\./],
  ])("of %s checks every part", async (line, hint) => {
    const { code, stdout, stderr } = await wcs(line);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(hint)]);
  });

  it("refuses an unknown field before the change", async () => {
    const { path } = home();
    const made = path("fields.db");
    const init = ["init", "--db", made, "--admin-email", "a@example.com", "--admin-name", "Ann Lee", "--no-profile"];
    const stdin = "first_name,last_name,email,unit\nCy,Coe,cy@example.com,SALES\n";
    for (const words of [
      init,
      ["db", "backup", made],
      ["db", "copy", "--to", made],
      ["users", "export-data", "1", "--to", made],
      ["settings", "set", "languages", "en"],
      ["users", "import", "-", "--format", "csv", "--json"],
    ]) {
      const { code, stdout, stderr } = await home().wcs([...words, "--fields", "nope"], { stdin });
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("--fields: unknown field 'nope'")]);
    }
    expect(existsSync(made)).toBe(false);
    expect((await wcs("settings get languages")).stdout).not.toBe("en\n");
    expect((await wcs("users get cy@example.com")).code).toBe(6);
    // The fields of each are known.
    for (const [line, known] of [
      [init, ["database", "administrator", "profile"]],
      [
        ["db", "backup", path("backup.db")],
        ["file", "size_bytes", "sha256"],
      ],
      [
        ["db", "copy", "--to", path("copy.db")],
        ["from", "to", "tables", "rows", "schema", "seconds", "failed_checks"],
      ],
    ] as const) {
      const words = [...line, "--fields", known.join(","), "--json"];
      const { code, stdout, stderr } = await home().wcs(words);
      expect(code, stderr).toBe(0);
      expect(Object.keys(JSON.parse(stdout))).toEqual(known);
    }
  });

  it("of api selects fields of the body, and nothing is changed before they are checked", async () => {
    expect(JSON.parse((await wcs("api GET /units --fields meta.next_cursor")).stdout)).toEqual({
      meta: { next_cursor: null },
    });
    expect((await wcs("groups list -t {name}")).stdout).not.toContain("No");
    expect((await wcs("auth status --fields user.name,session")).code).toBe(0);
  });
});

describe("a command that writes a file as it is", () => {
  it.each(["files get 1 -o json", "files get 1 --json", "events export --json", "events export -o csv"])(
    "takes no format: %s",
    async (line) => {
      const { code, stdout, stderr } = await wcs(line);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("cannot be used with this command")]);
      expect(stderr).toContain("It writes one format only, and -o is the path to write to");
      expect(stderr.includes("write ./")).toBe(!line.includes("--json"));
    },
  );
});

describe("users import", () => {
  const rows = "reference,first_name,last_name,email,unit\nU1,Cy,Low,cy@example.com,SALES\nU2,,Low,nope,SALES\n";
  const load = (...flags: string[]) => home().wcs(["users", "import", "-", "--dry-run", ...flags], { stdin: rows });

  it("--json prints the numbers of rows", async () => {
    const { stdout, code } = await load("--json");
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toEqual({ created: 1, changed: 0, unchanged: 0, skipped: 1 });
  });

  it.each([[], ["--strict"]])("-o ndjson prints the result of each row %s", async (...flags) => {
    const { stdout, code } = await load("-o", "ndjson", ...flags.flat());
    const results = stdout.trim().split("\n");
    expect(code).toBe(3);
    expect(results.map((line) => JSON.parse(line).line)).toEqual([2, 3]);
    expect(JSON.parse(results[1] ?? "")).toMatchObject({ action: "skipped", errors: { email: expect.any(Array) } });
  });
});

describe("api", () => {
  it("GET of a list: --query applies to the items, as in the other commands", async () => {
    expect(JSON.parse((await wcs("api GET /units --query [].name")).stdout)).toEqual(["Acme", "Sales", "Web"]);
    expect(JSON.parse((await wcs("api GET /units")).stdout)).toHaveProperty("meta");
  });

  it("a query may contain question marks", async () => {
    const found = await home().wcs(["api", "GET", "/users/search?q=ada?nobody", "--query", "length([])"]);
    expect(found).toMatchObject({ code: 0, stdout: "0\n" });
  });

  it("--all fetches all pages, --limit as many as needed; a cut list is reported", async () => {
    const cut = await wcs("api GET /units -f limit=1 --query [].name");
    expect(JSON.parse(cut.stdout)).toEqual(["Acme"]);
    expect(cut.stderr).toMatch(/^Showing only the first one\./);
    expect(JSON.parse((await wcs("api GET /units -f limit=1 --all")).stdout)).toHaveLength(3);
    expect(JSON.parse((await wcs("api GET /units --limit 1")).stdout)).toHaveLength(1);
  });
});

describe("webhooks", () => {
  const receiver = createServer((request, response) => {
    response.writeHead(request.url === "/good" ? 200 : 500, { "content-type": "application/json" });
    response.end('{"received":true}');
  });
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  });
  afterAll(() => receiver.close());

  it("webhooks create says that the secret is not shown again, and webhooks test why an address is refused", async () => {
    const { stdout, stderr } = await sit(`webhooks create --name good --uri ${url}/good --triggers user.create`);
    expect(stdout).toContain("whsec_");
    expect(stderr).toMatch(/^Store the secret now; it cannot be shown again\.$/m);
    const refused = await wcs("webhooks test good");
    expect([refused.code, refused.stderr]).toEqual([9, expect.stringContaining("webhooks.allow_private is off")]);
    await wcs("settings set webhooks.allow_private true");
    expect((await sit(`webhooks create --name bad --uri ${url}/bad`)).code).toBe(0);
  });

  it("webhooks create --if-not-exists: shows the same webhook, and the differences of another one", async () => {
    const same = await wcs(
      `webhooks create --name good --uri ${url}/good --triggers user.create --if-not-exists --query id`,
    );
    expect(same).toMatchObject({ stdout: "1\n", code: 0 });
    const other = await wcs(`webhooks create --name good --uri ${url}/x --triggers user.delete --if-not-exists`);
    expect(other).toMatchObject({ stdout: "", code: 7 });
    expect(other.stderr).toContain(`uri is ${url}/good, not ${url}/x; triggers are user.create, not user.delete.`);
    expect(other.stderr).toContain(`with wcs webhooks update 1 --uri ${url}/x --triggers user.delete\n`);
  });

  it("webhooks test: exit 9 when the call failed, with the result on stdout", async () => {
    expect(await wcs("webhooks test good --query status")).toMatchObject({ stdout: "200\n", code: 0 });
    expect(await wcs("webhooks test bad --query status")).toMatchObject({ stdout: "500\n", code: 9 });
  });

  it("webhooks log: JSON bodies are indented", async () => {
    const { stdout: entry } = await wcs("webhooks logs good --query [0].id");
    const { stdout } = await sit(`webhooks log good ${entry.trim()}`);
    expect(stdout).toMatch(/^Request\n(.+\n)+\n\{\n {2}"type": "/m);
    expect(stdout).toMatch(/^Response\n(.+\n)+\n\{\n {2}"received": true\n\}\n$/m);
  });
});

describe("messages", () => {
  it.each([
    ["untis list", "wcs units"],
    ["usr list", "wcs users"],
    ["uers list", "wcs users"],
  ])("%s leads to %s", async (line, command) => {
    expect((await wcs(line)).stderr).toContain(`hint: Did you mean '${command}'?`);
  });

  it("an empty list names its items", async () => {
    const { stdout: id } = await home().wcs(
      "events create --type user --title Empty --all-day --date 2031-01-01 --query id".split(" "),
    );
    expect((await sit(`events participants ${id.trim()}`)).stderr).toBe("No participants.\n");
    const post = await wcs("posts create --content-type news --title Quiet --query id");
    expect((await sit(`posts comments list ${post.stdout.trim()}`)).stderr).toBe("No comments.\n");
    expect((await sit("audit list --since +1d")).stderr).toBe("No entries.\n");
    expect((await sit(`events files list ${id.trim()}`)).stderr).toBe("No files.\n");
  });

  it("export: the noun agrees with the number", async () => {
    const { stderr } = await wcs(`units export ${home().path("units.csv")}`);
    expect(stderr).toMatch(/^Exported 1 unit to /m);
    const { stderr: events } = await wcs(`events export --from 2031-01-01 --to 2031-01-01 -o ${home().path("e.ics")}`);
    expect(events).toMatch(/^Exported 1 event to /m);
  });

  it("profile add: a configuration that cannot be written", async () => {
    const file = home().path("in-the-way");
    writeFileSync(file, "");
    const folders = {
      [`${file}/config`]: "ENOTDIR",
      [file]: "EEXIST",
      ...(hasProc && { "/proc/none/config": "ENOENT" }),
    };
    for (const [folder, code] of Object.entries(folders)) {
      const env = { WCS_CONFIG_DIR: folder };
      const result = await home().wcs(["profile", "add", "x", "--url", "http://127.0.0.1:1"], { env });
      expect(result.code, folder).toBe(2);
      expect(result.stderr).toMatch(
        /^error: The configuration in .* cannot be written \(E\w+\)\.\nhint: Set WCS_CONFIG/,
      );
      expect(result.stderr).toContain(`(${code}`);
    }
  });

  it("timezones list takes --limit", async () => {
    const { stdout, stderr } = await wcs("timezones list --limit 2 --fields name --no-header");
    expect(stdout.trim().split("\n")).toHaveLength(2);
    expect(stderr).toBe("Showing the first 2. Use a higher --limit for more.\n");
  });

  it("users deactivate needs a confirmation, but can be undone", async () => {
    expect((await wcs("users deactivate bo@example.com")).stderr).toMatch(/^error: Needs a confirmation\./);
    expect((await wcs("users delete bo@example.com")).stderr).toMatch(/^error: Cannot be undone\./);
  });

  it("settings set mail.smtp_url takes a URL without a password from the line, and no other", async () => {
    expect((await wcs("settings set mail.smtp_url smtp://mail.example.com:25")).code).toBe(0);
    expect((await wcs("settings set mail.smtp_url smtp://u:p@mail.example.com:25")).code).toBe(2);
  });

  it("a command whose callbacks cannot be sent, because another process writes for long, ends with 0 and says so", async () => {
    await wcs("webhooks create --name held --uri http://127.0.0.1:9/ --triggers user.create");
    const other = new DatabaseSync(home().path("data/wcs/wcs.db"));
    const line = "users create --first-name Cy --last-name Held --email cy@example.com --unit 1";
    const onWrite = () => other.exec("begin immediate");
    const made = await home().sit(line.split(" "), { env: home().env, onWrite });
    other.close();
    await wcs("webhooks delete held --yes");
    expect(made.code).toBe(0);
    expect(made.stderr).toContain("Sending callbacks failed. The database is busy; try again.\n");
    expect(made.stderr).toMatch(/^\d callbacks could not be sent yet\. /m);
  });

  it("a change waits longer than a transaction for a process that writes, and gives up after --timeout", async () => {
    const path = home().path("data/wcs/wcs.db");
    const [other, database] = [new DatabaseSync(path), await openDatabase(path)];
    other.exec("begin immediate");
    const patient = wcs("units create --parent 1 --name Patient");
    const hasty = wcs("units create --parent 1 --name Hasty --timeout 1s");
    expect(await hasty).toMatchObject({ code: 8, stderr: expect.stringContaining("The database is busy; try again.") });
    // Fails when a transaction has waited for its time, and so after the first one of the patient command.
    await expect(database.write(async () => {})).rejects.toThrow("database is locked");
    other.close();
    expect(await patient).toMatchObject({ code: 0 });
    await database.close();
  });

  it("a command reports its own callbacks that were not sent, and no others", async () => {
    await wcs("webhooks update bad --no-active");
    await wcs("webhooks create --name lost --uri http://127.0.0.1:9/ --triggers unit.create");
    const made = await wcs("units create --name Lost --parent 1");
    expect(made.stderr).toMatch(/^1 callback could not be sent yet\. .* without one, run wcs webhooks deliver\.$/m);
    await wcs(`profile add lost --db ${home().path("data/wcs/wcs.db")}`);
    const elsewhere = await wcs("units create --name Elsewhere --parent 1 --profile lost");
    expect(elsewhere.stderr).toMatch(/ run wcs webhooks deliver --profile lost\.$/m);
    await changeDirectly(home().path("data/wcs/wcs.db"), (tx) =>
      tx
        .updateTable("deliveries")
        .set((eb) => ({ created_at: eb("created_at", "-", 10) }))
        .execute(),
    );
    expect((await wcs("users update 1 --title Boss")).stderr).toBe("");
  });
});

describe("serve", () => {
  it.each([
    ["pretty", /^\d\d:\d\d:\d\d INFO {2}finishing$/m],
    ["json", /^\{"level":30,.*"msg":"finishing"\}$/m],
    ["auto", /^\{"level":30,.*"msg":"finishing"\}$/m],
  ])("--log-format %s", async (format, line) => {
    const child = start(["serve", "--port", "0", "--log-format", format, "--shutdown-notice", "0"], home().env);
    const ended = finished(child, "");
    await once(child.stdout!, "data");
    child.kill("SIGTERM");
    expect((await ended).stderr).toMatch(line);
  });
});
