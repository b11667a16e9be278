import { pluralize } from "../../../contract/count-text.ts";
import { latestMigration } from "../../../store/latest-migration.ts";
import { ConditionError, failureOf, withFullStop } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { createOutput } from "../../output/create-output.ts";
import type { Draw } from "../../output/renderer.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import { wrapText } from "../../terminal/wrap-text.ts";

type State = "ok" | "warning" | "failed";

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

export function errorFinding(check: string, error: unknown): Finding {
  const { message, hint } = failureOf(error);
  return { check, ...failed(hint ? `${message} ${withFullStop(hint)}` : message) };
}

export function checkSchema(schema: string): Verdict {
  if (schema === latestMigration) return ok(`The schema is the newest (${schema}).`);
  return schema > latestMigration
    ? failed(`The schema belongs to a newer version of wcs (${schema}). Install that version, or restore a backup.`)
    : warning(`The schema is older than this wcs (${schema}). Make a backup, then run wcs db migrate.`);
}

/** Formats a duration roughly, for example "3 days". */
export function durationOf(seconds: number): string {
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

/** Prints findings. Throws a `ConditionError` when a check failed. Ctrl-C ends the check at once, since it changes nothing. */
export async function showFindings(
  work: Promise<Finding[]>,
  context: Context,
  adviceOn: (failures: readonly Finding[]) => string | undefined = () => undefined,
): Promise<void> {
  const { signals, spin } = context.terminal;
  const sample = { check: "", state: "", message: "" };
  const columns = Object.keys(sample);
  const output = createOutput<Finding>({ draw: async () => drawFindings, columns, sample }, context);
  signals.release();
  const findings = await spin("checking", work);
  await output.all(findings);
  const failures = findings.filter(({ state }) => state === "failed");
  if (failures.length === 0) return;
  throw new ConditionError(`${pluralize(failures.length, "check")} of ${findings.length} failed`, adviceOn(failures));
}

/** Draws one line per finding, wrapped at the width of the terminal so that the advice at its end is never cut off. */
const drawFindings: Draw<Finding> = (findings, { paint, width }) => {
  const paints: Record<State, (text: string) => string> = {
    ok: paint.success,
    warning: paint.strong,
    failed: paint.error,
  };
  const name = Math.max(...findings.map(({ check }) => check.length));
  const indent = " ".repeat("warning".length + name + 4);
  const lines = findings.map(({ check, state, message }) => {
    const text = wrapText(sanitizeLine(message), Math.max(30, width - indent.length)).join(`\n${indent}`);
    return `${paints[state](state.padEnd("warning".length))}  ${check.padEnd(name)}  ${text}\n`;
  });
  return lines.join("");
};
