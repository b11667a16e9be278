export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Person {
  readonly name: string;
  readonly email: string;
  /** Invitation to set a password; `lifetime` is in seconds. */
  readonly invitation?: Invitation;
}

interface Invitation {
  readonly token: string;
  readonly lifetime: number;
}

export interface DisabledPayload {
  readonly name: string;
  readonly webhook: { readonly id: number; readonly name: string; readonly uri: string };
  readonly reason: "gone" | "failing" | "manual";
}

/** A paragraph: text, a link, or a code to copy. */
type Part = string | { readonly link: string } | { readonly code: string };

/**
 * Returns a welcome or password mail. `base` is the URL of the service; without it the mail has a code instead of a link.
 */
export function personText(kind: "welcome" | "password_reset", person: Person, base: string | null): MailText {
  return kind === "welcome" ? welcomeText(person, base) : resetText(person, base);
}

function welcomeText({ name, email, invitation }: Person, base: string | null): MailText {
  return mail("Welcome", name, [
    "An account was created for you.",
    ...(invitation === undefined && base !== null ? [{ link: base }] : []),
    ...(invitation === undefined ? [`Sign in as ${email}.`] : setPassword(email, invitation, base)),
  ]);
}

function resetText({ name, email, invitation }: Person, base: string | null): MailText {
  return mail("Set a new password", name, [
    "We received a request to reset your password.",
    ...(invitation === undefined ? [] : setPassword(email, invitation, base)),
    "If you did not request this, ignore this mail. Your password stays the same.",
  ]);
}

export function disabledText({ name, webhook, reason }: DisabledPayload): MailText {
  const why =
    reason === "gone" ? "its receiver answered that it is gone (410)" : "its receiver has only failed for five days";
  return mail(`Webhook ${oneLine(webhook.name)} was disabled`, name, [
    `The webhook ${webhook.name} (${webhook.id}) was disabled because ${why}. It receives no more callbacks.`,
    { code: webhook.uri },
    "See its log for the reasons. When the receiver works again, activate the webhook and recover the missed callbacks:",
    { code: `wcs webhooks update ${webhook.id} --active` },
    { code: `wcs webhooks recover ${webhook.id} --since -7d` },
  ]);
}

function setPassword(email: string, { token, lifetime }: Invitation, base: string | null): Part[] {
  const minutes = Math.round(lifetime / 60);
  const time = minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;
  const query = new URLSearchParams({ token, email });
  return [
    ...(base === null ? [] : ["Set your password here:", { link: `${base}/password/reset?${query}` }]),
    base === null ? `Set the password of ${email} with this code:` : `Or set the password of ${email} with this code:`,
    { code: token },
    `It works once, within ${time} after this mail was sent. After that, request a new one.`,
  ];
}

function mail(subject: string, name: string, parts: readonly Part[]): MailText {
  const all: Part[] = [`Dear ${name},`, ...parts];
  return {
    subject,
    text: `${all.map(plain).join("\n\n")}\n`,
    html: `<!doctype html>\n<html lang="en"><body style="font-family: sans-serif">\n${all.map(marked).join("\n")}\n</body></html>\n`,
  };
}

function plain(part: Part): string {
  if (typeof part === "string") return part;
  return `    ${"link" in part ? part.link : part.code}`;
}

function marked(part: Part): string {
  if (typeof part === "string") return `<p>${escaped(part)}</p>`;
  if ("code" in part) return `<p><code>${escaped(part.code)}</code></p>`;
  return `<p><a href="${escaped(part.link)}">${escaped(part.link)}</a></p>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
