import { type ErrorCode, errorCodes, type FieldErrors, ServiceError } from "../../contract/errors.ts";
import type { Issue } from "../../contract/issue-messages.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { tryParseJson } from "../../contract/parse-json.ts";
import { parseRetryAfter } from "../../contract/retry-after.ts";
import { parseUrl } from "./base-url.ts";
import { badGateway, foreignAnswer, gatewayTimeout } from "./connection-errors.ts";
import { PermanentError } from "./permanent-error.ts";

interface Answer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { toString(): string };
}

/** The shape of an operation's successful answer, by which it is told from an answer of something else. Bytes have none. */
export interface AnswerShape {
  readonly empty?: true;
  readonly items?: string;
  readonly field?: string;
}

/** Returns the shape of an operation's answer, without its schema: building one takes longer than most requests. */
export function answerShapeOf({ status, list, item, bytes, knownBy = "id" }: AnyOperation): AnswerShape {
  if (status === 204) return { empty: true };
  if (list) return { items: list.items };
  return bytes ? {} : { field: item ?? knownBy };
}

const wrongPlace =
  "Check that the URL is the one of the service, and that no proxy answers in its place (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).";

/** Throws the service's errors, and one for a response of something else. Without a `shape`, a success has any body. */
export function readResponse(message: Answer, origin: string, shape?: AnswerShape, isDryRun = false): unknown {
  const { status, headers } = message;
  if (status >= 300 && status < 400) throw redirected(headers.location, origin);
  const value = jsonOf(message);
  if (status >= 200 && status < 300) {
    const isOurs = shape ? hasShape(value, shape, status) : value !== undefined || status === 204;
    if (!isOurs) throw notOurs(message, origin, foreignAnswer);
    if (isDryRun && headers["dry-run"] !== "true") throw notDry(origin);
    return value;
  }
  throw errorOf(message, value, origin);
}

function hasShape(value: unknown, { empty, items, field }: AnswerShape, status: number): boolean {
  if (empty) return status === 204;
  if (typeof value !== "object" || value === null) return false;
  if (items !== undefined) return Array.isArray((value as Record<string, unknown>)[items]);
  return field !== undefined && Object.hasOwn(value, field);
}

function jsonOf({ headers, body }: Answer): unknown {
  const isJson = /^application\/json\b/i.test(headers["content-type"] ?? "");
  return isJson ? tryParseJson(body.toString()) : undefined;
}

/** Maximum characters of a message that are shown. */
const maxMessageLength = 20_000;

const isFieldErrors = (value: unknown): value is FieldErrors =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every(
    (reasons) => Array.isArray(reasons) && reasons.every((reason) => typeof reason === "string"),
  );

const isIssue = (value: unknown): value is Issue =>
  typeof value === "object" && value !== null && typeof (value as Partial<Issue>).code === "string";

function errorOf(message: Answer, value: unknown, origin: string): ServiceError {
  const error = (value as { error?: Record<string, unknown> } | null)?.error;
  if (typeof error?.message !== "string") return notOurs(message, origin);
  const id = error.request_id;
  return new ServiceError(codeOf(error.code, message.status), error.message.slice(0, maxMessageLength), {
    fields: isFieldErrors(error.fields) ? error.fields : undefined,
    issues: Array.isArray(error.issues) ? error.issues.filter(isIssue) : undefined,
    retryAfter: retryAfter(message.headers),
    hint:
      message.status >= 500 && typeof id === "string" && /^[\w.:-]{1,128}$/.test(id)
        ? `In the log of ${origin} look for the request ID ${id}.`
        : undefined,
  });
}

/** Maps a code that this version does not know to the first one of the same status. */
function codeOf(code: unknown, status: number): ErrorCode {
  if (typeof code === "string" && Object.hasOwn(errorCodes, code)) return code as ErrorCode;
  const known = (Object.keys(errorCodes) as ErrorCode[]).find((name) => errorCodes[name].status === status);
  return known ?? (status >= 500 ? "internal" : "bad_request");
}

/** Returns true for the status of a proxy that cannot reach the service behind it; some have others than 502, 503 and 504. */
export const isGatewayError = (status: number): boolean => status > 500;

const proxyAnswered = "A proxy answered in place of the service. Check that the service is running.";

/** Returns the error for a page with status 404 as an outage: some proxies have no route to a service that restarts. */
export const withoutRoute = (error: unknown, { status }: Pick<Answer, "status">): unknown =>
  error instanceof PermanentError && status === 404
    ? new ServiceError("unavailable", error.message, { hint: proxyAnswered })
    : error;

function notOurs({ status, headers }: Answer, origin: string, success?: typeof foreignAnswer): ServiceError {
  const type = headers["content-type"]?.split(";")[0]?.slice(0, 100) || "no content type";
  const gateway = isGatewayError(status);
  // After other statuses the service may still be working, as after 504.
  const cause = status === 502 || status === 503 ? badGateway : status >= 500 ? gatewayTimeout : undefined;
  const message = `${origin} did not answer like a wcs service (status ${status}, ${type}).`;
  if (status === 413) return tooLargeForProxy(origin);
  if (status < 500 && status !== 429)
    return new PermanentError("unavailable", message, { hint: wrongPlace, cause: success });
  return new ServiceError("unavailable", message, {
    hint: gateway ? proxyAnswered : wrongPlace,
    cause,
    retryAfter: retryAfter(headers),
  });
}

const tooLargeForProxy = (origin: string) =>
  new ServiceError("payload_too_large", `A proxy in front of ${origin} refused the body as too large.`, {
    hint: "Raise the limit of the proxy, for nginx client_max_body_size, or send less at once.",
  });

function notDry(origin: string): ServiceError {
  return new PermanentError("unavailable", `${origin} did not confirm the dry run, so the change may have been made.`, {
    hint: "Check the current state. The server does not support dry runs, or a proxy removes the Dry-Run header.",
  });
}

function redirected(location: string | undefined, origin: string): ServiceError {
  const to = location === undefined ? undefined : parseUrl(location, origin);
  const isElsewhere = to && to.origin !== origin;
  const place = isElsewhere ? to.origin : (to?.pathname ?? "nowhere");
  const hint = isElsewhere ? `If you trust ${place}, give that as the URL.` : wrongPlace;
  return new PermanentError("unavailable", `${origin} redirects to ${place}, and redirects are not followed.`, {
    hint,
  });
}

function retryAfter({ "retry-after": header }: Answer["headers"]): number | undefined {
  const milliseconds = parseRetryAfter(header, Date.now());
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
