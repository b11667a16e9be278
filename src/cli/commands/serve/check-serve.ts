import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { ServiceError } from "../../../contract/errors.ts";
import { loadInstance, settingsLoader } from "../../../core/pipeline/load-instance.ts";
import { requireFreePort } from "../../../http/server/listen.ts";
import type { Database } from "../../../store/database.ts";
import { latestMigration } from "../../../store/latest-migration.ts";
import { findMissingRights } from "../../../store/missing-rights.ts";
import { isPostgresUrl, schemaOf } from "../../../store/open-database.ts";
import { countSecrets } from "../../../store/rotate-secret-key.ts";
import { requireKey } from "../../../store/secret-cipher.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { modeOf } from "../../file-io/file-mode.ts";
import type { Context } from "../../kit/command-spec.ts";
import { checkVariables, openWithKey } from "../../session/open-with-key.ts";
import { shownAddress } from "../../session/target.ts";
import { checkSecrets } from "../doctor/check-database-facts.ts";
import { checkPrivacy } from "../doctor/check-machine.ts";
import { checkBaseUrl } from "../doctor/check-service.ts";
import {
  checkSchema,
  errorFinding,
  type Finding,
  failed,
  ok,
  showFindings,
  type Verdict,
  warning,
} from "../doctor/finding.ts";
import { readServeOptions, type ServeOptions } from "./serve-options.ts";

export async function checkServe(context: Context): Promise<void> {
  await showFindings(findAll(context), context);
}

async function findAll(context: Context): Promise<Finding[]> {
  let options: ServeOptions;
  try {
    options = await readServeOptions(context);
    await checkVariables(options.environment);
  } catch (error) {
    return [errorFinding("options", error)];
  }
  const { config } = context.flags;
  const findings = [finding("options", ok(config === undefined ? "All are valid." : `${config} can be used.`))];
  findings.push(finding("port", await checkPort(options.host, options.port)));
  if (options.metricsPort !== undefined)
    findings.push(finding("metrics port", await checkPort(options.host, options.metricsPort)));
  return [...findings, ...(await findInDatabase(options))];
}

const finding = (check: string, verdict: Verdict): Finding => ({ check, ...verdict });

async function checkPort(host: string, port: number): Promise<Verdict> {
  try {
    await requireFreePort({ host, port });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const isInUse = (error.cause as NodeJS.ErrnoException).code === "EADDRINUSE";
    const hint = isInUse ? "Stop the program there first." : (error.hint ?? "");
    return (isInUse ? warning : failed)(`${error.message} ${hint}`.trim());
  }
  return ok(port === 0 ? `${host} has a free port.` : `${host}:${port} is free.`);
}

async function findInDatabase({ target, environment }: ServeOptions): Promise<Finding[]> {
  const { address } = target;
  const fileRights = isPostgresUrl(address) || !existsSync(address) ? undefined : checkFileRights(address);
  // Without these rights SQLite would only report that it cannot open the file.
  if (fileRights?.state === "failed") return [finding("rights", fileRights)];
  let database: Database;
  try {
    database = await openWithKey(address, environment, { skipMigration: true });
  } catch (error) {
    return [errorFinding(error instanceof UsageError ? "secret key" : "database", error)];
  }
  const findings = [finding("database", ok(`${shownAddress(target)} can be reached.`))];
  try {
    const schema = await schemaOf(database);
    findings.push(finding("schema", checkSchema(schema)));
    findings.push(finding("rights", fileRights ?? (await checkTableRights(database))));
    // The other tables of another version may be different.
    if (schema === latestMigration) findings.push(...(await findInInstance(database, environment)));
  } catch (error) {
    findings.push(errorFinding("database", database.explain(error)));
  } finally {
    await database.close();
  }
  return findings;
}

function checkFileRights(file: string): Verdict {
  for (const path of [file, dirname(file)]) {
    try {
      accessSync(path, constants.W_OK);
    } catch (error) {
      const isReadOnly = (error as NodeJS.ErrnoException).code === "EROFS";
      const why = isReadOnly
        ? "Its disk is mounted read-only."
        : "Run wcs serve as its owner, or change the owner with chown.";
      return failed(`This user cannot write to ${path}. ${why}`);
    }
  }
  return ok("The database file and its folder can be written.");
}

async function checkTableRights(database: Database): Promise<Verdict> {
  const missing = await findMissingRights(database);
  return missing === undefined ? ok("The user can change every table.") : failed(missing);
}

async function findInInstance(database: Database, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const findings: Finding[] = [];
  const path = environment.WCS_SECRET_KEY_FILE;
  const privacy = path === undefined ? undefined : checkPrivacy({ path, mode: modeOf(path) }, 0o600);
  if (privacy) findings.push(finding("secret key file", privacy));
  try {
    const secrets = await countSecrets(database);
    if (secrets.keyId !== null) requireKey(secrets.keyId, database.secrets.keyId);
    findings.push(finding("secret key", checkSecrets(secrets)));
  } catch (error) {
    return [...findings, finding("secret key", failed((error as Error).message))];
  }
  try {
    await loadInstance(database, environment);
    const { base_url } = await settingsLoader(database, environment)();
    findings.push(finding("base_url", checkBaseUrl(base_url)));
  } catch (error) {
    findings.push(errorFinding("settings", error));
  }
  return findings;
}
