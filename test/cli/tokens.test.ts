import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { start, useHome } from "./support.ts";

const home = useHome();
let machine: string;
beforeAll(async () => {
  const names = ["--first-name", "Nightly", "--last-name", "Import"];
  const { stdout, stderr } = await home().wcs(["users", "create", "--service", ...names, "--unit", "1", "--json"]);
  expect(stderr).toBe("");
  machine = String(JSON.parse(stdout).id);
});

interface Created {
  readonly id: number;
  readonly token: string;
}

it("tokens create --dry-run shows no token, and does not say that it is to be stored", async () => {
  const dry = ["tokens", "create", "--name", "tried", "--scopes", "read", "--dry-run"];
  const { stdout, stderr } = await home().wcs(dry);
  expect(stderr).toBe("Dry run: nothing was changed.\n");
  expect(stdout).toContain("tried");
  expect(stdout).not.toContain("wcs_");
});

async function create(name: string, ...args: readonly string[]): Promise<Created> {
  const { code, stdout, stderr } = await home().wcs(["tokens", "create", "--name", name, ...args, "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "Store the token now; it cannot be shown again.\n" });
  return JSON.parse(stdout);
}

const status = async (token: string, ...args: readonly string[]) =>
  home().wcs(["auth", "status", "--json", ...args], { env: { WCS_TOKEN: token } });

/** Starts a server that adds its log to `log`, and returns its URL. */
async function serve(log: string[] = []): Promise<string> {
  const server = start(["serve", "--port", "0", "--log-level", "debug"], home().env);
  onTestFinished(() => void server.kill("SIGKILL"));
  server.stderr!.on("data", (chunk) => log.push(String(chunk)));
  const [url] = (await once(server.stdout!, "data")) as [Buffer];
  return String(url).trim();
}

it("users create needs --email, except with --service", async () => {
  const person = ["users", "create", "--first-name", "Bo", "--last-name", "Beck", "--unit", "1"];
  expect(await home().wcs(person)).toMatchObject({ code: 2, stderr: expect.stringContaining("Missing --email") });
  const both = await home().wcs([...person, "--service", "--email", "bo@example.com"]);
  expect(both).toMatchObject({ code: 3, stderr: expect.stringContaining("--email") });
});

it("a token is created for a service account, used through WCS_TOKEN, listed and revoked", async () => {
  const { id, token } = await create("ci", "--owner", machine, "--scopes", "read,units.create", "--expires-at", "+90d");
  const env = { WCS_TOKEN: token };
  const url = await serve();
  for (const target of [[], ["--url", url]]) {
    const found = JSON.parse((await status(token, ...target)).stdout);
    expect(found).toMatchObject({
      user: { id: Number(machine), email: null },
      login: "WCS_TOKEN",
      kind: "API token",
      expires: expect.any(Number),
      token: { id, name: "ci" },
      scopes: ["read", "units.create"],
    });
    const { code, stderr } = await home().wcs(["units", "delete", "2", "--yes", ...target], { env });
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining("The scopes of the API token do not cover units.delete."),
    });
    const renewal = await home().wcs(["auth", "token", ...target], { env });
    expect(renewal.stdout).toBe(`${token}\n`);
  }
  const list = await home().wcs(["tokens", "list", "--fields", "id,name", "-o", "csv"]);
  expect(list.stdout).toContain(`${id},ci`);
  expect(await home().wcs(["tokens", "revoke", String(id), "--yes"])).toMatchObject({ code: 0 });
  for (const target of [[], ["--url", url]])
    expect(await status(token, ...target)).toMatchObject({ code: 4, stderr: expect.stringContaining("was revoked") });
});

it("auth status shows name, scopes and expiry of a token, and who owns it, whatever its scopes", async () => {
  const scopes = ["units.list", "groups.*"];
  const { id, token } = await create("narrow", "--owner", machine, "--scopes", scopes.join(), "--expires-at", "+90d");
  const url = await serve();
  for (const target of [[], ["--url", url]]) {
    const { code, stdout, stderr } = await status(token, ...target);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      user: { id: Number(machine), name: "Nightly Import", email: null, admin: null },
      login: "WCS_TOKEN",
      kind: "API token",
      expires: expect.any(Number),
      token: { id, name: "narrow" },
      scopes,
    });
    expect(stdout).not.toContain("wcs_");
    const rows = (await home().wcs(["auth", "status", ...target], { env: { WCS_TOKEN: token } })).stdout;
    expect(rows).toMatch(/^expires\t\d{4}-\d\d-\d\dT.*\ntoken\tnarrow\nscopes\tunits\.list,.?groups\.\*$/m);
  }
});

it("auth status shows e-mail address and rights of the owner where the scopes cover them, with the same fields as without", async () => {
  const reading = await create("reading", "--scopes", "users.current");
  const narrow = await create("unreading", "--scopes", "units.list");
  const [known, unknown] = [await status(reading.token), await status(narrow.token)].map(({ stdout }) =>
    JSON.parse(stdout),
  );
  expect(known).toMatchObject({ user: { id: 1, admin: true }, expires: null, scopes: ["users.current"] });
  expect(unknown.user).toEqual({ ...known.user, email: null, admin: null });
  const selected = await status(narrow.token, "--fields", "user.email,scopes,expires,session");
  expect(selected).toMatchObject({ code: 0, stderr: "" });
});

it("the scope webhooks.* is enough to create a webhook at a private address, without a warning about settings, and to use it by its name", async () => {
  const { token } = await create("hooks", "--scopes", "webhooks.*");
  const run = (...words: string[]) => home().wcs(["webhooks", ...words], { env: { WCS_TOKEN: token } });
  expect(await run("create", "--name", "Own Hook", "--uri", "http://127.0.0.1:9/")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Own Hook"),
    stderr: "",
  });
  expect(await run("get", "own hook")).toMatchObject({ code: 0, stdout: expect.stringContaining("Own Hook") });
  expect(await run("logs", "own hook")).toMatchObject({ code: 0 });
  expect(await run("delete", "own hook", "--yes")).toMatchObject({ code: 0 });
});

