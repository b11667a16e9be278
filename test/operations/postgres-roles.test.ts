import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { useHome } from "../cli/support.ts";
import { example, filledIn, type Server, serve, writeConfig } from "./support.ts";

const home = useHome({ database: false });
const id = randomUUID().slice(0, 8);
const [owner, app, reader, database] = ["owner", "app", "reader", "db"].map((name) => `wcs_${name}_${id}`) as [
  string,
  string,
  string,
  string,
];
const urlAs = (role: string) => {
  const url = new URL(`${inject("postgresUrl")}/${database}`);
  Object.assign(url, { username: role, password: "secret" });
  return url.href;
};
let server: Server | undefined;

/** Runs statements as the administrator of the server, one by one. */
async function administer(name: string, statements: readonly string[]): Promise<pg.QueryResult[]> {
  const client = new pg.Client(`${inject("postgresUrl")}/${name}`);
  await client.connect();
  const results: pg.QueryResult[] = [];
  try {
    for (const statement of statements) results.push(await client.query(statement));
  } finally {
    await client.end();
  }
  return results;
}
const statementsIn = (text: string) =>
  text
    .replace(/^--.*$/gm, "")
    .split(";")
    .map((each) => each.trim())
    .filter(Boolean);
const wcs = (role: string, ...args: string[]) => home().wcs(args, { env: { WCS_DB: urlAs(role) } });

beforeAll(async () => {
  const script = filledIn(example("postgresql-roles.sql"), {
    "create database wcs owner": `create database ${database} owner`,
    "on database wcs ": `on database ${database} `,
    wcs_owner: owner,
    wcs_app: app,
  });
  const [before = "", after = ""] = script.split("\\connect wcs");
  await administer("postgres", statementsIn(before));
  await administer(database, [
    ...statementsIn(after),
    `create role ${reader} login`,
    `grant connect on database ${database} to ${reader}`,
    `grant usage on schema public to ${reader}`,
    `alter default privileges for role ${owner} in schema public grant select on tables to ${reader}`,
    ...[owner, app, reader].map((role) => `alter role ${role} password 'secret'`),
  ]);
  const made = await wcs(owner, "init", "--admin-email", "ada@example.com", "--admin-name", "Ada A", "--no-profile");
  if (made.code !== 0) throw new Error(made.stderr);
});
afterAll(async () => {
  server?.process.kill("SIGKILL");
  await administer("postgres", [
    `drop database if exists ${database} with (force)`,
    `drop role ${owner}, ${app}, ${reader}`,
  ]);
});

it("the service runs as the role that may only change rows", async () => {
  const path = writeConfig(home(), `db: ${urlAs(app)}\nport: 0\n`);
  const checked = await home().wcs(["serve", "--config", path, "--check", "--query", "[?state=='failed']", "--json"]);
  expect(checked).toMatchObject({ code: 0, stdout: "[]\n" });
  server = await serve(home(), ["--config", path]);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  for (const args of [
    ["units", "create", "--name", "Sales", "--parent", "1"],
    ["users", "create", "--first-name", "Bob", "--last-name", "B", "--email", "bob@example.com", "--unit", "2"],
    ["conversations", "send", "--to", "bob@example.com", "Hello"],
    ["posts", "create", "--content-type", "news", "--title", "News", "--body", "Text", "--visibility-all-units"],
    ["users", "delete", "bob@example.com", "--yes"],
    ["db", "check"],
    ["doctor"],
  ]) {
    const { code, stderr } = await wcs(app, ...args);
    expect({ args, code, stderr }).toMatchObject({ code: 0 });
  }
});

it("the role of the service cannot change the schema", async () => {
  const client = new pg.Client(urlAs(app));
  await client.connect();
  for (const statement of [
    "create table mine (id integer)",
    "drop table users",
    "alter table users add mine integer",
    "truncate users cascade",
  ])
    await expect(client.query(statement)).rejects.toMatchObject({ code: "42501" });
  await client.end();
});

