import type { ServiceError } from "../../../contract/errors.ts";
import { searchKeyCheck } from "../../../core/directory/search-key-check.ts";
import type { Database } from "../../../store/database.ts";
import { type Check, contentChecks, fileChecks } from "../../../store/integrity/check-database.ts";
import { structureCheck } from "../../../store/integrity/missing-objects.ts";
import { latestMigration } from "../../../store/latest-migration.ts";
import { isPostgresUrl, openDatabase, schemaOf } from "../../../store/open-database.ts";
import type { Context } from "../../kit/command-spec.ts";
import { type Finding, failed, failure, ok, warning } from "../doctor/finding.ts";
import { showFindings } from "../doctor/show-findings.ts";
import { databaseOf } from "./db-target.ts";

export async function check(context: Context): Promise<void> {
  const address = databaseOf(context);
  const restore = isPostgresUrl(address) ? "pg_restore" : "wcs db restore";
  // A finding about the schema says itself what to do.
  await showFindings(checkDatabase(address), context, (failed) =>
    failed.every(({ check }) => check === "schema")
      ? undefined
      : `Restore a backup that passes this check with ${restore}.`,
  );
}

export async function checkDatabase(address: string): Promise<Finding[]> {
  let database: Database;
  try {
    database = await openDatabase(address, { skipMigration: true });
  } catch (error) {
    // Only `conflict` is a finding about the schema; a database that is missing or cannot be reached is an error.
    if ((error as ServiceError).code !== "conflict") throw error;
    return [failure("schema", error)];
  }
  try {
    const { finding, isKnown } = await findSchema(database);
    const ofFile = isPostgresUrl(address) ? [] : isKnown ? [...fileChecks, structureCheck] : fileChecks;
    const checks = [...ofFile, ...(isKnown ? [...contentChecks, searchKeyCheck] : [])];
    const findings = [finding];
    for (const each of checks) findings.push(await findOut(each, database));
    return findings;
  } finally {
    await database.close();
  }
}

async function findSchema(database: Database): Promise<{ finding: Finding; isKnown: boolean }> {
  const named = (verdict: ReturnType<typeof ok>) => ({ check: "schema", ...verdict });
  try {
    const schema = await schemaOf(database);
    if (schema === latestMigration && !(await hasInstance(database)))
      return { finding: named(failed("The instance, with its keys, is missing. Restore a backup.")), isKnown: true };
    if (schema === latestMigration)
      return { finding: named(ok(`The schema is the newest (${schema}).`)), isKnown: true };
    const left = "Derived data was not checked.";
    const verdict =
      schema < latestMigration
        ? warning(`The schema is older than this wcs (${schema}). ${left} Bring it up to date with wcs db migrate.`)
        : failed(`The schema belongs to a newer version of wcs (${schema}). ${left} Update wcs.`);
    return { finding: named(verdict), isKnown: false };
  } catch (error) {
    return { finding: failure("schema", database.explain(error)), isKnown: false };
  }
}

async function hasInstance({ reader }: Database): Promise<boolean> {
  return (await reader.selectFrom("instance").select("issuer").executeTakeFirst()) !== undefined;
}

async function findOut({ name, well, ask }: Check, database: Database): Promise<Finding> {
  try {
    const { total, examples } = await ask(database);
    if (total === 0) return { check: name, ...ok(well) };
    const more = total > examples.length ? `; ${total} in total` : "";
    return { check: name, ...failed(`${examples.join("; ")}${more}.`) };
  } catch (error) {
    return failure(name, database.explain(error));
  }
}
