import type { Watch } from "../../../store/backup/copy-database.ts";
import { isPostgresUrl } from "../../../store/open-database.ts";
import { createSecretCipher, requireKey } from "../../../store/secret-cipher.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { progressBar, throttledProgress } from "../../file-io/show-progress.ts";
import type { Context } from "../../kit/command-spec.ts";
import { withKey } from "../../session/open-with-key.ts";
import { findTarget } from "../../session/target.ts";
import { errorFinding } from "../doctor/finding.ts";

export function databaseOf({ terminal, globals }: Context): string {
  const target = findTarget(globals, terminal.env);
  if (!target.remote) return target.address;
  throw new UsageError("wcs db needs a database, not the URL of an instance", { hint: "use --db" });
}

/** Returns why secrets that were encrypted with a key cannot be read with the key of the environment; undefined when they can. */
export async function keyIssue(keyId: string | undefined, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (keyId === undefined) return undefined;
  try {
    await withKey(env, async (_, secretKey) => requireKey(keyId, createSecretCipher(secretKey).keyId));
    return undefined;
  } catch (error) {
    return errorFinding("", error).message;
  }
}

/** Shows the progress of `work`, and on Ctrl-C aborts its signal, so that it can clean up. */
export function watched<T>(what: string, context: Context, work: (watch: Watch) => Promise<T>): Promise<T> {
  const show = throttledProgress(context.terminal);
  return work({ signal: context.stopOnInterrupt(), progress: (part) => show(() => `${what}  ${progressBar(part)}`) });
}

/** Returns the path of the selected SQLite file. Throws UsageError for PostgreSQL and suggests the command `instead`. */
export function sqliteFileOf(context: Context, instead: string): string {
  const address = databaseOf(context);
  if (!isPostgresUrl(address)) return address;
  throw new UsageError("this command needs a SQLite file; PostgreSQL has its own tools", { hint: `use ${instead}` });
}
