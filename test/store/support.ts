import { afterAll, beforeAll } from "vitest";
import type { Database, Tx } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { type DatabaseKind, newInstanceDatabase } from "../support/instance.ts";

export const kinds: readonly DatabaseKind[] = ["sqlite", "postgres"];

/** A wcs database for the suite that calls this, with its target. */
export function useDatabase(kind: DatabaseKind): () => { database: Database; target: string } {
  let opened: { database: Database; target: string; remove(): Promise<void> } | undefined;
  beforeAll(async () => {
    const { target, remove } = await newInstanceDatabase(kind);
    opened = { database: await openDatabase(target), target, remove };
  });
  afterAll(async () => {
    await opened?.database.close();
    await opened?.remove();
  });
  return () => opened!;
}

/** Puts a setting, which serves as a row with a key and a value. */
export async function put(tx: Tx, key: string, value: string | number): Promise<void> {
  const row = { key, value: String(value) };
  await tx
    .insertInto("settings")
    .values(row)
    .onConflict((conflict) => conflict.column("key").doUpdateSet(row))
    .execute();
}

export async function get({ reader }: Pick<Database, "reader">, key: string): Promise<string | undefined> {
  const row = await reader.selectFrom("settings").select("value").where("key", "=", key).executeTakeFirst();
  return row?.value;
}

/** Runs work as a user who owns no file here. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}
