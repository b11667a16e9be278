import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";
import type { Exchange } from "../server/exchange.ts";
import { isKnown } from "../server/send-content.ts";

const types = {
  "page.css": "text/css; charset=utf-8",
  "password-form.js": "text/javascript; charset=utf-8",
  "send-once.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
  "docs.css": "text/css; charset=utf-8",
  "docs.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;

type AssetName = keyof typeof types;
export const assetNames = Object.keys(types) as readonly AssetName[];

/**
 * The folder that scripts/build.ts fills: beside the bundle, and in dist for sources that run without a build. An executable
 * contains the files.
 */
const folder = import.meta.dirname.endsWith("pages")
  ? join(import.meta.dirname, "../../../dist/assets")
  : join(import.meta.dirname, "assets");

export async function respondWithAsset(exchange: Exchange, name: AssetName): Promise<Response> {
  const bytes = isSea() ? Buffer.from(getAsset(`assets/${name}`)) : await readFile(join(folder, name));
  const etag = `"${hash("sha256", bytes, "base64url")}"`;
  const headers = {
    etag,
    "cache-control": "public, no-cache",
    "cross-origin-resource-policy": "same-origin",
    "content-type": types[name],
  };
  if (isKnown(exchange, etag)) return exchange.respond(304, null, headers);
  return exchange.respond(200, bytes.toString(), headers);
}
