import { StatementSync } from "node:sqlite";
import pg from "pg";
import { allOperations } from "../../src/contract/all-operations.ts";
import { auth } from "../../src/contract/auth.ts";
import { createService } from "../../src/core/service.ts";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/server/listen.ts";
import { openDatabase } from "../../src/store/open-database.ts";

export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** Returns the statements that a service runs for GETs, by path; `askers` has the user who asks by path. */
export async function recordStatements(
  target: string,
  askers: ReadonlyMap<string, number>,
): Promise<Map<string, Statement[]>> {
  let recorded: Statement[] = [];
  const restore = [recordPostgres((each) => recorded.push(each)), recordSqlite((each) => recorded.push(each))];
  const database = await openDatabase(target);
  const service = createService({ database });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const app = createApp({
    operations: await allOperations(),
    invoke: service.invoke,
    admit: service.admit,
    bodyLimit: 1_048_576,
    uploadLimit: 41_943_040,
    log,
    ready: async () => true,
    baseUrl: service.baseUrl,
    instance: service.instance,
    version: "0.0.0",
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0, timeouts: { notice: 0 } });
  const get = async (path: string, jwt: string | undefined) =>
    void (await (await fetch(server.url + path, { headers: { authorization: `Bearer ${jwt}` } })).text());
  const found = new Map<string, Statement[]>();
  const tokens = new Map<number, string>();
  for (const [path, userId] of askers) {
    if (!tokens.has(userId)) {
      const [{ jwt }] = await service.caller({ userId }).call(auth.renew, {});
      tokens.set(userId, jwt);
      // Loads what is kept in memory.
      await get(path, jwt);
    }
    recorded = [];
    await get(path, tokens.get(userId));
    found.set(path, recorded);
    // The next user signs in with statements of their own.
    recorded = [];
  }
  await server.close();
  for (const undo of restore) undo();
  await database.close();
  return found;
}

function recordPostgres(record: (statement: Statement) => void): () => void {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [first, second] = given as [string | { text: string; values?: unknown[] }, unknown[]?];
    if (typeof first === "string") record({ text: first, values: second ?? [] });
    else if ("text" in first) record({ text: first.text, values: first.values ?? second ?? [] });
    return (query as (...all: unknown[]) => unknown).apply(this, given);
  } as typeof query;
  return () => {
    pg.Client.prototype.query = query;
  };
}

function recordSqlite(record: (statement: Statement) => void): () => void {
  const { all } = StatementSync.prototype;
  StatementSync.prototype.all = function (this: StatementSync, ...values: unknown[]) {
    record({ text: this.sourceSQL, values });
    return (all as (...values: unknown[]) => unknown[]).apply(this, values);
  } as typeof all;
  return () => {
    StatementSync.prototype.all = all;
  };
}
