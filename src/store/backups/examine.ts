import { statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { ServiceError } from "../../contract/errors.ts";
import { latestMigration } from "../database.ts";
import { applicationId, meaning } from "../sqlite.ts";
import { damageOf, logs } from "./copy.ts";
import { isAsSealed } from "./seal.ts";

/** A file that nobody changes: SQLite makes no files beside it to read it. */
export const immutable = (path: string): URL => new URL("?immutable=1", pathToFileURL(resolve(path)));

/** What is to take the place of a database. */
export interface Source {
  readonly connection: DatabaseSync;
  /** Its last migration. */
  readonly schema: string;
}

/**
 * Opens a backup, or another database of wcs, to be read. A `conflict` when it is neither, of a newer version, or not as it was
 * when it was made.
 */
export async function openSource(path: string, signal: AbortSignal): Promise<Source> {
  const isAlone = !logs.some((suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size);
  if (statSync(path).size === 0) throw refused(path, "is empty");
  const connection = connectTo(path, isAlone);
  try {
    const { application_id } = connection.prepare("pragma application_id").get() as { application_id: number };
    if (application_id !== applicationId) throw refused(path, "is not a database of wcs");
    if (isAlone && (await isAsSealed(path, signal)) === false) {
      throw refused(path, "is not as it was when it was made: it is damaged, or was changed since", {
        hint: `If it was changed on purpose, make a backup of it: wcs db backup --db ${path} FILE`,
      });
    }
    return { connection, schema: schemaIn(connection, path) };
  } catch (error) {
    connection.close();
    throw inFile(error, path);
  }
}

function connectTo(path: string, isAlone: boolean): DatabaseSync {
  try {
    return new DatabaseSync(isAlone ? immutable(path) : path, { readOnly: true, timeout: 5000 });
  } catch (error) {
    throw inFile(error, path);
  }
}

/** That file, or a copy of it, has to be whole. */
export async function mustBeWhole(connection: DatabaseSync, path: string, signal: AbortSignal): Promise<void> {
  const damage = await damageOf(connection, signal).catch((error) => {
    throw inFile(error, path);
  });
  if (damage !== undefined) throw refused(path, `is damaged: ${damage}`);
}

function schemaIn(connection: DatabaseSync, path: string): string {
  const has = (name: string) =>
    connection.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== undefined;
  const isOne = has("kysely_migration") && has("instance");
  const schema = isOne ? connection.prepare("select max(name) as name from kysely_migration").get()?.name : undefined;
  if (typeof schema !== "string" || connection.prepare("select 1 from instance").get() === undefined) {
    throw refused(path, "holds no wcs instance");
  }
  if (schema > latestMigration) {
    throw refused(path, "belongs to a newer version of wcs", { hint: "update wcs to restore it" });
  }
  return schema;
}

const inFile = (error: unknown, path: string) => {
  const meant = meaning(error, path);
  return meant instanceof ServiceError && meant.code === "conflict" && meant !== error
    ? refused(path, "is not a database of wcs, or it is damaged")
    : meant;
};

const refused = (path: string, why: string, more: { hint?: string } = {}) =>
  new ServiceError("conflict", `${path} ${why}; nothing was restored.`, more);