it("a running server keeps others from migrating", async () => {
  const held =
    "select 1 from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and database = (select oid from pg_database where datname = current_database())";
  const locks = async () => (await administer(database, [held]))[0]?.rowCount;
  await expect.poll(locks).toBe(1);
});

it("a role that lacks rights: the server does not start, and --check names the tables", async () => {
  const refused = await home().spawn(["serve", "--port", "0"], { env: { WCS_DB: urlAs(reader) } });
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([
    8,
    "",
    expect.stringMatching(
      /^error: The PostgreSQL user may not read and change the tables \w+, \w+, \w+ and \d+ more\. Grant it select, insert, update and delete on all tables of the schema\.\n/,
    ),
  ]);
  const checked = await wcs(reader, "serve", "--check", "--port", "0", "--query", "[?state=='failed'].check", "--json");
  expect([checked.code, JSON.parse(checked.stdout)]).toEqual([9, ["rights"]]);
});

it.each(["select", "insert", "update", "delete"])("a role that may not %s in one table: it is named", async (right) => {
  await administer(database, [`revoke ${right} on sessions from ${app}`]);
  const query = ["--query", "[?state=='failed'].message", "--json"];
  const { stdout } = await wcs(app, "serve", "--check", "--port", "0", ...query);
  await administer(database, [`grant ${right} on sessions to ${app}`]);
  expect(JSON.parse(stdout)).toEqual([expect.stringContaining("may not read and change the tables sessions. Grant")]);
});

it("a role that may only read: the server does not start, and --check, doctor and changes say so", async () => {
  const said = expect.stringContaining("PostgreSQL allows only reads");
  await administer("postgres", [`alter role ${app} set default_transaction_read_only = on`]);
  const refused = await home().spawn(["serve", "--port", "0"], { env: { WCS_DB: urlAs(app) } });
  expect(refused).toMatchObject({ code: 8, stdout: "", stderr: said });
  const [checked, examined] = [
    await wcs(app, "serve", "--check", "--port", "0", "--query", "[?state=='failed']", "--json"),
    await wcs(app, "doctor", "--query", "[?state=='failed']", "--json"),
  ];
  expect([checked.code, JSON.parse(checked.stdout)]).toEqual([
    9,
    [{ check: "rights", state: "failed", message: said }],
  ]);
  expect([examined.code, JSON.parse(examined.stdout)]).toEqual([
    9,
    [{ check: "database", state: "failed", message: said }],
  ]);
  const change = await wcs(app, "units", "create", "--name", "Sales", "--parent", "1");
  expect(change).toMatchObject({ code: 8, stderr: said });
});

it("db check as the owner names what a restore with errors left out, and triggers of others", async () => {
  const structure = async (role: string) =>
    JSON.parse((await wcs(role, "db", "check", "--query", "[?check=='structure'].message", "--json")).stdout);
  expect(await structure(app)).toEqual([]);
  expect(await structure(owner)).toEqual([expect.stringMatching(/^All /)]);
  await administer(database, [
    "create trigger settings_version after insert on memberships execute function change_settings_version()",
    "drop index deliveries_waiting",
    "alter table memberships drop constraint memberships_user_id_fkey",
    "alter table settings disable trigger settings_version",
  ]);
  const foreign = "the trigger settings_version on memberships is not that of wcs";
  const missing = ["foreign key memberships_user_id_fkey", "index deliveries_waiting"];
  expect(await structure(owner)).toEqual([
    `${[foreign, ...missing.map((object) => `the ${object} is missing`)].join("; ")}; 4 in total.`,
  ]);
  await administer(database, ["drop trigger settings_version on memberships"]);
  missing.push("trigger settings_version on settings");
  expect(await structure(owner)).toEqual([`${missing.map((object) => `the ${object} is missing`).join("; ")}.`]);
});
