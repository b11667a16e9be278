import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { topics } from "../../src/cli/help/help-topics.ts";
import { fieldsOf } from "../../src/contract/field-spec.ts";
import { settings as contract } from "../../src/contract/settings.ts";
import { finished, newHome, start, useHome } from "./support.ts";

const home = useHome();
const config = () => JSON.parse(readFileSync(home().path("config/config.json"), "utf8"));

describe("wcs init", () => {
  it("asks for values that are not given, until they are valid", async () => {
    const fresh = newHome();
    const answers = ["nope", "ada@example.com", "Ada", "Ada King Lovelace", "", "correct horse 9", "correct horse 9"];
    const { code, stdout, stderr } = await fresh.sit(["init"], { answers });
    expect(stderr).toContain("> must be an e-mail address like ann@example.com");
    expect(stderr).toContain("> must be a first and a last name");
    expect({ code, database: stdout.split("\n")[0] }).toEqual({
      code: 0,
      database: `database\t${fresh.path("data/wcs/wcs.db")}`,
    });
    expect(statSync(fresh.path("data/wcs/wcs.db")).mode & 0o077).toBe(0);
    const me = JSON.parse((await fresh.sit(["users", "current", "--json"])).stdout);
    expect(me).toMatchObject({
      first_name: "Ada",
      last_name: "King Lovelace",
      admin: true,
      unit: { name: "Organisation" },
    });
    const login = ["auth", "login", "--db", fresh.path("data/wcs/wcs.db"), "--username", "ada@example.com"];
    expect((await fresh.sit([...login, "--password-stdin"], { stdin: "correct horse 9" })).code).toBe(0);
  });

  it("names all missing flags at once without a terminal", async () => {
    const { code, stderr } = await newHome().sit(["init"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "error: Missing --admin-email, --admin-name.\n" });
    const first = ["init", "--db", home().path("wrong.db")];
    const wrong = await home().wcs([...first, "--admin-email", "nobody", "--admin-name", "Ada", "--root-unit", " "]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/^error: --admin-email must .*; --admin-name must .*; --root-unit must .*\.\n$/);
    const both = await home().wcs([...first, "--admin-email", "nobody"]);
    expect(both.stderr).toMatch(/^error: Missing --admin-name; --admin-email must .*\.\n$/);
  });

  it.skipIf(!existsSync("/proc/self"))("init ends where no folder can be created", async () => {
    const line = ["init", "--db", "/proc/missing/wcs.db", "--no-profile", "--admin-email", "a@example.com"];
    const { code, stderr } = await newHome().spawn([...line, "--admin-name", "Ann Smith"]);
    expect(code).toBe(8);
    expect(stderr).toContain("/proc/missing/wcs.db cannot be opened (ENOENT)");
  });

  it("refuses a weak password, and creates nothing", async () => {
    const fresh = newHome();
    const args = ["init", "--db", fresh.path("x.db"), "--admin-email", "a@example.com", "--admin-name", "A B"];
    expect((await fresh.sit([...args, "--password-stdin"], { stdin: "password" })).code).toBe(3);
    expect(existsSync(fresh.path("x.db"))).toBe(false);
    expect(existsSync(fresh.path("config"))).toBe(false);
  });

  it("exits with 7 for an existing database, and does not change it", async () => {
    const before = readFileSync(home().path("data/wcs/wcs.db"));
    const { code } = await home().sit(["init", "--admin-email", "eve@example.com", "--admin-name", "Eve E"]);
    expect(code).toBe(7);
    // Nor does it ask first.
    expect(await home().sit(["init"], { answers: [] })).toMatchObject({
      code: 7,
      stderr: expect.not.stringContaining("?"),
    });
    expect(readFileSync(home().path("data/wcs/wcs.db")).equals(before)).toBe(true);
  });

  it("creates no database when its profile cannot be saved", async () => {
    const { sit, path } = newHome();
    writeFileSync(path("file"), "");
    const line = ["init", "--db", path("unkept.db"), "--admin-email", "a@example.com", "--admin-name", "A B"];
    const { code, stderr } = await sit(line, { env: { WCS_CONFIG_DIR: path("file/config") } });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/configuration in .* cannot be written/)]);
    expect(await sit(line)).toMatchObject({ code: 0 });
  });

  it("uses the file that an interrupted init left, and does not change the file of another program", async () => {
    const { sit, path } = home();
    const founder = ["--admin-email", "a@example.com", "--admin-name", "A B", "--no-profile"];
    const left = new DatabaseSync(path("left.db"));
    left.exec("pragma journal_mode = wal; pragma application_id = 0x77637331");
    left.close();
    expect(await sit(["init", "--db", path("left.db"), ...founder])).toMatchObject({ code: 0 });
    expect(await sit(["init", "--db", path("left.db"), ...founder])).toMatchObject({
      code: 7,
      stderr:
        `error: ${path("left.db")} exists already; it was not changed.\n` +
        `hint: Name a new file or an empty database, or use this one with --db '${path("left.db")}'\n`,
    });
    const foreign = new DatabaseSync(path("foreign.db"));
    foreign.exec("create table notes (text)");
    foreign.close();
    const before = readFileSync(path("foreign.db"));
    expect(await sit(["init", "--db", path("foreign.db"), ...founder])).toMatchObject({ code: 7 });
    expect(readFileSync(path("foreign.db")).equals(before)).toBe(true);
  });

  it("creates no profile with --no-profile, and another name for the profile of a second database", async () => {
    const admin = ["--admin-email", "a@example.com", "--admin-name", "A B"];
    const args = (file: string) => ["init", "--db", home().path(file), ...admin];
    await home().sit([...args("two.db"), "--no-profile"]);
    expect(Object.keys(config().profiles)).toEqual(["local"]);
    await home().sit(args("three.db"));
    expect(config()).toMatchObject({
      current: "local-2",
      profiles: { "local-2": { target: home().path("three.db") } },
    });
    await home().sit(["profile", "use", "local"]);
  });
});

