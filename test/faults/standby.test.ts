import { sql } from "kysely";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/store/open-database.ts";
import { useHome } from "../cli/support.ts";
import { serve } from "../operations/support.ts";
import { startPostgres } from "../support/postgres.ts";
import { execute } from "../support/template-databases.ts";

const home = useHome({ database: false });
let postgres: Awaited<ReturnType<typeof startPostgres>>;
const db = () => ({ WCS_DB: `${postgres.url}/postgres` });
const administrator = ["--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace", "--root-unit", "Acme"];

beforeAll(async () => {
  postgres = await startPostgres();
  const made = await home().wcs(["init", ...administrator], { env: db() });
  if (made.code !== 0) throw new Error(made.stderr);
});
afterAll(() => postgres.stop());

it("A server whose PostgreSQL comes back as a standby answers 503, reads nothing from it, and goes on after its promotion", async () => {
  const created = await home().wcs(["tokens", "create", "--name", "t", "--scopes", "write", "--json"], { env: db() });
  const headers = { authorization: `Bearer ${JSON.parse(created.stdout).token}`, "content-type": "application/json" };
  const server = await serve(home(), ["--port", "0"], db());
  onTestFinished(() => void server.process.kill("SIGKILL"));
  const unit = (method: string, change?: object) =>
    fetch(`${server.url}/api/units/1`, { method, headers, ...(change && { body: JSON.stringify(change) }) });
  const statuses = async () => [
    (await unit("GET")).status,
    (await unit("PATCH", { name: "Changed" })).status,
    (await fetch(`${server.url}/readyz`)).status,
  ];
  expect(await statuses()).toEqual([200, 200, 200]);
  await postgres.becomeStandby();
  await expect.poll(() => fetch(`${server.url}/readyz`).then(({ status }) => status)).toBe(503);
  for (let round = 0; round < 10; round += 1) expect(await statuses()).toEqual([503, 503, 503]);
  const { error } = (await (await unit("GET")).json()) as { error: { message: string } };
  expect(error.message).toContain("PostgreSQL allows only reads: this server is a standby");
  const title = ["units", "update", "1", "--name", "Renamed"];
  const [read, changed] = [
    await home().wcs(["units", "get", "1"], { env: db() }),
    await home().wcs(title, { env: db() }),
  ];
  expect([read.code, changed.code, changed.stderr]).toEqual([
    0,
    8,
    expect.stringContaining("this server is a standby"),
  ]);
  // As a server before PostgreSQL 14, a command is not told of the standby when it connects.
  const database = await openDatabase(db().WCS_DB);
  onTestFinished(() => database.close());
  const connection = () => sql`select pg_backend_pid() as pid`.execute(database.reader).then(({ rows }) => rows[0]);
  const before = await connection();
  expect(await connection()).toEqual(before);
  await expect(database.write(async () => {})).rejects.toMatchObject({ code: "25006" });
  await expect.poll(connection).not.toEqual(before);
  await execute(db().WCS_DB, "select pg_promote()");
  await expect.poll(statuses).toEqual([200, 200, 200]);
});
