/** Every way in which an operation can fail: the one table from code to HTTP status to exit code of the command line. */
export const errorCodes = {
  bad_request: { status: 400, exit: 3 },
  unauthenticated: { status: 401, exit: 4 },
  forbidden: { status: 403, exit: 5 },
  not_found: { status: 404, exit: 6 },
  method_not_allowed: { status: 405, exit: 2 },
  conflict: { status: 409, exit: 7 },
  gone: { status: 410, exit: 6 },
  payload_too_large: { status: 413, exit: 3 },
  unsupported_media_type: { status: 415, exit: 3 },
  range_not_satisfiable: { status: 416, exit: 3 },
  validation_failed: { status: 422, exit: 3 },
  too_many_requests: { status: 429, exit: 8 },
  internal: { status: 500, exit: 1 },
  unavailable: { status: 503, exit: 8 },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** Wrong fields by name, each with one or more sentences about what to do. */
export type FieldErrors = Record<string, string[]>;

export interface ErrorDetails {
  fields?: FieldErrors;
  /** Seconds after which it is worth trying again. */
  retryAfter?: number;
  /** What the user could do next, for the command line. Never part of a response. */
  hint?: string;
  cause?: unknown;
}

/** A failure that may be shown to whoever asked: `message` is one sentence without secrets, SQL or paths of the server. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly fields: FieldErrors | undefined;
  readonly retryAfter: number | undefined;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.fields = details.fields;
    this.retryAfter = details.retryAfter;
    this.hint = details.hint;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

/** A `validation_failed` error about the named fields. */
export function invalid(fields: FieldErrors): ServiceError {
  const names = Object.keys(fields);
  const first = names[0] ?? "input";
  const sentence = `${first} ${fields[first]?.[0] ?? "is not valid"}`;
  return new ServiceError(
    "validation_failed",
    names.length > 1 ? `${sentence} (and ${names.length - 1} more).` : `${sentence}.`,
    {
      fields,
    },
  );
}
