import { ServiceError } from "../../contract/errors.ts";
import type { Exchange } from "../server/exchange.ts";

/** Protects pages: nothing from other origins, no frames around them, and no address of theirs in a Referer header. */
const protection: Readonly<Record<string, string>> = {
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

const policy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self'",
  "form-action": "'self'",
  "base-uri": "'none'",
  "frame-ancestors": "'none'",
};

/** Returns the headers of a page; `more` extends its content security policy. */
export function pageHeaders(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const directives = Object.entries({ ...policy, ...more }).map(([name, value]) => `${name} ${value}`);
  return {
    ...protection,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": directives.join("; "),
  };
}

/**
 * Throws `forbidden` when another website sent a form. Accepts `Origin: null`, which browsers send because of our
 * Referrer-Policy; the token in the form is the authority.
 */
export function requireOwnForm(exchange: Exchange, baseUrl: string): void {
  const site = exchange.header("sec-fetch-site");
  const origin = exchange.header("origin");
  const isOwn =
    site === undefined
      ? origin === undefined || origin === "null" || isOwnOrigin(origin, exchange, baseUrl)
      : site === "same-origin" || site === "none";
  if (!isOwn) throw new ServiceError("forbidden", "The form was sent from another website.");
}

/** Compares with the host of the request, too, because a reverse proxy may serve under further names. */
function isOwnOrigin(origin: string, exchange: Exchange, baseUrl: string): boolean {
  const host = URL.parse(origin)?.host;
  return host !== undefined && (origin === URL.parse(baseUrl)?.origin || host === exchange.header("host"));
}