it("names that the scopes of a token do not cover: the hint is to give IDs", async () => {
  const { token } = await create("users only", "--scopes", "users.*");
  const person = ["--first-name", "A", "--last-name", "B", "--email", "scoped@example.com"];
  const named = await home().wcs(["users", "create", ...person, "--unit", "Acme"], { env: { WCS_TOKEN: token } });
  expect([named.code, named.stderr]).toEqual([5, expect.stringMatching(/\nhint: Give IDs in place of names, or /)]);
});

it("users update --admin of a service account says that its tokens ended", async () => {
  const job = ["users", "create", "--service", "--first-name", "Night", "--last-name", "Job", "--unit", "1"];
  const id = (await home().sit([...job, "--query", "id"])).stdout.trim();
  const { code, stderr } = await home().sit(["users", "update", id, "--admin"]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`wcs tokens create --owner ${id}.`)]);
  expect((await home().sit(["users", "update", id, "--title", "Nightly"])).stderr).toBe("");
});

it("an API token is never renewed and never written to disk", async () => {
  const { token } = await create("stored", "--scopes", "write");
  const renewal = await home().wcs(["api", "POST", "/renew"], { env: { WCS_TOKEN: token } });
  expect(renewal).toMatchObject({ code: 5, stderr: expect.stringContaining("cannot call auth.renew") });
  expect(readFileSync(home().path("config/config.json"), "utf8")).not.toContain("wcs_");
});

it("doctor warns of API tokens that expire within 14 days", async () => {
  const examine = async (env: Record<string, string> = {}) => {
    const { stdout } = await home().wcs(["doctor", "--json"], { env });
    const findings = JSON.parse(stdout) as { check: string; state: string; message: string }[];
    return Object.fromEntries(findings.map(({ check, ...rest }) => [check, rest]));
  };
  await create("in 15 days", "--scopes", "read", "--expires-at", "+15d");
  expect((await examine())["API tokens"]).toMatchObject({ state: "ok" });
  const { id, token } = await create("in 13 days", "--scopes", "read", "--expires-at", "+13d");
  const found = await examine({ WCS_TOKEN: token });
  expect(found["API tokens"]?.state).toBe("warning");
  expect(found["API tokens"]?.message).toMatch(new RegExp(`^in 13 days \\(${id}\\) expires in 1[23] days?\\.`));
  expect(found.login).toMatchObject({ state: "ok", message: expect.stringContaining("with an API token") });
});

it("a token is in no file, not in the audit log, and not in what --verbose prints", async () => {
  const { token } = await create("secret", "--scopes", "write");
  const printed: string[] = [];
  const url = await serve(printed);
  const env = { WCS_TOKEN: token };
  for (const target of [[], ["--url", url]]) {
    const made = await home().wcs(["units", "create", "--name", "U", "--parent", "1", "--verbose", ...target], { env });
    expect(made.code).toBe(0);
    const audit = await home().wcs(["audit", "list", "--all", "--json", ...target], { env });
    const list = await home().wcs(["tokens", "list", "--json", "--verbose", ...target], { env });
    printed.push(made.stdout, made.stderr, audit.stdout, list.stdout, list.stderr);
  }
  await expect.poll(() => printed.join("\n")).toContain("units.create");
  expect(printed.join("\n")).not.toContain(token.slice(4, 47));
  const files = readdirSync(home().folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  expect(files.map(({ name }) => name)).toContain("wcs.db");
  const holding = files.filter(({ parentPath, name }) => {
    const content = readFileSync(join(parentPath, name));
    return content.includes(token.slice(4, 47));
  });
  expect(holding.map(({ name }) => name)).toEqual([]);
});

it("files of users and organisations leave out service accounts, and pruning keeps them", async () => {
  await home().wcs(["units", "update", "1", "--reference", "HQ"]);
  const file = home().path("acme.yaml");
  expect(await home().wcs(["users", "export", home().path("users.csv")])).toMatchObject({ code: 0 });
  expect(readFileSync(home().path("users.csv"), "utf8")).not.toContain("Nightly");
  await home().wcs(["export", file]);
  expect(readFileSync(file, "utf8")).not.toContain("Nightly");
  expect(await home().wcs(["apply", file, "--prune", "--yes"])).toMatchObject({ code: 0 });
  const { stdout } = await home().wcs(["users", "get", machine, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ active: true });
});

it("apply with a token that cannot deactivate an administrator changes nothing before", async () => {
  const boss = ["--first-name", "Bo", "--last-name", "Boss", "--email", "boss@example.com", "--reference", "boss"];
  await home().wcs(["users", "create", ...boss, "--unit", "1", "--admin"]);
  await home().wcs(["units", "update", "1", "--reference", "HQ"]);
  const { token } = await create("apply", "--scopes", "write");
  const file = home().path("boss.yaml");
  writeFileSync(file, "units: [{reference: HQ, name: Renamed}]\nusers: [{reference: boss, active: false}]\n");
  const name = async () => JSON.parse((await home().wcs(["units", "get", "1", "--json"])).stdout).name;
  const before = await name();
  const refused = { code: 5, stderr: expect.stringContaining("An API token cannot") };
  expect(await home().wcs(["apply", file], { env: { WCS_TOKEN: token } })).toMatchObject(refused);
  expect(await name()).toBe(before);
  expect(await home().wcs(["apply", file])).toMatchObject({ code: 0 });
  expect(await name()).toBe("Renamed");
});
