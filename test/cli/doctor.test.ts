import { chmodSync, openSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { databaseChecks } from "../../src/cli/commands/doctor/check-database-facts.ts";
import { instanceChecks } from "../../src/cli/commands/doctor/check-instance.ts";
import { machineChecks, oldestNode } from "../../src/cli/commands/doctor/check-machine.ts";
import { loginChecks } from "../../src/cli/commands/doctor/check-service.ts";
import { version } from "../../src/cli/session/version.ts";
import { freePort } from "../support/free-port.ts";
import { asArgument, newInstanceDatabase } from "../support/instance.ts";
import { newHome, serveHere, useHome } from "./support.ts";

const home = useHome();
const database = () => home().path("data/wcs/wcs.db");
const config = () => home().path("config/config.json");

interface Found {
  readonly code: number | null;
  /** States by check. */
  readonly states: Record<string, string>;
  readonly messages: Record<string, string>;
}

/** Runs wcs doctor without a terminal. */
async function examine(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Found> {
  const { code, stdout } = await home().sit(["doctor", "--json", ...args], { env });
  const findings = JSON.parse(stdout) as { check: string; state: string; message: string }[];
  const by = (field: "state" | "message") => Object.fromEntries(findings.map((each) => [each.check, each[field]]));
  return { code, states: by("state"), messages: by("message") };
}

/** Changes rows behind the program's back. */
function sql(text: string): void {
  const db = new DatabaseSync(database());
  db.exec(text);
  db.close();
}

const bad = ({ states }: Found) =>
  Object.keys(states)
    .filter((check) => states[check] !== "ok")
    .sort();

it("doctor warns of unset settings in a new database, and nothing fails", async () => {
  const found = await examine();
  expect(found.code).toBe(0);
  // The disk of this machine may be nearly full.
  expect(bad(found).filter((check) => check !== "disk space")).toEqual(["base_url", "mail", "secrets"]);
  expect(Object.keys(found.states)).toEqual([
    "node",
    "configuration",
    "configuration folder",
    "configuration file",
    "database",
    "database file",
    "integrity",
    "secrets",
    "disk space",
    "callbacks",
    "mails waiting",
    "mails given up",
    "login",
    "rights",
    "API tokens",
    "base_url",
    "mail",
    "mail.allow_plain",
    "webhooks.allow_private",
    "webhooks disabled",
    "webhooks failing",
  ]);
});

it("doctor on a terminal prints a wrapped line for each finding, and counts the failures at the end", async () => {
  const { code, stdout, stderr } = await home().sit(["doctor", "--db", home().path("none.db")], {
    screen: { width: 60, height: 40 },
  });
  expect(code).toBe(9);
  expect(stderr).toBe("error: 1 check of 5 failed.\n");
  expect(stdout).toMatch(/^ok +node +This is Node /);
  expect(stdout).toMatch(/\nfailed +target +There is no database at/);
  expect(
    Math.max(
      ...stdout
        .replaceAll(home().folder, "")
        .split("\n")
        .map((line) => line.length),
    ),
  ).toBeLessThan(64);
});

it("doctor without a terminal prints rows of check, state and message", async () => {
  const { stdout } = await home().sit(["doctor"], {});
  const [header, first] = stdout.split("\n");
  expect(header).toBe("check\tstate\tmessage");
  expect(first).toMatch(/^node\tok\tThis is Node /);
});

it("doctor reports that no target is selected", async () => {
  const empty = newHome();
  const { code, stdout } = await empty.sit(["doctor", "--json"]);
  expect(code).toBe(9);
  expect(JSON.parse(stdout).at(-1)).toMatchObject({
    check: "target",
    state: "failed",
    message: expect.stringMatching(/wcs init/),
  });
});

it("doctor requires the Node version of package.json", () => {
  const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(engines.node).toBe(`>=${oldestNode}`);
  const facts = { folder: { path: "x", mode: undefined }, file: { path: "x", mode: undefined }, broken: undefined };
  const stateOn = (node: string) => machineChecks.node?.({ node, ...facts })?.state;
  expect(["20.20.2", "24.14.9", "24.15.0", "25.0.0"].map(stateOn)).toEqual(["failed", "failed", "ok", "ok"]);
});

it("doctor names the command that checks the contents of the same database", async () => {
  const [profile = ""] = Object.keys(JSON.parse(readFileSync(config(), "utf8")).profiles);
  const copy = home().path("ada's.db");
  expect((await home().sit(["db", "backup", copy])).code).toBe(0);
  const hints = [];
  for (const target of [[], ["--db", copy], ["--profile", profile]]) {
    const { messages } = await examine(target);
    hints.push(/wcs (db check.*)\.$/.exec(messages.database ?? "")?.[1]);
  }
  const quoted = home().path("ada'\\''s.db");
  expect(hints).toEqual(["db check", `db check --db '${quoted}'`, `db check --profile ${profile}`]);
});

it("doctor finds a configuration that others can read, or that is invalid", async () => {
  chmodSync(home().path("config"), 0o755);
  chmodSync(config(), 0o644);
  const open = await examine();
  expect(open).toMatchObject({ code: 9, states: { "configuration folder": "failed", "configuration file": "failed" } });
  expect(open.messages["configuration file"]).toContain(`chmod 0600 '${config()}'`);
  chmodSync(home().path("config"), 0o700);
  chmodSync(config(), 0o600);
  const text = readFileSync(config());
  writeFileSync(config(), "{");
  expect(await examine()).toMatchObject({ code: 9, states: { configuration: "failed", target: "failed" } });
  // A database by its path needs nothing of it.
  const { states } = await examine(["--db", database()]);
  expect([states.configuration, states.target, states.integrity]).toEqual(["failed", undefined, "ok"]);
  writeFileSync(config(), text);
});

it("doctor finds a database file that others can read", async () => {
  chmodSync(database(), 0o644);
  expect((await examine()).states["database file"]).toBe("failed");
  chmodSync(database(), 0o600);
});

it("doctor finds a damaged page, and a file that is no database", async () => {
  sql("pragma wal_checkpoint(truncate)");
  const whole = readFileSync(database());
  const { size } = statSync(database());
  const file = openSync(database(), "r+");
  // Pages of tables that nothing reads on the way.
  const db = new DatabaseSync(database());
  const { page } = db
    .prepare("select rootpage as page from sqlite_master where name = 'webhook_logs_created'")
    .get() as { page: number };
  db.close();
  writeSync(file, Buffer.alloc(100, 7), 0, 100, (page - 1) * 4096);
  const damaged = await examine();
  expect(damaged).toMatchObject({ code: 9, states: { integrity: "failed" } });
  // Without the heading that SQLite puts above the first damage.
  expect(damaged.messages.integrity).toMatch(/^[^*]*restore a backup/);
  truncateSync(database(), 5000);
  expect(await examine()).toMatchObject({ code: 9, states: { target: "failed" } });
  expect(size).toBe(whole.length);
  writeFileSync(database(), whole);
  expect((await examine()).states.integrity).toBe("ok");
});

it("doctor checks the queue on PostgreSQL, and no files", async () => {
  const { target, remove } = await newInstanceDatabase("postgres");
  const argument = asArgument(target);
  const local = ["--db", argument.target];
  Object.assign(process.env, argument.env);
  await home().sit(["users", "welcome", "1", ...local]);
  const found = await examine(local);
  expect(found).toMatchObject({
    code: 9,
    states: { database: "ok", callbacks: "ok", "mails waiting": "failed", login: "ok" },
  });
  expect(Object.keys(found.states)).not.toContain("integrity");
  expect(found.messages.login).toContain("Ada Admin");
  await remove();
});

it("doctor judges disk space and callbacks by their numbers", () => {
  const facts = {
    checkLine: "wcs db check",
    missingRights: undefined,
    missingForMail: [],
    secrets: { plain: 0, encrypted: 1, keyId: "k" },
    now: 1_000_000,
    outbox: { due: 3, later: 1, mails: 0, failedMails: 0, sending: 0, oldestDue: 100_000, oldestMail: undefined },
  };
  const free = (mebibytes: number) =>
    databaseChecks["disk space"]?.({
      ...facts,
      file: { path: "x", mode: 0o600, damage: undefined, freeBytes: mebibytes * 1_048_576 },
    })?.state;
  expect([99, 100, 1023, 1024].map(free)).toEqual(["failed", "warning", "warning", "ok"]);
  const slow = { ...facts, file: undefined, outbox: { ...facts.outbox, sending: 1 } };
  expect(databaseChecks.callbacks?.(slow)).toMatchObject({ state: "warning", message: expect.stringMatching(/slow/) });
  expect(databaseChecks.integrity?.(slow)).toBeUndefined();
});

it("doctor warns of a login that expires soon, has expired or is no administrator's", async () => {
  const user = { name: "Ada", admin: true };
  const left = (seconds: number) =>
    loginChecks.login?.({ user, expires: 10_000 + seconds, apiToken: false, now: 10_000 })?.state;
  expect([3599, 3600].map(left)).toEqual(["warning", "ok"]);
  const past = `x.${Buffer.from(JSON.stringify({ iat: 1, exp: 2 })).toString("base64url")}.x`;
  expect(await examine([], { WCS_TOKEN: past })).toMatchObject({ code: 9, states: { login: "failed" } });
  await home().sit("users create --first-name Bo --last-name B --email bo@example.com --unit 1".split(" "));
  const plain = await examine(["--as", "bo@example.com"]);
  expect(plain).toMatchObject({ code: 0, states: { rights: "warning" } });
  expect(plain.states).not.toHaveProperty("base_url");
});

it("doctor checks the settings base_url, mail, allow_plain and allow_private", async () => {
  const set = (key: string, value: string) => home().sit(["settings", "set", key, value]);
  await set("webhooks.allow_private", "true");
  await set("mail.allow_plain", "true");
  await set("base_url", "https://wcs.example.com");
  await set("mail.from", "wcs@example.com");
  const half = await examine();
  expect(half.states).toMatchObject({
    "webhooks.allow_private": "warning",
    "mail.allow_plain": "warning",
    base_url: "ok",
    mail: "warning",
  });
  expect(half.messages.mail).toBe("No mail is sent. Set mail.smtp_url with wcs settings set.");
  expect((await examine([], { WCS_SETTING_MAIL_SMTP_URL: "smtp://127.0.0.1:1" })).states.mail).toBe("ok");
});

it("doctor finds mails that cannot be sent, wait for long or were given up", async () => {
  await home().sit(["users", "welcome", "1"]);
  const stuck = await examine();
  expect(stuck).toMatchObject({ code: 9, states: { "mails waiting": "failed" } });
  expect(stuck.messages["mails waiting"]).toMatch(
    /^1 mail not sent, the oldest for \d+ seconds?\. No mail is sent until mail.smtp_url is set/,
  );
  const smtp = { WCS_SETTING_MAIL_SMTP_URL: "smtp://127.0.0.1:1" };
  expect((await examine([], smtp)).states["mails waiting"]).toBe("ok");
  sql("update mails set created_at = created_at + 100000");
  expect((await examine()).messages["mails waiting"]).toContain("the oldest for 0 seconds");
  sql("update mails set created_at = created_at - 107200");
  expect(await examine([], smtp)).toMatchObject({
    code: 0,
    states: { "mails waiting": "warning" },
    messages: { "mails waiting": expect.stringContaining("the oldest for 2 hours") },
  });
  sql("update mails set state = 'failed'");
  expect((await examine()).states).toMatchObject({ "mails waiting": "ok", "mails given up": "warning" });
  sql("delete from mails");
});

it("doctor finds overdue callbacks, and failing and disabled webhooks", async () => {
  await home().sit(["webhooks", "create", "--name", "ci", "--uri", `http://127.0.0.1:${await freePort()}/`]);
  await home().sit(["units", "create", "--name", "One", "--parent", "1"]);
  const failing = await examine();
  expect(failing).toMatchObject({ code: 9, states: { callbacks: "ok", "webhooks failing": "failed" } });
  expect(failing.messages["webhooks failing"]).toContain("wcs webhooks logs 1");
  // More than two hours, however long the commands before took.
  sql("update deliveries set due_at = due_at - 7500000");
  const overdue = await examine();
  expect(overdue.states.callbacks).toBe("failed");
  expect(overdue.messages.callbacks).toMatch(/^1 callback overdue, the oldest for 2 hours. No process is sending them/);
  sql("update webhooks set active = 0, disabled_at = 1, disabled_reason = 'failing'");
  const disabled = await examine();
  expect(disabled.states).toMatchObject({ "webhooks disabled": "warning", "webhooks failing": "ok" });
  expect(disabled.messages["webhooks disabled"]).toContain("wcs webhooks recover 1");
});

describe("doctor of an instance", () => {
  /** Answers as an instance of the given kind would. */
  const stand = { ready: 200, health: 200, version: version as string | undefined, date: 0, html: false };
  const server = http.createServer((request, response) => {
    const path = request.url?.replace("/api", "");
    if (stand.date !== 0) response.setHeader("date", new Date(Date.now() + stand.date * 1000).toUTCString());
    response.statusCode = path === "/readyz" ? stand.ready : path === "/healthz" ? stand.health : 200;
    response.end(
      path === "/openapi.json"
        ? JSON.stringify({ info: { "x-wcs-version": stand.version } })
        : stand.html
          ? "<p>Welcome"
          : '{"status":"ok"}',
    );
  });
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());
  const as = (kind: Partial<typeof stand>) => {
    Object.assign(stand, { ready: 200, health: 200, version, date: 0, html: false }, kind);
    return examine(["--url", url]);
  };

  it("finds one that is not ready, not wcs, of another version or with another clock", async () => {
    expect(await as({ ready: 503 })).toMatchObject({ code: 9, states: { instance: "failed" } });
    expect(await as({ health: 404, version: undefined })).toMatchObject({
      code: 9,
      states: { instance: "failed", version: "warning" },
    });
    const page = await as({ html: true });
    expect([page.states.instance, page.messages.instance]).toEqual(["failed", expect.stringContaining("HTTP_PROXY")]);
    const stopped = await as({ health: 502, version: undefined, html: true });
    expect(stopped.messages.instance).toMatch(/\(status 502\)\. A proxy .* Check that the service is running\.$/);
    expect(stopped.states).not.toHaveProperty("version");
    expect((await as({ ready: 503, version: undefined })).states).not.toHaveProperty("version");
    const older = await as({ version: "0.0.9" });
    expect(older.states).toMatchObject({ instance: "ok", version: "warning", clock: "ok" });
    expect(older.messages.version).toContain("0.0.9");
    expect((await as({ date: 60 })).messages.clock).toMatch(/[56]\d seconds|minute/);
    expect((await as({ date: 60 })).states.clock).toBe("warning");
    expect((await as({ date: -3600 })).states.clock).toBe("failed");
  });

  it("does not judge the clock of an instance that sends no Date header", () => {
    const facts = { address: "x", health: 200, isOurs: true, ready: 200, version, ahead: undefined };
    expect(instanceChecks.clock?.(facts)).toBeUndefined();
  });

  it("reports an instance that cannot be reached", async () => {
    const found = await examine(["--url", `http://127.0.0.1:${await freePort()}`]);
    expect(found).toMatchObject({ code: 9, states: { target: "failed" } });
  });

  it("checks a running instance without a login, and with one", async () => {
    // Fails when the server does not start, as after a test that left something broken.
    const { url: address, close } = await serveHere(["--port", "0", "--log-level", "silent"], home().env);
    onTestFinished(close);
    const stranger = await examine(["--url", address]);
    expect(stranger).toMatchObject({
      code: 9,
      states: { instance: "ok", version: "ok", clock: "ok", login: "failed" },
    });
    const token = (await home().sit(["auth", "token"])).stdout.trim();
    const known = await examine(["--url", address], { WCS_TOKEN: token });
    expect(known.code).toBe(0);
    expect(known.states).toMatchObject({ login: "ok", rights: "ok", base_url: "ok", "webhooks disabled": "warning" });
    expect(known.messages.login).toMatch(/expires in (23|24) hours|day/);
  });
});
