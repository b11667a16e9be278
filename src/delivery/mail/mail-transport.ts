/** Options in the query of an SMTP URL: those that always apply, and those that apply only where TLS is optional. */
const harmless = ["name", "authMethod", "tls.servername"];
const loosening = ["ignoreTLS", "tls.rejectUnauthorized"];

export interface SmtpTarget {
  /** SMTP URL without options that weaken TLS where it is required. */
  readonly url: string;
  /** When true, mail leaves only over TLS and to a server with a valid certificate. */
  readonly requireTLS: boolean;
}

/** Returns the target of an SMTP URL. TLS is optional only for this machine, or with `mail.allow_plain`. */
export function smtpTarget(text: string, allowPlain: boolean): SmtpTarget {
  const url = new URL(text);
  const isTlsOptional = allowPlain || isLoopback(url.hostname);
  const allowed = isTlsOptional ? [...harmless, ...loosening] : harmless;
  for (const name of [...url.searchParams.keys()]) if (!allowed.includes(name)) url.searchParams.delete(name);
  return { url: url.href, requireTLS: !isTlsOptional };
}

/** Decides by the name and not by its address: the name may resolve to another address when the connection is made. */
const isLoopback = (hostname: string): boolean =>
  /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/i.test(hostname);

export interface MailFailure {
  readonly error: string;
  readonly permanent: boolean;
}

const noTls = "The mail server does not support TLS; set mail.allow_plain to send without it.";

type SmtpError = Partial<Record<"code" | "command" | "response" | "message", string> & { responseCode: number }>;

/** Codes of errors whose message tells why there is no connection, as in `connect ECONNREFUSED 192.0.2.1:25`. */
const connectionCodes = ["EDNS", "ESOCKET", "ECONNECTION", "ETIMEDOUT", "ETLS"];

/** Returns the error to store in the outbox: the code, and the server's answer or the lack of one, without anything that we sent. */
export function describeMailFailure(error: unknown, { requireTLS }: SmtpTarget): MailFailure {
  const { code = "", command, responseCode = 0, response, message = "" } = error as SmtpError;
  const isRefused = responseCode >= 500;
  // A server that is only busy answers to both with 4xx.
  if (requireTLS && isRefused && (command === "EHLO" || command === "STARTTLS"))
    return { error: noTls, permanent: false };
  const permanent = isRefused && (code === "EENVELOPE" || code === "EMESSAGE");
  const said = response ?? (connectionCodes.includes(code) ? message.trim() : "");
  return { error: `${code || "error"}${said && `: ${said.slice(0, 300)}`}`, permanent };
}
