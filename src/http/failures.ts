import { ServiceError } from "../contract/errors.ts";
import type { Base } from "./base.ts";

/** Up to where a request came: surely not to the service, or perhaps. */
type Phase = "connecting" | "talking";

interface Failure {
  readonly says: string;
  readonly hint: string;
  /** Left out where trying again changes nothing. */
  readonly phase?: Phase;
}

const check = "Check the URL, and that the service runs.";
const trust = "If you trust it, give the certificate of its authority as a CA file.";
const speaks = "Check the scheme (http or https) and the port of the URL.";
const network = "Check the network and the proxy settings (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).";
const proxy = "Check HTTP_PROXY and HTTPS_PROXY, or name the host in NO_PROXY.";

const failures: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: { says: "refused the connection", hint: check, phase: "connecting" },
  ENOTFOUND: { says: "has a host name that is not known", hint: "Check the spelling of the host in the URL." },
  EAI_AGAIN: { says: "has a host name that could not be looked up", hint: network, phase: "connecting" },
  EHOSTUNREACH: { says: "cannot be reached over the network", hint: network, phase: "connecting" },
  ENETUNREACH: { says: "cannot be reached over the network", hint: network, phase: "connecting" },
  ETIMEDOUT: { says: "did not take the connection", hint: network, phase: "connecting" },
  ECONNRESET: { says: "broke the connection off", hint: check, phase: "talking" },
  EPIPE: { says: "broke the connection off", hint: check, phase: "talking" },
  DEPTH_ZERO_SELF_SIGNED_CERT: { says: "shows a self-signed certificate", hint: trust },
  SELF_SIGNED_CERT_IN_CHAIN: { says: "shows a certificate of an authority that is not known here", hint: trust },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { says: "shows a certificate of an authority that is not known here", hint: trust },
  UNABLE_TO_GET_ISSUER_CERT: { says: "shows a certificate of an authority that is not known here", hint: trust },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    says: "shows a certificate of an authority that is not known here",
    hint: trust,
  },
  CERT_HAS_EXPIRED: {
    says: "shows a certificate that has expired",
    hint: "Renew it there, or set this machine's clock.",
  },
  CERT_NOT_YET_VALID: { says: "shows a certificate that is not valid yet", hint: "Set this machine's clock." },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    says: "shows a certificate for another host",
    hint: "Use the host name that it is for.",
  },
  EPROTO: { says: "does not speak TLS as we do", hint: speaks },
  ERR_SSL_WRONG_VERSION_NUMBER: { says: "does not speak TLS", hint: speaks },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { says: "does not speak TLS", hint: speaks },
  ERR_PROXY_TUNNEL: { says: "is not let through by the proxy", hint: proxy },
  ERR_PROXY_INVALID_CONFIG: { says: "is behind a proxy whose URL is wrong", hint: proxy },
};

/** The error for a request that got no answer, from what node says about it. */
export function unreachable(cause: unknown, base: Base): ServiceError {
  const code = codeOf(cause);
  const failure = failures[code] ?? {
    says: code.startsWith("HPE_") ? "does not speak HTTP" : `cannot be reached${code && ` (${code})`}`,
    hint: code.startsWith("HPE_") ? speaks : check,
  };
  const port = portOf(cause);
  const viaProxy = port !== undefined && port !== base.port;
  const says = viaProxy ? "cannot be reached: the proxy did not take the connection" : failure.says;
  return new ServiceError("unavailable", `${base.origin} ${says}.`, { hint: viaProxy ? proxy : failure.hint, cause });
}

/** How far a request that failed had come, if sending it again may help. */
export function phaseOf(error: ServiceError): Phase | undefined {
  return failures[codeOf(error.cause)]?.phase;
}

function codeOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}

/** The port that node tried to connect to, where it says so; of several addresses, that of the first. */
function portOf(cause: unknown): number | undefined {
  const { port, errors } = cause as { port?: number; errors?: { port?: number }[] };
  return port ?? errors?.[0]?.port;
}
