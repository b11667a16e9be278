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
export async function makeTemplates(server: string): Promise<Templates> {
  const templates = { sqlite: join(tmpdir(), "template.db"), postgres: "wcs_template" };
  await execute(`${server}/postgres`, `create database ${templates.postgres}`);
  for (const target of [templates.sqlite, `${server}/${templates.postgres}`]) {
    const database = await openNewInstance(target, Math.floor(Date.now() / 1000));
    await database.close();
  }
  return templates;
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
