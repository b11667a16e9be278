import type { Cause, Issue } from "./issue-messages.ts";

/** Maps each error code to its HTTP status and to the exit code of the command line. */
export const errorCodes = {
  bad_request: { status: 400, exit: 3 },
  unauthenticated: { status: 401, exit: 4 },
  otp_required: { status: 401, exit: 4 },
  forbidden: { status: 403, exit: 5 },
  two_factor_required: { status: 403, exit: 5 },
  not_found: { status: 404, exit: 6 },
  method_not_allowed: { status: 405, exit: 2 },
  conflict: { status: 409, exit: 7 },
  gone: { status: 410, exit: 6 },
  precondition_failed: { status: 412, exit: 3 },
  payload_too_large: { status: 413, exit: 3 },
  unsupported_media_type: { status: 415, exit: 3 },
  range_not_satisfiable: { status: 416, exit: 3 },
  validation_failed: { status: 422, exit: 3 },
  too_many_requests: { status: 429, exit: 8 },
  internal: { status: 500, exit: 8 },
  unavailable: { status: 503, exit: 8 },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** Messages about wrong fields, by the path of the field. */
export type FieldErrors = Record<string, string[]>;

/** Issues by the path of their field: their causes, or messages of their own, which have the code `invalid`. */
export type FieldIssues = Record<string, readonly (Cause | string)[]>;

export interface ErrorDetails {
  fields?: FieldErrors;
  /** The same as `fields` for code. A field without an entry here gets the code `invalid`. */
  issues?: readonly Issue[];
  /** Seconds after which the caller may try again. */
  retryAfter?: number;
  /** Next step for the user of the command line. Never part of a response. */
  hint?: string;
  cause?: unknown;
}

/** A failure that may be shown to the caller: `message` is one sentence without secrets, SQL or paths of the server. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly fields: FieldErrors | undefined;
  /** Empty unless `fields` are given. */
  readonly issues: readonly Issue[];
  readonly retryAfter: number | undefined;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.fields = details.fields;
    this.issues = completeIssues(details.fields ?? {}, details.issues ?? []);
    this.retryAfter = details.retryAfter;
    this.hint = details.hint;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

function completeIssues(fields: FieldErrors, issues: readonly Issue[]): readonly Issue[] {
  const known = Map.groupBy(issues, ({ field }) => field);
  return Object.keys(fields).flatMap((field) => known.get(field) ?? [{ field, code: "invalid" as const }]);
}

/** Maximum number of fields that a message names. */
const maxNamed = 50;

/** Returns a `validation_failed` error about these fields. Its message names the first of them. */
export function invalid(fields: FieldErrors, issues: readonly Issue[] = []): ServiceError {
  const all = Object.entries(fields);
  const named = all.slice(0, maxNamed).map(([field, reasons]) => `${field} ${reasons[0] ?? "is not valid"}`);
  if (all.length > maxNamed) named.push(`and ${all.length - maxNamed} more fields`);
  return new ServiceError("validation_failed", `${named.join("; ") || "input is not valid"}.`, { fields, issues });
}
