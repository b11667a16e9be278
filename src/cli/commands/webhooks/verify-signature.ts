import { createHmac, timingSafeEqual } from "node:crypto";
import { ConditionError, UsageError } from "../../errors/cli-errors.ts";
import { readNamedFile } from "../../file-io/value-sources.ts";
import type { Context } from "../../kit/command-spec.ts";
import { readDuration } from "../../time/parse-time.ts";

const prefix = "whsec_";
const defaultTolerance = "5m";
const lineFeed = 10;

/** `wcs webhooks verify`: checks that a body was signed with the secret (Standard Webhooks 1.0, signature v1). */
export async function verify({ terminal, flags }: Context): Promise<void> {
  if (flags.secretFile === undefined) throw new UsageError("missing --secret-file");
  const key = keyOf(readNamedFile(flags.secretFile as string, "--secret-file"));
  const headers = headersOf((flags.header as string[] | undefined) ?? []);
  const tolerance = readDuration((flags.tolerance as string | undefined) ?? defaultTolerance, "--tolerance");
  const timestamp = Number(headers["webhook-timestamp"]);
  const body = await terminal.readBytes();
  const expected = createHmac("sha256", key)
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`)
    .update(body)
    .digest();
  const isValid = headers["webhook-signature"].split(" ").some((each) => {
    const [scheme, signature = ""] = each.split(",");
    const given = Buffer.from(signature, "base64");
    return scheme === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isValid) {
    const hint =
      body.at(-1) === lineFeed ? "The body ends with a line break, as echo adds one; printf %s adds none." : undefined;
    throw new ConditionError("the signature does not match the secret, the headers and the body", hint);
  }
  // A timestamp that is no number is too far from now as well.
  if (!(Math.abs(Date.now() / 1000 - timestamp) <= tolerance)) {
    throw new ConditionError("the signature is valid, but its time is too far from now; allow more with --tolerance");
  }
  terminal.note("The signature is valid.");
}

function keyOf(text: string): Buffer {
  const secret = text.trim();
  const key = Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, "base64");
  if (key.length === 0) throw new UsageError("--secret-file must contain a secret like whsec_...");
  return key;
}

const needed = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

function headersOf(lines: readonly string[]): Record<(typeof needed)[number], string> {
  const found = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) throw new UsageError(`--header must be like 'webhook-id: msg_1', not '${line}'`);
    found.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const missing = needed.filter((name) => !found.has(name));
  if (missing.length > 0)
    throw new UsageError(`missing ${missing.map((name) => `--header '${name}: ...'`).join(", ")}`);
  return Object.fromEntries(found) as Record<(typeof needed)[number], string>;
}
