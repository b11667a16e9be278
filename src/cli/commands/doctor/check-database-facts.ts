import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { pluralize } from "../../../contract/count-text.ts";
import { missingForMail } from "../../../contract/settings.ts";
import { createService } from "../../../core/service.ts";
import { outboxState } from "../../../delivery/delivery.ts";
import { findDamage } from "../../../store/integrity/find-damage.ts";
import { latestMigration } from "../../../store/latest-migration.ts";
import { findMissingRights } from "../../../store/missing-rights.ts";
import { isPostgresUrl } from "../../../store/open-database.ts";
import { countSecrets, type SecretCounts } from "../../../store/rotate-secret-key.ts";
import { modeOf } from "../../file-io/file-mode.ts";
import type { Context } from "../../kit/command-spec.ts";
import { bytesAsText } from "../../output/format-bytes.ts";
import { openWithKey } from "../../session/open-with-key.ts";
import { withDatabase } from "../../session/with-database.ts";
import { noMail } from "../smtp-option.ts";
import { checkPrivacy } from "./check-machine.ts";
import { durationOf, type FactChecks, failed, ok, type Verdict, warning } from "./finding.ts";

export function readDatabaseFacts(context: Context, address: string) {
  const environment = context.terminal.env;
  return withDatabase(context, openWithKey(address, environment), async (database) => {
    const now = Date.now();
    const settings = await createService({ database, environment }).settings();
    return {
      /** Undefined for PostgreSQL, whose files are not checked. */
      file: isPostgresUrl(address) ? undefined : await readFileFacts(address, await findDamage(database)),
      missingRights: await findMissingRights(database),
      secrets: await countSecrets(database),
      outbox: await outboxState(database, now),
      missingForMail: missingForMail(settings),
      now,
    };
  });
}

async function readFileFacts(path: string, damage: string | undefined) {
  const { bavail, bsize } = await statfs(dirname(path));
  return { path, mode: modeOf(path), damage, freeBytes: bavail * bsize };
}

const mebibyte = 1_048_576;
const space = { failed: 100 * mebibyte, warning: 1024 * mebibyte };
/** Milliseconds after which a callback or mail that is due counts as overdue. */
const overdueAfter = 60_000;

interface DatabaseFacts extends Awaited<ReturnType<typeof readDatabaseFacts>> {
  /** The command that checks the contents of the same database. */
  readonly checkLine: string;
}

export const databaseChecks: FactChecks<DatabaseFacts> = {
  database: ({ missingRights, checkLine }) =>
    missingRights === undefined
      ? ok(
          `The database can be opened, and its schema is the newest (${latestMigration}). Check its contents with ${checkLine}.`,
        )
      : failed(missingRights),
  "database file": ({ file }) => file && checkPrivacy(file, 0o600),
  integrity: ({ file }) => {
    if (!file) return undefined;
    return file.damage === undefined
      ? ok("SQLite found no damage.")
      : failed(
          `SQLite found damage: ${file.damage}. Stop the service and restore a backup with wcs db restore FILE, which keeps the old database.`,
        );
  },
  secrets: ({ secrets }) => checkSecrets(secrets),
  "disk space": ({ file }) => {
    if (!file) return undefined;
    const free = `${bytesAsText(file.freeBytes)} are free on the disk of the database.`;
    if (file.freeBytes < space.failed) return failed(`${free} Free up space: writes fail when the disk is full.`);
    return file.freeBytes < space.warning ? warning(`${free} Free up space before the disk is full.`) : ok(free);
  },
  callbacks: ({ outbox: { due, later, sending, oldestDue }, now }) => {
    const late = oldestDue === undefined ? 0 : now - oldestDue;
    if (late < overdueAfter) return ok(`${pluralize(due + later, "callback")} to be sent, none overdue.`);
    const what = `${pluralize(due, "callback")} overdue, the oldest for ${durationOf(late / 1000)}.`;
    return sending === 0
      ? failed(`${what} No process is sending them. Start wcs serve, or run wcs webhooks deliver.`)
      : warning(`${what} They are being sent, but receivers are slow. See which with wcs db outbox.`);
  },
  "mails waiting": ({ outbox: { mails, oldestMail }, missingForMail: missing, now }) => {
    if (mails === 0 || oldestMail === undefined) return ok("None.");
    // A mail was created in the future when the clock was set back since.
    const age = Math.max(0, now / 1000 - oldestMail);
    const what = `${pluralize(mails, "mail")} not sent, the oldest for ${durationOf(age)}.`;
    if (missing.length > 0) return failed(`${what} ${noMail(missing)}`);
    return age * 1000 < overdueAfter ? ok(what) : warning(`${what} See the errors with wcs db outbox.`);
  },
  "mails given up": ({ outbox: { failedMails } }) =>
    failedMails === 0
      ? ok("None.")
      : warning(
          `${pluralize(failedMails, "mail")}. See the errors with wcs db outbox, then send them again, for example with wcs users welcome ID.`,
        ),
};

export function checkSecrets({ plain, encrypted, keyId }: SecretCounts): Verdict {
  return plain === 0
    ? ok(`${pluralize(encrypted, "secret")}, encrypted with the key ${keyId}.`)
    : warning(
        `${pluralize(plain, "secret")} unencrypted, readable in any copy of the database. Make a key with openssl rand -base64 32, set it as WCS_SECRET_KEY and run wcs db rekey.`,
      );
}
