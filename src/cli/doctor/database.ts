import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { createService } from "../../core/service.ts";
import { missingForMail, outboxState } from "../../delivery/index.ts";
import { damage } from "../../store/damage.ts";
import { isPostgresUrl, latestMigration } from "../../store/database.ts";
import { countSecrets, type SecretCounts } from "../../store/rekey.ts";
import { counted } from "../counted.ts";
import { openWithKey } from "../database/open.ts";
import { noMail } from "../mail-server.ts";
import { type Checks, failed, lengthOf, ok, warning } from "./finding.ts";
import { modeOf, privacy } from "./machine.ts";

export interface DatabaseFacts {
  /** Undefined for PostgreSQL, which others look after. */
  readonly file: { path: string; mode: number | undefined; damage: string | undefined; freeBytes: number } | undefined;
  readonly migration: string;
  readonly secrets: SecretCounts;
  readonly outbox: Awaited<ReturnType<typeof outboxState>>;
  /** Settings without which no mail leaves. */
  readonly missingForMail: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
}

/** Opens a database and looks into it. Fails as opening it does. */
export async function lookAtDatabase(address: string, environment: NodeJS.ProcessEnv): Promise<DatabaseFacts> {
  const database = await openWithKey(address, environment);
  try {
    const now = Date.now();
    const settings = await createService({ database, environment }).settings();
    return {
      file: isPostgresUrl(address) ? undefined : await lookAtFile(address, await damage(database)),
      migration: latestMigration,
      secrets: await countSecrets(database),
      outbox: await outboxState(database, now),
      missingForMail: missingForMail(settings),
      now,
    };
  } finally {
    await database.close();
  }
}

async function lookAtFile(path: string, damage: string | undefined) {
  const { bavail, bsize } = await statfs(dirname(path));
  return { path, mode: modeOf(path), damage, freeBytes: bavail * bsize };
}

const mebibyte = 1_048_576;
const space = { failed: 100 * mebibyte, warning: 1024 * mebibyte };
/** Milliseconds that something may be due before somebody should have sent it. */
const patience = 60_000;

export const databaseChecks: Checks<DatabaseFacts> = {
  database: ({ migration }) => ok(`It opens, and its schema is the newest (${migration}).`),
  "database file": ({ file }) => file && privacy(file, 0o600),
  integrity: ({ file }) => {
    if (!file) return undefined;
    return file.damage === undefined
      ? ok("SQLite finds no damage.")
      : failed(
          `SQLite finds damage: ${file.damage}. Stop the service, and restore a backup with wcs db restore, which keeps the old one.`,
        );
  },
  secrets: ({ secrets: { plain, encrypted, keyId } }) =>
    plain === 0
      ? ok(`${counted(encrypted, "secret")}, encrypted with the key ${keyId}.`)
      : warning(
          `${counted(plain, "secret")} in the clear: a copy of the database gives them away. Make a key (openssl rand -base64 32), give it as WCS_SECRET_KEY, and run wcs db rekey.`,
        ),
  "disk space": ({ file }) => {
    if (!file) return undefined;
    const free = `${Math.floor(file.freeBytes / mebibyte)} MiB are free beside the database.`;
    if (file.freeBytes < space.failed) return failed(`${free} Make room: soon nothing can be changed any more.`);
    return file.freeBytes < space.warning ? warning(`${free} Make room before it is full.`) : ok(free);
  },
  callbacks: ({ outbox: { due, later, sending, oldestDue }, now }) => {
    const late = oldestDue === undefined ? 0 : now - oldestDue;
    if (late < patience) return ok(`${counted(due + later, "callback")} to be sent, none overdue.`);
    const what = `${counted(due, "callback")} overdue, the oldest for ${lengthOf(late / 1000)}.`;
    return sending === 0
      ? failed(`${what} Nobody sends them: start wcs serve, or run wcs webhooks deliver.`)
      : warning(`${what} They are being sent, but receivers are slow; wcs db outbox shows whose.`);
  },
  "mails waiting": ({ outbox: { mails, oldestMail }, missingForMail: missing, now }) => {
    if (mails === 0 || oldestMail === undefined) return ok("None.");
    const age = now / 1000 - oldestMail;
    const what = `${counted(mails, "mail")} not sent, the oldest for ${lengthOf(age)}.`;
    if (missing.length > 0) return failed(`${what} ${noMail(missing)}`);
    return age * 1000 < patience ? ok(what) : warning(`${what} See why with wcs db outbox.`);
  },
  "mails given up": ({ outbox: { failedMails } }) =>
    failedMails === 0
      ? ok("None.")
      : warning(`${counted(failedMails, "mail")}. wcs db outbox shows why; send them again, as by wcs users welcome.`),
};
