/** Type of failure of an attempt without an HTTP response. */
type FailureStatus = "timeout" | "refused" | "dns_error" | "tls_error" | "blocked" | "reset";

const codes: Record<Exclude<FailureStatus, "reset">, readonly string[]> = {
  blocked: ["EBLOCKED"],
  refused: ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "EACCES"],
  dns_error: "ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA ENODATA ESERVFAIL EBADNAME ETIMEOUT EREFUSED".split(" "),
  timeout: ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"],
  tls_error: ["EPROTO"],
};
const byCode = new Map(
  Object.entries(codes).flatMap(([status, those]) => those.map((code) => [code, status as FailureStatus])),
);

const tls = /ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|CRL_/;

const sentences: Record<FailureStatus, string> = {
  timeout: "The receiver did not answer in time.",
  refused: "The receiver could not be reached.",
  dns_error: "The host name could not be resolved.",
  tls_error: "No trusted TLS connection could be made.",
  blocked: "The receiver has no public address, and webhooks.allow_private is off.",
  reset: "The connection ended without an answer that could be read.",
};

/** Returns the status and the error for the log, with no more than a code: messages can hold anything. */
export function describeAttemptFailure(error: unknown): { status: FailureStatus; error: string } {
  const code = codeOf(error as NetworkError);
  const status = byCode.get(code ?? "") ?? (tls.test(code ?? "") ? "tls_error" : "reset");
  return {
    status,
    error: code === undefined || code === "EBLOCKED" ? sentences[status] : `${sentences[status]} (${code})`,
  };
}

interface NetworkError {
  readonly code?: unknown;
  readonly cause?: NetworkError;
  readonly errors?: readonly NetworkError[];
}

/** Returns the code of the error or of its cause; for several connection attempts, that of the first. */
function codeOf(error: NetworkError | undefined): string | undefined {
  if (!error) return undefined;
  const { code } = error.errors?.[0] ?? error;
  return typeof code === "string" ? code : codeOf(error.cause);
}
