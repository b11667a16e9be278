import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { users } from "../../src/contract/users.ts";
import { type Client, createClient } from "../../src/http/client/client.ts";
import { useHome } from "../cli/support.ts";
import { freePort } from "../support/free-port.ts";
import { createPostgres, type NewDatabase } from "../support/postgres-copies.ts";
import { type Server, serve } from "./support.ts";

const hasPgBouncer = spawnSync("pgbouncer", ["--version"]).status === 0;
if (!hasPgBouncer)
  process.stderr.write("pgbouncer is missing, so wcs was not tested behind it: apt-get install pgbouncer.\n");

/** Connections to PostgreSQL, fewer than wcs opens to the pooler. */
const poolSizes = { several: 3, single: 1 };

const home = useHome({ database: false });
let database: NewDatabase;
let folder: string;
let pooler: ChildProcess;
let port: number;
const servers: Server[] = [];

const urlOf = (pool: keyof typeof poolSizes) => `postgres://wcs:any@127.0.0.1:${port}/${pool}`;
const pooled = () => ({ WCS_DB: `${urlOf("several")}?pgbouncer=true` });

/** Starts a pooler in transaction mode, as another user than root. */
async function startPooler(): Promise<void> {
  const { hostname, port: serverPort, pathname, username, password } = new URL(database.target);
  port = await freePort();
  const backend = `host=${hostname} port=${serverPort} dbname=${pathname.slice(1)} user=${username} password=${password}`;
  const pools = Object.entries(poolSizes).map(([name, size]) => `${name} = ${backend} pool_size=${size}`);
  const settings = ["listen_addr = 127.0.0.1", `listen_port = ${port}`, "unix_socket_dir =", "auth_type = any"];
  const text = ["[databases]", ...pools, "[pgbouncer]", ...settings, "pool_mode = transaction", ""].join("\n");
  folder = mkdtempSync(join(tmpdir(), "wcs-pgbouncer-"));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "pgbouncer.ini"), text);
  const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  pooler = spawn("pgbouncer", [...asNobody, join(folder, "pgbouncer.ini")], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [pooler.stdout, pooler.stderr]) stream?.on("data", (chunk) => (said += chunk));
  while (!(await isOpen())) {
    if (pooler.exitCode !== null) throw new Error(said);
    await sleep(20);
  }
}

const isOpen = () =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

describe.skipIf(!hasPgBouncer)("wcs behind PgBouncer in transaction mode", () => {
  const wcs = (args: readonly string[], env: Record<string, string>) => home().spawn([...args], { env });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await wcs(args, pooled());
    expect({ args, code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  };
  const clients: Client[] = [];

  beforeAll(async () => {
    database = await createPostgres();
    await startPooler();
    await run("init", "--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace", "--no-profile");
    const { token } = JSON.parse(await run("tokens", "create", "--name", "Pooler", "--scopes", "write", "--json"));
    for (const _ of ["first", "second"]) {
      const server = await serve(home(), ["--port", "0"], pooled());
      servers.push(server);
      // Many requests share few connections, which takes long on a machine that is busy.
      clients.push(createClient({ url: server.url, token, userAgent: "pooler-test", timeout: 200_000 }));
    }
  });
  afterAll(async () => {
    for (const { process } of servers) process.kill("SIGKILL");
    if (pooler?.exitCode === null) {
      pooler.kill("SIGKILL");
      await once(pooler, "exit");
    }
    if (folder) rmSync(folder, { recursive: true });
    await database?.remove();
  });

  it("commands work, also those that copy, check and migrate the database", async () => {
    await run(..."users create --first-name Bob --last-name B --email bob@example.com --unit 1".split(" "));
    await run("conversations", "send", "--to", "bob@example.com", "Hello");
    await run("posts", "create", "--content-type", "news", "--title", "N", "--body", "T", "--visibility-all-units");
    await run("db", "migrate");
    await run("db", "check");
    await run(
      "db",
      "copy",
      "--from",
      `${urlOf("several").replace(":any@", "@")}?pgbouncer=true`,
      "--to",
      home().path("copy.db"),
    );
  });

  it("many requests to two servers at the same time share few connections", async () => {
    const [first, second] = clients as [Client, Client];
    const titles = Array.from({ length: 60 }, (_, at) => `Title ${at}`);
    await Promise.all(
      titles.map(async (title, at) => {
        const [writer, reader] = at % 2 === 0 ? [first, second] : [second, first];
        const email = `person${at}@example.com`;
        const { id } = await writer.call(users.create, { first_name: "P", last_name: "Q", email, unit: 1 });
        await writer.call(users.update, { id, title });
        expect(await reader.call(users.get, { id })).toMatchObject({ id, title, email });
      }),
    );
  });

  it("a long poll of one server is answered after a change by the other", async () => {
    const [first, second] = clients as [Client, Client];
    const { id } = (await first.call(conversations.list, {})).data[0]!; // made by a test above
    const { meta } = await first.call(conversations.follow, { id });
    const waiting = first.call(conversations.follow, { id, after: meta.last_id, wait: 60 });
    await second.call(conversations.send, { id, message: "Are you there?" });
    expect((await waiting).data.map(({ message }) => message)).toEqual(["Are you there?"]);
  });

  it("without pgbouncer=true the failure names the parameter", async () => {
    const get = () => wcs(["users", "get", "1"], { WCS_DB: urlOf("single") });
    await get();
    const { code, stderr } = await get();
    expect([code, stderr]).toEqual([8, expect.stringContaining("Add ?pgbouncer=true to the database URL.")]);
  });
});
