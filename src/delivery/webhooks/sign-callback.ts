import { createHmac, createSecretKey } from "node:crypto";
import { memoize } from "../../contract/bounded-map.ts";

interface UnsignedCallback {
  /** The header `webhook-id`: the same in every attempt. */
  readonly id: string;
  /** Unix seconds of the attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the headers of Standard Webhooks 1.0, with a signature for each secret (`whsec_` and base64), newest first. */
export function signatureHeaders(message: UnsignedCallback, secrets: readonly string[]): Record<string, string> {
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": secrets.map((secret) => signature(message, secret)).join(" "),
  };
}

/** Returns the HMAC-SHA256 of `id.timestamp.body`, as `v1,<base64>`. */
function signature({ id, timestamp, body }: UnsignedCallback, secret: string): string {
  return `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/** Caches keys, because creating a key takes longer than using it. */
const keyOf = memoize((secret: string) => createSecretKey(secret.replace("whsec_", ""), "base64"));
