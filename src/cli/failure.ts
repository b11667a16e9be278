import { type ErrorCode, errorCodes, type FieldErrors, type ServiceError } from "../contract/errors.ts";
import { diskFailureOf } from "./disk-failure.ts";

/** The command line itself is wrong: exit 2. `usage` is the line that shows how it goes. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string | undefined;
  readonly usage: string | undefined;

  constructor(message: string, more: { hint?: string | undefined; usage?: string | undefined } = {}) {
    super(message);
    this.hint = more.hint;
    this.usage = more.usage;
  }
}

/** A condition that was asked about does not hold: exit 9. */
export class ConditionError extends Error {
  override readonly name = "ConditionError";
}

/** The user broke off, at a prompt or by Ctrl-C: exit 130, without a word. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Whoever reads our output has gone, as `| head` does: exit 0, without a word. */
export class BrokenPipe extends Error {
  override readonly name = "BrokenPipe";
}

export interface Failure {
  exit: number;
  code: ErrorCode | "usage" | "condition" | "disk_full" | "disk_failing" | "crash";
  message: string;
  hint?: string | undefined;
  usage?: string | undefined;
  fields?: FieldErrors | undefined;
  retryAfter?: number | undefined;
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && error.name === "ServiceError" && (error as ServiceError).code in errorCodes;

/** What an error means to whoever typed the command. */
export function failureOf(error: unknown): Failure {
  if (error instanceof UsageError) {
    return {
      exit: 2,
      code: "usage",
      message: sentence(error.message),
      hint: error.hint && sentence(error.hint),
      usage: error.usage,
    };
  }
  if (error instanceof ConditionError) return { exit: 9, code: "condition", message: sentence(error.message) };
  const diskFailure = diskFailureOf(error);
  if (diskFailure) return diskFailure;
  if (isServiceError(error)) {
    const { code, message, hint, fields, retryAfter } = error;
    return { exit: errorCodes[code].exit, code, message, hint: hint ?? hints[code], fields, retryAfter };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    exit: 1,
    code: "crash",
    message: `Unexpected failure: ${message}`,
    hint: "WCS_DEBUG=1 shows where it happened.",
  };
}

/** With a full stop, and a capital unless it begins with a name: of a program or a field. */
function sentence(text: string): string {
  const begun = /^(wcs\b|\w+[._]\w)/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}

const hints: { [C in ErrorCode]?: string } = {
  unauthenticated: "Sign in with wcs auth login.",
};