describe("wcs profile", () => {
  it("add keeps the name of a host that is called api", async () => {
    const { sit } = home();
    await sit(["profile", "add", "compose", "--url", "http://api/"]);
    expect(JSON.parse((await sit(["profile", "show", "compose", "--json"])).stdout)).toMatchObject({
      target: "http://api",
    });
    await sit(["profile", "remove", "compose", "--yes"]);
  });

  it("add, list, show, use and remove work", async () => {
    const { sit } = home();
    expect((await sit(["profile", "add", "work", "--url", "https://wcs.example.com/api/"])).stderr).toBe(
      "Added profile work.\n",
    );
    expect((await sit(["profile", "add", "work", "--url", "https://x.example.com"])).code).toBe(7);
    expect((await sit(["profile", "remove", "nobody"])).code).toBe(6);
    expect((await sit(["profile", "add", "both", "--url", "https://x.example.com", "--db", "x"])).code).toBe(2);
    const shown = JSON.parse((await sit(["profile", "show", "work", "--json"])).stdout);
    expect(shown).toEqual({
      name: "work",
      current: false,
      target: "https://wcs.example.com",
      user: null,
      signed_in: false,
      expires: null,
    });
    expect((await sit(["profile", "use", "wrok"])).stderr).toContain("Did you mean 'work'?");
    await sit(["profile", "use", "work"]);
    expect(JSON.parse((await sit(["profile", "show", "--json"])).stdout).name).toBe("work");
    await sit(["profile", "remove", "work"]);
    expect(config().current).toBeUndefined();
    expect((await sit(["profile", "show"])).code).toBe(2);
    const lost = await sit(["units", "list"]);
    expect([lost.code, lost.stderr]).toEqual([
      2,
      expect.stringContaining("hint: Choose a profile with wcs profile use"),
    ]);
    await sit(["profile", "use", "local"]);
    expect((await sit(["profile", "list", "--fields", "name,current", "--no-header"])).stdout).toContain(
      "local\tyes\n",
    );
  });

  it("use finds no profile in the properties that every object has", async () => {
    for (const name of ["__proto__", "constructor", "toString"])
      expect((await home().sit(["profile", "use", name])).code, name).toBe(6);
  });

  it("init and auth login name a new profile as a property that every object has", async () => {
    const { sit, path } = newHome();
    const administrator = ["--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace"];
    const made = await sit(["init", "--db", path("c.db"), ...administrator, "--profile", "constructor"]);
    expect([made.stderr, made.code]).toEqual([expect.stringContaining("Profile constructor is now"), 0]);
    const unknown = await sit(["users", "list", "--profile", "toString"]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Unknown profile 'toString'")]);
    const login = ["auth", "login", "--profile", "valueOf", "--username", "ada@example.com", "--password-stdin"];
    const { code, stderr } = await sit([...login, "--db", path("c.db")], { stdin: "wrong" });
    expect([code, stderr]).toEqual([4, expect.stringContaining("is wrong")]);
  });
});

describe("wcs serve and a login over HTTP", () => {
  it("prints the URL, serves the same commands, and ends at SIGTERM", async () => {
    await home().sit(["users", "password", "1", "--password-stdin"], { stdin: "correct horse 9" });
    const server = start(["serve", "--port", "0", "--profile", "local"], home().env);
    const ended = finished(server);
    const url = await new Promise<string>((resolve) =>
      server.stdout?.once("data", (line) => resolve(String(line).trim())),
    );
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    if (process.platform === "linux")
      expect(readFileSync(`/proc/${server.pid}/comm`, "utf8")).toBe("wcs serve --por\n");
    const { sit } = home();
    const login = `auth login --url ${url} --username ada@example.com --password-stdin --profile remote`.split(" ");
    expect((await sit(login, { stdin: "wrong horse 9" })).code).toBe(4);
    expect(config().profiles.remote).toBeUndefined();
    expect((await sit(login, { stdin: "correct horse 9" })).stderr).toContain(
      `Signed in to ${url} as ada@example.com (profile remote).`,
    );
    expect(config().current).toBe("remote");
    for (const line of [
      "units list",
      "units get 2 --json",
      "users get me --fields id,email",
      "units tree",
      "units list --query [].name",
    ]) {
      const remote = await sit(line.split(" "));
      expect(remote, line).toEqual(await sit([...line.split(" "), "--profile", "local"]));
      expect(remote.code).toBe(0);
    }
    const made = async (args: string[]) => (await sit([...args, "--query", "id", "--json"])).stdout.trim();
    const unit = await made(["units", "create", "--name", "Full", "--parent", "1"]);
    const child = await made(["units", "create", "--name", "Child", "--parent", unit]);
    const webhook = await made(["webhooks", "create", "--name", "idle", "--uri", "https://example.com/"]);
    await sit(["webhooks", "update", webhook, "--no-active"]);
    for (const [line, hint] of [
      [`units delete ${unit} --yes`, "--transfer ID"],
      [`webhooks test ${webhook}`, `wcs webhooks update ${webhook} --active`],
    ] as const) {
      const remote = await sit(line.split(" "));
      expect(remote, line).toEqual(await sit([...line.split(" "), "--profile", "local"]));
      expect([remote.code, remote.stderr]).toEqual([7, expect.stringContaining(hint)]);
    }
    for (const id of [child, unit]) await sit(["units", "delete", id, "--yes"]);
    expect(JSON.parse((await sit(["auth", "status", "--json"])).stdout)).toMatchObject({
      target: url,
      profile: "remote",
      login: "token",
    });
    const zone = ["--tz", "Asia/Tokyo"];
    const expires = /^Renewed the token; it expires at (\S+\+09:00)\.\n$/.exec(
      (await sit(["auth", "renew", ...zone])).stderr,
    );
    expect((await home().wcs(["profile", "show", ...zone])).stdout).toContain(`expires\t${expires?.[1]}\n`);
    expect((await sit(["api", "GET", "/healthz", "--query", "status"])).stdout).toBe('"ok"\n');
    const second = await home().wcs(["serve", "--profile", "local", "--port", new URL(url).port]);
    expect(second).toMatchObject({ code: 8, stdout: "" });
    await sit(["auth", "logout"]);
    for (const [flag, value] of [
      ["--profile", "remote"],
      ["--url", url],
    ] as const) {
      const { code, stderr } = await sit(["units", "list", flag, value]);
      expect([code, stderr]).toEqual([
        4,
        expect.stringContaining(`hint: Sign in with wcs auth login ${flag} ${value}\n`),
      ]);
    }
    // None ends it, and none starts the debugger of Node, which would say so on stderr.
    for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const) server.kill(signal);
    expect((await home().wcs(["api", "GET", "/readyz", "--url", url])).code).toBe(0);
    server.kill("SIGTERM");
    const result = await ended;
    expect(result.code).toBe(0);
    expect(result.stdout).toBe(`${url}\n`);
    for (const line of result.stderr.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("msg");
    await sit(["profile", "use", "local"]);
  });

  it("refuses the URL of an instance, and wrong ports and log levels", async () => {
    expect((await home().sit(["serve", "--url", "http://x.example.com"])).code).toBe(2);
    expect((await home().sit(["serve", "--port", "http"])).code).toBe(2);
    expect((await home().sit(["serve", "--log-level", "loud"])).code).toBe(2);
  });
});

describe("wcs api", () => {
  const api = async (...args: string[]) => home().sit(["api", ...args]);

  it("converts fields to the types of the operation", async () => {
    const fields = "-f name=12 -f parent=1 -f contact.phone=0123 -f unit_type=department".split(" ");
    const made = await api("POST", "/units", ...fields);
    expect(JSON.parse(made.stdout)).toMatchObject({ name: "12", unit_type: "department", contact: { phone: "0123" } });
    const { id } = JSON.parse(made.stdout);
    const cleared = await api(
      "patch",
      `api/units/${id}`,
      "-f",
      "contact.phone=null",
      "-f",
      "description=@@home",
      "--query",
      "[contact.phone,description]",
    );
    expect(JSON.parse(cleared.stdout)).toEqual([null, "@home"]);
    const unconfirmed = await api("DELETE", `/units/${id}`);
    expect(unconfirmed).toMatchObject({
      code: 2,
      stderr: "error: DELETE needs a confirmation.\nhint: Pass --yes to confirm.\n",
    });
    expect((await api("DELETE", `/units/${id}`, "--yes")).stderr).toBe("204\n");
    const list = await api("GET", "/units?limit=1", "-f", "name=Sal", "--query", "[].name");
    expect(JSON.parse(list.stdout)).toEqual(["Sales"]);
    const settings = await api("PATCH", "/settings", "-f", "webhooks.timeout=9", "--query", '"webhooks.timeout"');
    expect(settings.stdout).toBe("9\n");
  });

  it("api takes --no-input, also beside --input", async () => {
    const send = (...args: string[]) =>
      home().sit(["api", "PATCH", "/units/1", "-n", "--no-input", ...args], { stdin: "{}" });
    for (const args of [
      ["-f", "name=X"],
      ["--input", "-"],
    ])
      expect(await send(...args)).toMatchObject({ code: 0, stderr: expect.stringContaining("nothing was changed") });
  });

  it("sends a body as it is, and prints the errors of the service", async () => {
    const { code, stdout } = await home().sit(["api", "POST", "/units", "--input", "-", "-n"], {
      stdin: '{"name":"From stdin","parent":1}',
    });
    expect({ code, name: JSON.parse(stdout).name }).toEqual({ code: 0, name: "From stdin" });
    expect((await api("POST", "/units", "-f", "name=x", "-f", "parent=one")).code).toBe(3);
    expect((await api("GET", "/units", "-f", "nmae=x")).code).toBe(3);
    expect((await api("GET", "/units", "-f", "nonsense")).code).toBe(2);
  });

  it.each([
    [["PUT", "/users/1"], "This path supports GET, HEAD, PATCH, DELETE."],
    [["DELETE", "/users/search", "--yes"], "This path supports GET, HEAD."],
  ])("names the methods that a path supports for %j, also on a database", async (args, text) => {
    expect(await api(...args)).toEqual({ code: 2, stdout: "", stderr: `error: ${text}\n` });
  });
});

describe("wcs settings", () => {
  const settings = async (...args: string[]) => home().sit(["settings", ...args]);

  it("list shows all settings, also those that are not set", async () => {
    expect((await settings("list")).stdout).toMatch(/^base_url\t$/m);
  });

  it("set --help explains each setting", async () => {
    const text = (await settings("set", "--help")).stdout.replace(/\s+/g, " ");
    for (const { name, description } of fieldsOf(contract.set)) expect(text).toContain(` ${name} ${description}`);
    expect(text).toContain(" (seconds, default 86400) ");
  });

  it("set changes a setting, and restores its default", async () => {
    expect((await settings("set", "timezone", "Europe/Copenhagen")).stdout).toBe("Europe/Copenhagen\n");
    expect((await settings("get", "timezone", "--json")).stdout).toBe('{\n  "timezone": "Europe/Copenhagen"\n}\n');
    expect((await settings("set", "timezone", "--default")).stdout).toBe("UTC\n");
    expect((await settings("set", "languages", "en,da,de")).stdout).toBe("en,da,de\n");
    expect((await settings("set", "webhooks.allow_private", "yes")).stdout).toBe("true\n");
    const dry = await settings("set", "webhooks.allow_private", "no", "-n");
    expect(dry).toMatchObject({ stdout: "false\n", stderr: "Dry run: nothing was changed.\n" });
    expect((await settings("get", "webhooks.allow_private")).stdout).toBe("true\n");
  });

  it("set names what is wrong with a value", async () => {
    expect((await settings("set", "webhooks.allow_private", "maybe")).code).toBe(2);
    expect((await settings("set", "tokens.lifetime", "soon")).stderr).toBe(
      "error: tokens.lifetime must be an integer, not 'soon'.\nhint: Lifetime of an access token (seconds, default 86400).\n",
    );
    expect((await settings("set", "tokens.lifetime", "1")).code).toBe(3);
    expect((await settings("set", "timezone")).code).toBe(2);
  });
});

it("help shows every topic, and for a command its --help", async () => {
  const program = (await home().sit(["--help"])).stdout;
  const onHelp = (await home().sit(["help", "--help"])).stdout;
  for (const topic of Object.keys(topics)) {
    expect((await home().sit(["help", topic])).stdout.length).toBeGreaterThan(200);
    expect(program).toMatch(new RegExp(`^  ${topic}  +[A-Z]`, "m"));
    expect(onHelp).toMatch(new RegExp(`^  ${topic}  +[A-Z]`, "m"));
  }
  expect(onHelp.split("Global options:")).toHaveLength(2);
  expect(await home().sit(["help", "users", "create"])).toEqual(await home().sit(["users", "create", "--help"]));
  expect(await home().sit(["help"])).toEqual(await home().sit([]));
  expect(await home().sit(["help", "constructor"])).toMatchObject({ code: 2 });
  expect((await home().sit(["users"])).stdout).toContain("Commands:");
});
