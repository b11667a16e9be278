import { statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { ServiceError } from "../../contract/errors.ts";
import { quoteForShell } from "../../contract/shell-quote.ts";
import { latestMigration } from "../latest-migration.ts";
import { isMarked } from "../sqlite/sqlite-database.ts";
import { translateError } from "../sqlite/sqlite-errors.ts";
import { isAsSealed } from "./backup-seal.ts";
import { findTableDamage, logSuffixes } from "./copy-database.ts";

/** Opens a file as immutable: SQLite then creates no files beside it. */
export const immutable = (path: string): URL => new URL("?immutable=1", pathToFileURL(resolve(path)));

/** Opens a database of wcs for reading; `keyId` is that of its encrypted secrets. Throws `conflict` for others, newer ones, and those changed since the backup. */
export async function openBackup(path: string, signal: AbortSignal) {
  const isAlone = !logSuffixes.some((suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size);
  if (statSync(path).size === 0) throw refused(path, "is empty");
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(isAlone ? immutable(path) : path, { readOnly: true, timeout: 5000 });
    if (!isMarked(connection)) throw refused(path, "is not a wcs database");
    if (isAlone && (await isAsSealed(path, signal)) === false) {
      throw refused(path, "does not match its checksum: it is damaged, or was changed after the backup", {
        hint: `If it was changed on purpose, make a backup of it: wcs db backup --db ${quoteForShell(path)} FILE`,
      });
    }
    const schema = schemaIn(connection, path);
    const keyId = connection.prepare("select * from instance").get()?.secret_key_id;
    return { connection, schema, keyId: typeof keyId === "string" ? keyId : undefined };
  } catch (error) {
    connection?.close();
    throw inFile(error, path);
  }
}

/** Returns the issuer of the instance in a backup; undefined for other files, and for those that cannot be read. */
export function instanceIn(path: string): string | undefined {
  try {
    using connection = new DatabaseSync(immutable(path), { readOnly: true });
    return isMarked(connection) ? issuerOf(connection) : undefined;
  } catch {
    return undefined;
  }
}

export function issuerOf(connection: DatabaseSync): string | undefined {
  const instance = connection.prepare("select issuer from instance").get();
  return instance && String(instance.issuer);
}

/** Throws `conflict` when the database is corrupt. `path` names it in the message. */
export async function requireIntact(connection: DatabaseSync, path: string, signal: AbortSignal): Promise<void> {
  const damage = await findTableDamage(connection, signal).catch((error) => {
    throw inFile(error, path);
  });
  if (damage !== undefined) throw refused(path, `is damaged: ${damage}`);
}

/** Returns the last migration of a database; undefined when it contains no instance. */
export function instanceSchemaIn(connection: DatabaseSync): string | undefined {
  const has = (name: string) =>
    connection.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== undefined;
  if (!has("kysely_migration") || !has("instance")) return undefined;
  if (connection.prepare("select 1 from instance").get() === undefined) return undefined;
  const schema = connection.prepare("select max(name) as name from kysely_migration").get()?.name;
  return typeof schema === "string" ? schema : undefined;
}

function schemaIn(connection: DatabaseSync, path: string): string {
  const schema = instanceSchemaIn(connection);
  if (schema === undefined) throw refused(path, "contains no wcs instance");
  if (schema > latestMigration) {
    throw refused(path, "belongs to a newer version of wcs", { hint: "Update wcs to restore it." });
  }
  return schema;
}

const inFile = (error: unknown, path: string) => {
  const meant = translateError(error, path);
  return meant instanceof ServiceError && meant.code === "conflict" && meant !== error
    ? refused(path, "is not a wcs database, or it is damaged")
    : meant;
};

const refused = (path: string, why: string, more: { hint?: string } = {}) =>
  new ServiceError("conflict", `${path} ${why}; nothing was restored.`, more);
