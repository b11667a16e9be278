/** Options in the query of an SMTP URL that count always, and those that count where TLS may be missing. */
const harmless = ["name", "authMethod", "tls.servername"];
const loosening = ["ignoreTLS", "tls.rejectUnauthorized"];

export interface SmtpTarget {
  /** Without options that loosen what is required. */
  readonly url: string;
  /** Mail leaves over TLS, by a server whose certificate is good, or not at all. */
  readonly requireTLS: boolean;
}

/** How mail leaves by an SMTP URL: in the clear only to this machine, or where `mail.allow_plain` says so. */
export function smtpTarget(text: string, allowPlain: boolean): SmtpTarget {
  const url = new URL(text);
  const mayBePlain = allowPlain || isLoopback(url.hostname);
  const counting = mayBePlain ? [...harmless, ...loosening] : harmless;
  for (const name of [...url.searchParams.keys()]) if (!counting.includes(name)) url.searchParams.delete(name);
  return { url: url.href, requireTLS: !mayBePlain };
}

/** By its name, not by what a name server says: the name may lead elsewhere when the connection is made. */
const isLoopback = (hostname: string): boolean =>
  /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/i.test(hostname);

export interface MailFailure {
  readonly error: string;
  readonly hopeless: boolean;
}

const noTls = "The mail server offers no TLS; set mail.allow_plain to send in the clear.";

/** What goes into the outbox about a failure: the server's code and answer, without anything that we sent. */
export function describeFailure(error: unknown, { requireTLS }: SmtpTarget): MailFailure {
  const { code = "", command, responseCode, response, message = "" } = error as Partial<SmtpError>;
  const isWithoutTls =
    (code === "ETLS" && command === "STARTTLS" && Boolean(response)) || (code === "ECONNECTION" && command === "EHLO");
  if (requireTLS && isWithoutTls) return { error: noTls, hopeless: false };
  if (/certificate|altnames/i.test(message) && response === undefined)
    return { error: `${code || "error"}: ${message.slice(0, 300)}`, hopeless: false };
  const refused = code === "EENVELOPE" || code === "EMESSAGE";
  const hopeless = refused && responseCode !== undefined && responseCode >= 500;
  const said = response === undefined ? "" : `: ${response.slice(0, 300)}`;
  return { error: `${code || "error"}${said}`, hopeless };
}

interface SmtpError {
  readonly code: string;
  readonly command: string;
  readonly responseCode: number;
  readonly response: string;
  readonly message: string;
}
