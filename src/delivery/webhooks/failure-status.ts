/** Type of failure of an attempt without an HTTP response. */
type FailureStatus = "timeout" | "refused" | "dns_error" | "tls_error" | "blocked" | "reset";

const byCode: Record<string, FailureStatus> = {
  EBLOCKED: "blocked",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  ENETUNREACH: "refused",
  EADDRNOTAVAIL: "refused",
  EACCES: "refused",
  ENOTFOUND: "dns_error",
  EAI_AGAIN: "dns_error",
  EAI_FAIL: "dns_error",
  EAI_NODATA: "dns_error",
  ENODATA: "dns_error",
  ESERVFAIL: "dns_error",
  EBADNAME: "dns_error",
  ETIMEOUT: "dns_error",
  EREFUSED: "dns_error",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  EPROTO: "tls_error",
};

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
  const code = codeOf(error);
  const status = byCode[code ?? ""] ?? (isTls(code) ? "tls_error" : "reset");
  return {
    status,
    error: code === undefined || code === "EBLOCKED" ? sentences[status] : `${sentences[status]} (${code})`,
  };
}

/** Returns the code of the error or of its cause; for several connection attempts, that of the first. */
function codeOf(error: unknown): string | undefined {
  for (let each = error as { code?: unknown; cause?: unknown; errors?: unknown[] } | undefined; each; ) {
    const [first] = each.errors ?? [];
    const { code } = (first ?? each) as { code?: unknown };
    if (typeof code === "string") return code;
    each = each.cause as typeof each;
  }
  return undefined;
}

function isTls(code: string | undefined): boolean {
  return (
    code !== undefined && /ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|CRL_/.test(code)
  );
}
