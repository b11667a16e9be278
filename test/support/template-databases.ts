import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openNewInstance } from "./new-instance.ts";

/** A finished instance on each database, which tests copy instead of migrating an empty one. */
export interface Templates {
  /** Path of the SQLite file. */
  readonly sqlite: string;
  /** Name of the PostgreSQL database. */
  readonly postgres: string;
}

/** Creates the templates of a test run: an instance with a root unit (1) and an administrator (1). */
export async function makeTemplates(server: string): Promise<{ templates: Templates; remove(): void }> {
  removeForgotten();
  // Named after the process, so that a later run knows when nobody uses it any more.
  const folder = mkdtempSync(join(tmpdir(), `wcs-templates-${process.pid}-`));
  const templates = { sqlite: join(folder, "template.db"), postgres: "wcs_template" };
  await execute(`${server}/postgres`, `create database ${templates.postgres}`);
  for (const target of [templates.sqlite, `${server}/${templates.postgres}`]) {
    const database = await openNewInstance(target, Math.floor(Date.now() / 1000));
    await database.close();
  }
  return { templates, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Removes the templates of runs that were interrupted. */
function removeForgotten(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^wcs-templates-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // They are those of another user.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Runs one SQL statement on a connection of its own. */
export async function execute(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
