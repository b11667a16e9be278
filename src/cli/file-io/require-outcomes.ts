import { PermanentError } from "../../http/client/permanent-error.ts";

/** Returns the outcomes. Throws unless there is one for each row. A value that is no list fails in use, and is then named as such. */
export function requireOutcomes<T>(outcomes: readonly T[], rows: readonly unknown[], dryRun: boolean): readonly T[] {
  if (!Array.isArray(outcomes) || outcomes.length === rows.length) return outcomes;
  const changed = dryRun ? "" : "The rows may have been imported: check that before you run it again. ";
  throw new PermanentError("unavailable", `The instance answered for ${outcomes.length} of ${rows.length} rows.`, {
    hint: `${changed}wcs doctor shows the versions of the instance and of this program.`,
  });
}
