import type { ServiceError } from "../../contract/errors.ts";
import { type Database, isPostgresUrl, latestMigration, openDatabase, schemaOf } from "../../store/database.ts";
import { type Check, contentChecks, fileChecks } from "../../store/upkeep/check.ts";
import { counted } from "../counted.ts";
import { type Finding, failed, failure, ok, warning } from "../doctor/finding.ts";
import { ConditionError } from "../failure.ts";
import { createOutput } from "../output.ts";
import type { Context } from "../tree.ts";
import { databaseOf } from "./target.ts";

/** `wcs db check` */
export async function check(context: Context): Promise<void> {
  const { terminal, globals } = context;
  const findings = await terminal.spin("checking", examine(databaseOf(context)));
  const items = findings.map(({ check, state, message }) => ({ check, state, message }));
  const draw = async () => (await import("../doctor/drawing.ts")).drawFindings;
  await createOutput({ draw, columns: ["check", "state", "message"] }, globals, terminal).list([
    { items, more: false, response: items },
  ]);
  const wrong = findings.filter(({ state }) => state === "failed");
  if (wrong.length > 0) throw new ConditionError(`${counted(wrong.length, "check")} of ${findings.length} failed`);
}

async function examine(address: string): Promise<Finding[]> {
  let database: Database;
  try {
    database = await openDatabase(address, { asItIs: true });
  } catch (error) {
    // What cannot be reached, or is not there, says nothing about whether it is whole.
    if ((error as ServiceError).code !== "conflict") throw error;
    return [failure("schema", error)];
  }
  try {
    const { finding, isKnown } = await findSchema(database);
    const checks = [...(isPostgresUrl(address) ? [] : fileChecks), ...(isKnown ? contentChecks : [])];
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
    if (schema === latestMigration) return { finding: named(ok(`It is the newest (${schema}).`)), isKnown: true };
    const left = "What is kept twice was not compared.";
    const verdict =
      schema < latestMigration
        ? warning(`It is older (${schema}). ${left} Bring it up to date with wcs db migrate.`)
        : failed(`It belongs to a newer version of wcs (${schema}). ${left} Update wcs.`);
    return { finding: named(verdict), isKnown: false };
  } catch (error) {
    return { finding: failure("schema", database.explain(error)), isKnown: false };
  }
}

async function findOut({ name, well, ask }: Check, database: Database): Promise<Finding> {
  try {
    const { total, examples } = await ask(database);
    if (total === 0) return { check: name, ...ok(well) };
    const more = total > examples.length ? `; ${total} in all` : "";
    return { check: name, ...failed(`${examples.join("; ")}${more}.`) };
  } catch (error) {
    return failure(name, database.explain(error));
  }
}
