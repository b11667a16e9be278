import { pluralize } from "../../contract/count-text.ts";
import { type ErrorCode, errorCodes, type FieldErrors, ServiceError } from "../../contract/errors.ts";
import { diskFailureOf } from "./disk-failure.ts";

/** An invalid command line: exit 2. `usage` is the command's usage line. */
export class UsageError extends Error {
  readonly hint: string | undefined;
  readonly usage: string | undefined;

  constructor(message: string, more: { hint?: string; usage?: string } = {}) {
    super(message);
    this.hint = more.hint;
    this.usage = more.usage;
  }
}

/** A checked condition is not met: exit 9. */
export class ConditionError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The user cancelled at a prompt or with Ctrl-C: exit 130, without a message. */
export class Interrupted extends Error {}

/** Another process of the command failed and has printed why: exits as that process did, without a message. */
export class ReportedElsewhere extends Error {
  readonly exit: number;

  constructor(exit: number) {
    super();
    this.exit = exit;
  }
}

/** The reader of stdout has closed it, as `| head` does: exit 0, without a message. */
export class BrokenPipe extends Error {}

/** Errors of a write after the reader has gone. A socket as stdout, as Node gives its children, reports the second. */
const closed = new Set<string | undefined>(["EPIPE", "ECONNRESET"]);

export const isBrokenPipe = (error: unknown): boolean => closed.has((error as NodeJS.ErrnoException).code);

/** Output could not be written after a change: as its cause, with another message. */
export class LostOutput extends Error {
  constructor(cause: unknown) {
    super("The change was made, but its output could not be written", { cause });
  }
}

export interface Failure {
  exit: number;
  code: ErrorCode | "usage" | "condition" | "disk_full" | "disk_failing" | "crash";
  message: string;
  hint?: string;
  usage?: string;
  fields?: FieldErrors;
  retryAfter?: number;
}

/** Converts an error into the exit code and message of a failed command. */
export function failureOf(error: unknown): Failure {
  // Closing a file or a connection failed, too.
  if (error instanceof SuppressedError) return failureOf(error.suppressed);
  if (error instanceof UsageError) {
    const { message, hint, usage } = error;
    return { exit: 2, code: "usage", message: sentence(message), hint: hint && sentence(hint), usage };
  }
  if (error instanceof ConditionError) {
    return { exit: 9, code: "condition", message: sentence(error.message), hint: error.hint };
  }
  if (error instanceof LostOutput) {
    const { exit, code, message } = failureOf(error.cause);
    const hint = "Check what it changed before you run the command again.";
    return { exit, code, message: `${error.message}. ${message}`, hint };
  }
  const diskFailure = diskFailureOf(error);
  if (diskFailure) return diskFailure;
  if (error instanceof ServiceError) {
    const { code, fields, retryAfter } = error;
    const next = [error.hint ?? hints[code], retryAfter !== undefined && `Try again in ${formatWait(retryAfter)}.`];
    const hint = next.filter(Boolean).join(" ") || undefined;
    return { exit: errorCodes[code].exit, code, message: withFullStop(error.message), hint, fields, retryAfter };
  }
  const message = `Unexpected failure: ${error instanceof Error ? error.message : String(error)}`;
  return { exit: 1, code: "crash", message, hint: "Set WCS_DEBUG=1 to see the stack trace." };
}

/** Formats a wait, rounded up: `30 seconds`, `12 minutes`, `2 hours`. */
function formatWait(seconds: number): string {
  const units = [
    ["hour", 3600],
    ["minute", 60],
  ] as const;
  const [unit, length] = units.find(([, length]) => seconds > length * 1.5) ?? ["second", 1];
  return pluralize(Math.max(1, Math.ceil(seconds / length)), unit);
}

/** Adds a full stop, and a capital letter unless the text begins with the name of a program, field or file. */
function sentence(text: string): string {
  return withFullStop(/^(wcs\b|\S*[./\\_]\w)/.test(text) ? text : capitalize(text));
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Adds a full stop unless the text ends with a mark. */
export const withFullStop = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

const hints: { [C in ErrorCode]?: string } = {
  unauthenticated: "Sign in with wcs auth login.",
  otp_required: "Pass the code with --otp-stdin.",
};
