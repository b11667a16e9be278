/** A process of its own that serves an instance, and beside it the floor: the same bytes by node:http, or by pg alone. */
import http from "node:http";
import pg from "pg";
import { allOperations } from "../../src/contract/all-operations.ts";
import { auth } from "../../src/contract/auth.ts";
import { createService } from "../../src/core/service.ts";
import { createApp } from "../../src/http/server/app.ts";
import { listen } from "../../src/http/server/listen.ts";
import { openDatabase } from "../../src/store/open-database.ts";

const [target = "", path = ""] = process.argv.slice(2);
const database = await openDatabase(target);
const service = createService({ database });
const caller = service.caller({ userId: 1 });
const [{ jwt }] = await caller.call(auth.renew, {});
const operations = await allOperations();
const app = createApp({
  operations,
  invoke: service.invoke,
  log: { info() {}, warn() {}, error() {} },
  baseUrl: service.baseUrl,
});
const { url } = await listen(app, { host: "127.0.0.1", port: 0 });

const bytes = await (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${jwt}` } })).text();
const floor = http.createServer(target.startsWith("postgres") ? await fromPostgres() : constant);
floor.listen(0, "127.0.0.1", () => {
  const { port } = floor.address() as { port: number };
  process.send?.({ url: `${url}${path}`, floor: `http://127.0.0.1:${port}/`, jwt });
});

function constant(_: http.IncomingMessage, response: http.ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(bytes);
}

/** The queries that the operation runs, as they are, on a pool of the same size; nothing is done with their rows. */
async function fromPostgres() {
  const queries: { sql: string; parameters: unknown[] }[] = [];
  const pool = new pg.Pool({ connectionString: target, max: 10 });
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    if (typeof given[0] === "string") queries.push({ sql: given[0], parameters: given[1] as unknown[] });
    return (original as (...all: unknown[]) => unknown).apply(this, given);
  } as typeof original;
  await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${jwt}` } });
  pg.Client.prototype.query = original;
  return async (_: http.IncomingMessage, response: http.ServerResponse) => {
    for (const { sql, parameters } of queries) await pool.query(sql, parameters);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(bytes);
  };
}
