import { ServiceError } from "../../contract/errors.ts";
import type { Base } from "./base-url.ts";
import { PermanentError } from "./permanent-error.ts";

/** Progress of a failed request: it certainly did not reach the service (`connecting`), or it may have. */
type Phase = "connecting" | "talking";

interface Failure {
  readonly says: string;
  readonly hint: string;
  /** Left out where a retry cannot help. */
  readonly phase?: Phase;
}

const check = "Check the URL, and that the service is running.";
const trust =
  "If you trust it, pass the file with the certificate of its authority in --ca-file, or set NODE_EXTRA_CA_CERTS to it for all commands.";
const speaks = "Check the scheme (http or https) and the port of the URL.";
const network = "Check the network and the proxy settings (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).";
const proxy = "Check HTTP_PROXY and HTTPS_PROXY, or name the host in NO_PROXY.";

const failures: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: { says: "refused the connection", hint: check, phase: "connecting" },
  ENOTFOUND: { says: "has an unknown host name", hint: "Check the spelling of the host in the URL." },
  EAI_AGAIN: { says: "has a host name that could not be resolved", hint: network, phase: "connecting" },
  EHOSTUNREACH: { says: "cannot be reached over the network", hint: network, phase: "connecting" },
  ENETUNREACH: { says: "cannot be reached over the network", hint: network, phase: "connecting" },
  ETIMEDOUT: { says: "did not accept the connection", hint: network, phase: "connecting" },
  ECONNRESET: { says: "closed the connection", hint: check, phase: "talking" },
  EPIPE: { says: "closed the connection", hint: check, phase: "talking" },
  UND_ERR_SOCKET: { says: "closed the connection", hint: check, phase: "talking" },
  UNEXPLAINED: { says: "cannot be reached", hint: check, phase: "talking" },
  DEPTH_ZERO_SELF_SIGNED_CERT: { says: "has a self-signed certificate", hint: trust },
  SELF_SIGNED_CERT_IN_CHAIN: { says: "has a certificate of an unknown authority", hint: trust },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { says: "has a certificate of an unknown authority", hint: trust },
  UNABLE_TO_GET_ISSUER_CERT: { says: "has a certificate of an unknown authority", hint: trust },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { says: "has a certificate of an unknown authority", hint: trust },
  CERT_HAS_EXPIRED: {
    says: "has an expired certificate",
    hint: "Renew the certificate, or correct this machine's clock.",
  },
  CERT_NOT_YET_VALID: { says: "has a certificate that is not valid yet", hint: "Correct this machine's clock." },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    says: "has a certificate for another host",
    hint: "Use the host name in the certificate.",
  },
  EPROTO: { says: "does not support the same TLS versions", hint: speaks },
  ERR_SSL_WRONG_VERSION_NUMBER: { says: "does not speak TLS", hint: speaks },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { says: "does not speak TLS", hint: speaks },
  ERR_PROXY_TUNNEL: { says: "is blocked by the proxy", hint: proxy },
  ERR_PROXY_INVALID_CONFIG: { says: "is behind a proxy with an invalid URL", hint: proxy },
};

export function unreachable(cause: unknown, base: Base): ServiceError {
  const code = codeOf(cause);
  const failure = failures[code] ?? {
    says: code.startsWith("HPE_") ? "does not speak HTTP" : `cannot be reached${code && ` (${code})`}`,
    hint: code.startsWith("HPE_") ? speaks : check,
  };
  const port = portOf(cause);
  const viaProxy = port !== undefined && port !== base.port;
  const says = viaProxy ? "cannot be reached: the proxy did not accept the connection" : failure.says;
  const ErrorClass = /CERT|LEAF_SIGNATURE/.test(code) ? PermanentError : ServiceError;
  return new ErrorClass("unavailable", `${base.origin} ${says}.`, { hint: viaProxy ? proxy : failure.hint, cause });
}

export function timedOut(origin: string, ms: number): ServiceError {
  return new ServiceError("unavailable", `${origin} did not answer within ${seconds(ms)} s.`, {
    hint: "Try again later, or allow more time.",
    cause: tooLate,
  });
}

/** Returns the error of a request that was not sent, because the connection was not made in time. */
export function connectedTooLate(origin: string, ms: number): ServiceError {
  return new ServiceError("unavailable", `${origin} did not accept the connection within ${seconds(ms)} s.`, {
    hint: network,
    cause: { code: "ETIMEDOUT" },
  });
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;

/** The cause of an error when no answer came in time. */
const tooLate = Symbol("too late");

/** The cause of an error when a change was sent, and no response came. */
export class NoResponse extends Error {
  /** The key that the client made, with which the request can be repeated. */
  readonly idempotencyKey: string | undefined;
  /** Sentences for the beginning of the hint, each with a space after it. */
  readonly advice: string;

  constructor({ idempotencyKey, advice, cause }: { idempotencyKey?: string; advice: string; cause: unknown }) {
    super("no response to a change", { cause });
    this.idempotencyKey = idempotencyKey;
    this.advice = advice;
  }
}

/** Throws the error of a change with a hint that it may have been made, if the service may have got the request. */
export function failUnsure(error: unknown, idempotencyKey?: string): never {
  if (!(error instanceof ServiceError)) throw error;
  const { code, message, retryAfter, cause } = error;
  const isAnswered = cause === badGateway || cause === gatewayTimeout || cause === foreignAnswer;
  if (!isAnswered && cause !== tooLate && phaseOf(error) !== "talking") throw error;
  const advice = isAnswered ? `${error.hint} ` : "";
  const hint = `${advice}The change may have been made. Look before you repeat it.`;
  throw new ServiceError(code, message, { hint, retryAfter, cause: new NoResponse({ idempotencyKey, advice, cause }) });
}

/** The cause of an error when a proxy answered because the service did not; it may have got the request. */
export const badGateway = Symbol("bad gateway");
/** The cause of an error when a proxy did not wait any longer. The service may still be working, so no retry. */
export const gatewayTimeout = Symbol("gateway timeout");

/** The cause of an error when something answered with a success that is none of the service; it may have got the request. */
export const foreignAnswer = Symbol("foreign answer");

/** Returns the progress of a failed request; undefined when a retry cannot help. */
export function phaseOf({ cause }: ServiceError): Phase | undefined {
  return cause === badGateway ? "talking" : failures[codeOf(cause)]?.phase;
}

function codeOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}

/** Returns the port that Node tried to connect to, if known; for several addresses, that of the first. */
function portOf(cause: unknown): number | undefined {
  const first = (cause as { errors?: readonly unknown[] }).errors?.[0] ?? cause;
  return (first as { port?: number }).port;
}
