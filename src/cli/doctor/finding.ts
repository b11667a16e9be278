import { counted } from "../counted.ts";
import { failureOf } from "../failure.ts";

export type State = "ok" | "warning" | "failed";

/** How a check came out: what was found and, unless it is ok, what to do. */
export interface Verdict {
  readonly state: State;
  readonly message: string;
}

export interface Finding extends Verdict {
  readonly check: string;
}

/** Checks by name: each judges facts that were gathered before; undefined where it does not apply. */
export type Checks<F> = Readonly<Record<string, (facts: F) => Verdict | undefined>>;

export const ok = (message: string): Verdict => ({ state: "ok", message });
export const warning = (message: string): Verdict => ({ state: "warning", message });
export const failed = (message: string): Verdict => ({ state: "failed", message });

export function examine<F>(checks: Checks<F>, facts: F): Finding[] {
  return Object.entries(checks).flatMap(([check, judge]) => {
    const verdict = judge(facts);
    return verdict === undefined ? [] : [{ check, ...verdict }];
  });
}

/** What went wrong, and what the error itself says to do about it. */
export function failure(check: string, error: unknown): Finding {
  const { message, hint } = failureOf(error);
  return { check, ...failed(hint ? `${message} ${withStop(hint)}` : message) };
}

const withStop = (text: string) => (/[.?!]$/.test(text) ? text : `${text}.`);

/** How long that is, roughly. */
export function lengthOf(seconds: number): string {
  for (const [length, name] of units) {
    if (seconds >= length * 2) return counted(Math.floor(seconds / length), name);
  }
  return counted(Math.floor(seconds), "second");
}

const units = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
] as const;
