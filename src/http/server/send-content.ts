import { ServiceError } from "../../contract/errors.ts";
import type { Content } from "../../contract/file-schemas.ts";
import type { Exchange } from "./exchange.ts";

/** Types that browsers display without running anything in them; other types are downloaded. */
const displayedTypes = /^(image\/(png|apng|jpeg|gif|webp|bmp|avif)|application\/pdf)$/;

/** Responds with a content, or with the requested range of it (RFC 9110, sections 13 and 14). */
export function respondWithContent(exchange: Exchange, content: Content): Response {
  const { size, mime } = content;
  const etag = `"${content.sha256}"`;
  // `no-cache`: the content never changes, but permissions may.
  const headers: Record<string, string> = { etag, "cache-control": "private, no-cache", "accept-ranges": "bytes" };
  const wanted = exchange.header("if-match");
  if (wanted !== undefined && !isListed(wanted, etag)) {
    return exchange.refuse(new ServiceError("precondition_failed", "The ETag of the file is not in If-Match."), {
      etag,
    });
  }
  if (isKnown(exchange, etag)) return exchange.respond(304, null, headers);
  const range = rangeOf(exchange, etag, size);
  if (range === "none") {
    const error = new ServiceError("range_not_satisfiable", `The file has ${size} bytes; request a range within them.`);
    return exchange.fail(error, { "content-range": `bytes */${size}` });
  }
  const { from, to } = range ?? { from: 0, to: size };
  headers["content-type"] = mime === "text/plain" ? "text/plain; charset=utf-8" : mime;
  headers["content-length"] = String(to - from);
  headers["content-disposition"] = disposition(content);
  // Browsers display PDFs in an extension, which does not load in a sandbox. It runs no scripts in our origin.
  if (mime !== "application/pdf") headers["content-security-policy"] = "default-src 'none'; sandbox";
  if (range) headers["content-range"] = `bytes ${from}-${to - 1}/${size}`;
  const body = ReadableStream.from(exchange.sending(content.read(from, to))) as ReadableStream<Uint8Array>;
  return exchange.respond(range ? 206 : 200, body, headers);
}

/** Returns true when the client has the content with that tag. */
export const isKnown = (exchange: Exchange, etag: string): boolean =>
  isListed((exchange.header("if-none-match") ?? "").replaceAll("W/", ""), etag);

const isListed = (tags: string, etag: string): boolean =>
  tags === "*" || tags.split(",").some((tag) => tag.trim() === etag);

/** Returns `none` when the range contains no byte. Ignores ranges that cannot be parsed, unlike range-parser. */
function rangeOf(exchange: Exchange, etag: string, size: number): { from: number; to: number } | "none" | undefined {
  const header = exchange.header("range");
  const condition = exchange.header("if-range");
  if (header === undefined || exchange.request.method !== "GET" || (condition ?? etag) !== etag) return undefined;
  const { first = "", last = "" } = /^bytes=\s*(?<first>\d{0,15})-(?<last>\d{0,15})\s*$/i.exec(header)?.groups ?? {};
  if (first === "" && last === "") return undefined;
  if (first === "") return Number(last) === 0 ? "none" : { from: Math.max(0, size - Number(last)), to: size };
  const from = Number(first);
  const to = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < from) return undefined;
  return from < size ? { from, to } : "none";
}

/** Adds the exact name (RFC 8187) always: content-disposition leaves it out where it thinks the ASCII one is enough. */
function disposition({ name, mime }: Content): string {
  const plain = name
    // Not NFKD, which makes a full-width solidus one that separates folders.
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${displayedTypes.test(mime) ? "inline" : "attachment"}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
