import type { ServiceError } from "../../../contract/errors.ts";
import { searchKeyCheck } from "../../../core/directory/search-key-check.ts";
import type { Database } from "../../../store/database.ts";
import { isPostgres } from "../../../store/dialect.ts";
import { type Check, contentChecks, fileChecks } from "../../../store/integrity/check-database.ts";
import { structureCheck } from "../../../store/integrity/missing-objects.ts";
import { mayCreateSchema, postgresStructureCheck } from "../../../store/integrity/postgres-structure.ts";
import { latestMigration } from "../../../store/latest-migration.ts";
import { isPostgresUrl, openDatabase, schemaOf } from "../../../store/open-database.ts";
import type { Context } from "../../kit/command-spec.ts";
import { checkSchema, errorFinding, type Finding, failed, ok, showFindings, warning } from "../doctor/finding.ts";
import { databaseOf, keyIssue } from "./db-target.ts";

export async function check(context: Context): Promise<void> {
  const address = databaseOf(context);
  const restore = isPostgresUrl(address) ? "pg_restore" : "wcs db restore";
  // A finding about the schema says itself what to do.
  await showFindings(checkDatabase(address, context.terminal.env), context, (failures) => {
    const only = (name: string) => failures.every(({ check }) => check === name);
    if (only("schema")) return undefined;
    const repair = only("structure") ? ", or copy the contents into a new database with wcs db copy" : "";
    return `Restore a backup that passes this check with ${restore}${repair}.`;
  });
}

export async function checkDatabase(address: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  let database: Database;
  try {
    database = await openDatabase(address, { skipMigration: true });
  } catch (error) {
    // Only `conflict` is a finding about the schema; a database that is missing or cannot be reached is an error.
    if ((error as ServiceError).code !== "conflict") throw error;
    return [errorFinding("schema", error)];
  }
  try {
    const { finding, isKnown } = await findSchema(database);
    const ofFile = isPostgresUrl(address) ? [] : fileChecks;
    const checks = [
      ...ofFile,
      ...(isKnown ? [...(await structureChecks(database)), ...contentChecks, searchKeyCheck] : []),
    ];
    const findings = [finding];
    for (const each of checks) findings.push(await runCheck(each, database));
    if (isKnown) findings.push(...(await findKey(database, env)));
    return findings;
  } finally {
    await database.close();
  }
}

/** Checks the secret key where secrets are encrypted. Without it, the rest of the database can be checked nevertheless. */
async function findKey({ reader }: Database, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const instance = await reader.selectFrom("instance").select("secret_key_id").executeTakeFirst();
  if (!instance?.secret_key_id) return [];
  const issue = await keyIssue(instance.secret_key_id, env);
  return [
    {
      check: "secret key",
      ...(issue === undefined ? ok("The secrets are encrypted with the key of the environment.") : warning(issue)),
    },
  ];
}

async function structureChecks(database: Database): Promise<readonly Check[]> {
  if (!isPostgres(database.reader)) return [structureCheck];
  return (await mayCreateSchema(database)) ? [postgresStructureCheck] : [];
}

async function findSchema(database: Database): Promise<{ finding: Finding; isKnown: boolean }> {
  try {
    const schema = await schemaOf(database);
    const isKnown = schema === latestMigration;
    const isWhole = !isKnown || (await database.reader.selectFrom("instance").select("issuer").executeTakeFirst());
    const verdict = isWhole
      ? checkSchema(schema)
      : failed("The instance, with its keys, is missing. Restore a backup.");
    const message = isKnown ? verdict.message : `${verdict.message} Derived data was not checked.`;
    return { finding: { check: "schema", ...verdict, message }, isKnown };
  } catch (error) {
    return { finding: errorFinding("schema", database.explain(error)), isKnown: false };
  }
}

async function runCheck({ name, passed, run }: Check, database: Database): Promise<Finding> {
  try {
    const { total, examples } = await run(database);
    if (total === 0) return { check: name, ...ok(passed) };
    const more = total > examples.length ? `; ${total} in total` : "";
    return { check: name, ...failed(`${examples.join("; ")}${more}.`) };
  } catch (error) {
    return errorFinding(name, database.explain(error));
  }
}
