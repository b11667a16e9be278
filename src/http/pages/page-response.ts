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

/** Throws `forbidden` when a browser says that another website sent a form. The token in the form is the authority. */
export function requireOwnForm(exchange: Exchange): void {
  const site = exchange.header("sec-fetch-site") ?? "none";
  if (site !== "same-origin" && site !== "none")
    throw new ServiceError("forbidden", "The form was sent from another website.");
}
