import type { FieldErrors } from "../../src/contract/errors.ts";
import { ServiceError } from "../../src/contract/errors.ts";

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly fields: FieldErrors | undefined;
  readonly retryAfter: number | undefined;
}

/** The response of an operation, or its `ServiceError`. */
export type Outcome = { readonly answer: unknown } | { readonly refusal: Refusal };

export async function outcome(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { answer: await call };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, fields, retryAfter } = error;
    // Fields come without a prototype from the core, with one from JSON.
    return { refusal: { code, message, fields: fields && { ...fields }, retryAfter } };
  }
}

/** How an operation was refused; an answer is a failure of the test. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  const result = await outcome(call);
  if ("refusal" in result) return result.refusal;
  throw new Error(`Expected a refusal, got ${JSON.stringify(result.answer)}`);
}

/** The code of the refusal, or `ok`. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  const result = await outcome(call);
  return "refusal" in result ? result.refusal.code : "ok";
}

/** The names of the wrong fields of a `validation_failed`, each of which has a message. */
export async function wrongFields(call: Promise<unknown>): Promise<string[]> {
  const { code, fields = {}, message } = await refusal(call);
  if (code !== "validation_failed") throw new Error(`Expected validation_failed, got ${code}: ${message}`);
  const silent = Object.keys(fields).filter((field) => !fields[field]?.[0]);
  if (silent.length > 0) throw new Error(`No message says what is wrong with ${silent.join(", ")}`);
  return Object.keys(fields).sort();
}

/** How often each code came out of calls that ran at once. */
export async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const code of await Promise.all(calls.map(codeOf))) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
