import { ServiceError } from "../contract/errors.ts";
import type { Content } from "../contract/file-forms.ts";
import type { Exchange } from "./exchange.ts";

/** What browsers show without running anything that is in it; all else they save. */
const shown = /^(image\/(png|apng|jpeg|gif|webp|bmp|avif)|application\/pdf)$/;

/** Answers with a content, or with the range of it that was asked for (RFC 9110, sections 13 and 14). */
export function respondWithContent(exchange: Exchange, content: Content): Response {
  const { size, mime } = content;
  const etag = `"${content.sha256}"`;
  // It never changes, but who may have it does.
  const headers: Record<string, string> = { etag, "cache-control": "private, no-cache", "accept-ranges": "bytes" };
  if (isKnown(exchange.header("if-none-match"), etag)) return exchange.respond(304, null, headers);
  const range = rangeOf(exchange, etag, size);
  if (range === "none") {
    const error = new ServiceError("range_not_satisfiable", `The file has ${size} bytes; ask for some of those.`);
    return exchange.fail(error, { "content-range": `bytes */${size}` });
  }
  const { from, to } = range ?? { from: 0, to: size };
  headers["content-type"] = mime === "text/plain" ? "text/plain; charset=utf-8" : mime;
  headers["content-length"] = String(to - from);
  headers["content-disposition"] = disposition(content);
  // Browsers show PDFs by an extension, which they do not load into a sandbox; it runs nothing in our name.
  if (mime !== "application/pdf") headers["content-security-policy"] = "default-src 'none'; sandbox";
  if (range) headers["content-range"] = `bytes ${from}-${to - 1}/${size}`;
  const body = ReadableStream.from(exchange.sending(content.read(from, to))) as ReadableStream<Uint8Array>;
  return exchange.respond(range ? 206 : 200, body, headers);
}

function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** The one range that is asked for; `none` when no byte is in it. What is not understood is not obeyed. */
function rangeOf(exchange: Exchange, etag: string, size: number): { from: number; to: number } | "none" | undefined {
  const header = exchange.header("range");
  const condition = exchange.header("if-range");
  if (header === undefined || exchange.request.method !== "GET" || (condition ?? etag) !== etag) return undefined;
  const [, first = "", last = ""] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header) ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") return Number(last) === 0 ? "none" : { from: Math.max(0, size - Number(last)), to: size };
  const from = Number(first);
  const to = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < from) return undefined;
  return from < size ? { from, to } : "none";
}

/** RFC 6266: the name in ASCII for whoever knows no better, and as it is (RFC 8187). */
function disposition({ name, mime }: Content): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${shown.test(mime) ? "inline" : "attachment"}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
