import { once } from "node:events";
import pg from "pg";
import { beforeEach, expect, inject, it } from "vitest";
import { units } from "../../src/contract/units.ts";
import { readinessOf } from "../../src/core/pipeline/readiness.ts";
import { createService } from "../../src/core/service.ts";
import type { Database } from "../../src/store/database.ts";
import { finished, newHome, start } from "../cli/support.ts";
import { describeOnDatabases } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";

describeOnDatabases("readiness", (open, kind) => {
  let instance: Instance;
  beforeEach(async () => {
    instance = await open();
  });
  const status = async () => (await fetch(`${instance.url}/readyz`)).status;

  it("readiness is one commit for all who ask within a second, and another one later", async () => {
    let commits = 0;
    const writeLocking: Database["writeLocking"] = async (work) => {
      const result = await instance.database.writeLocking(work);
      commits += 1;
      return result;
    };
    const ready = readinessOf({ ...instance.database, writeLocking });
    await Promise.all(Array.from({ length: 100 }, ready));
    expect(commits).toBe(1);
    await expect.poll(() => ready().then(() => commits)).toBe(2);
  });

  if (kind === "postgres") {
    it("/readyz is 503 while the database can only be read, and recovers by itself", async () => {
      expect(await status()).toBe(200);
      const name = new URL(instance.target).pathname.slice(1);
      const readOnly = (value: "on" | "off") =>
        query(instance.target, `alter database ${name} set default_transaction_read_only = ${value}`);
      const endConnections = () =>
        query(
          instance.target,
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        );
      await readOnly("on");
      await endConnections();
      await expect.poll(status).toBe(503);
      expect((await fetch(`${instance.url}/healthz`)).status).toBe(200);
      // Connections from before are read-only for as long as they last.
      await readOnly("off");
      await expect.poll(status).toBe(200);
      await instance.administrator.call(units.create, { name: "After", parent: 1 });
    });

    it("the log of a server has the reason of an outage, and the stack of other failures only", async () => {
      const name = new URL(instance.target).pathname.slice(1);
      const administer = (text: string) => query(`${inject("postgresUrl")}/postgres`, text);
      const server = start(["serve", "--port", "0", "--shutdown-notice", "0"], {
        ...newHome().env,
        WCS_DB: instance.target,
      });
      const ended = finished(server);
      const [line] = (await once(server.stdout!, "data")) as [Buffer];
      let log = "";
      server.stderr!.on("data", (chunk) => {
        log += chunk;
      });
      await administer(`alter database ${name} allow_connections false`);
      await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
      await expect.poll(async () => (await fetch(`${String(line).trim()}/readyz`)).status).toBe(503);
      await expect.poll(() => log).toContain("webhooks cannot be sent");
      await administer(`alter database ${name} allow_connections true`);
      await query(instance.target, "alter table deliveries rename to missing");
      await expect.poll(() => log).toContain("does not exist");
      server.kill("SIGTERM");
      const { stderr } = await ended;
      const entries = stderr
        .trim()
        .split("\n")
        .map((text) => JSON.parse(text));
      const reasons = entries.filter(({ level }) => level === 50).map(({ msg, reason }) => [msg, reason]);
      const closed = expect.stringMatching(/^database .* connections$/);
      expect(reasons).toContainEqual([expect.stringContaining("cannot reach its database"), closed]);
      // Its text depends on what the end of the connections meets, such as a claim that is running.
      expect(reasons).toContainEqual(["webhooks cannot be sent", expect.any(String)]);
      const errors = entries.flatMap(({ err }) => (err ? [err] : []));
      expect(errors.length).toBeGreaterThan(0);
      const message = 'relation "deliveries" does not exist';
      for (const err of errors) expect(err).toMatchObject({ type: "error", message, stack: expect.any(String) });
    });

    it("what pages and openapi.json say is unavailable while the database is", async () => {
      const factVersions = () => {
        throw Object.assign(new Error("the database system is starting up"), { code: "57P03" });
      };
      const service = createService({ database: { ...instance.database, factVersions } });
      expect(await codeOf(service.baseUrl())).toBe("unavailable");
      expect(await codeOf(service.instance())).toBe("unavailable");
    });

    it("/readyz is 503 while the connections that requests share for reading hang", async () => {
      const client = new pg.Client({ connectionString: instance.target });
      await client.connect();
      const reads: Promise<unknown>[] = [];
      try {
        await client.query("begin; lock table units in access exclusive mode");
        for (let n = 0; n < 20; n++) reads.push(instance.administrator.call(units.get, { id: 1 }));
        const waits = "select 1 from pg_locks where relation = 'units'::regclass and not granted";
        const waiting = async () => (await client.query(waits)).rowCount;
        await expect.poll(waiting).toBe(4);
        expect(await status()).toBe(503);
      } finally {
        await client.end();
      }
      await Promise.all(reads);
      await expect.poll(status).toBe(200);
    });
  }
});

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url, options: "-c default_transaction_read_only=off" });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}
