import { latestMigration } from "../../../store/latest-migration.ts";
import { failureOf } from "../../errors/cli-errors.ts";
import { pluralize } from "../../output/pluralize.ts";

export type State = "ok" | "warning" | "failed";

/** Result of a check; the message says what was found and, unless it is ok, what to do. */
export interface Verdict {
  readonly state: State;
  readonly message: string;
}

export interface Finding extends Verdict {
  readonly check: string;
}

/** Checks by name. Each judges the given facts and returns undefined where it does not apply. */
export type FactChecks<F> = Readonly<Record<string, (facts: F) => Verdict | undefined>>;

export const ok = (message: string): Verdict => ({ state: "ok", message });
export const warning = (message: string): Verdict => ({ state: "warning", message });
export const failed = (message: string): Verdict => ({ state: "failed", message });

export function judgeFacts<F>(checks: FactChecks<F>, facts: F): Finding[] {
  return Object.entries(checks).flatMap(([check, judge]) => {
    const verdict = judge(facts);
    return verdict === undefined ? [] : [{ check, ...verdict }];
  });
}

export function failure(check: string, error: unknown): Finding {
  const { message, hint } = failureOf(error);
  return { check, ...failed(hint ? `${message} ${withStop(hint)}` : message) };
}

/** Compares the schema of a database with that of this program. */
export function checkSchema(schema: string): Verdict {
  if (schema === latestMigration) return ok(`The schema is the newest (${schema}).`);
  return schema > latestMigration
    ? failed(`The schema belongs to a newer version of wcs (${schema}). Install that version, or restore a backup.`)
    : warning(`The schema is older than this wcs (${schema}). Make a backup, then run wcs db migrate.`);
}

const withStop = (text: string) => (/[.?!]$/.test(text) ? text : `${text}.`);

/** Formats a duration roughly, for example "3 days". */
export function lengthOf(seconds: number): string {
  for (const [length, name] of units) {
    if (seconds >= length * 2) return pluralize(Math.floor(seconds / length), name);
  }
  return pluralize(Math.floor(seconds), "second");
}

const units = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
] as const;
