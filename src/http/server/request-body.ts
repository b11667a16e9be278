import { isAscii } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ServiceError } from "../../contract/errors.ts";
import type { Arrival } from "./arrivals.ts";
import type { Exchange } from "./exchange.ts";

const jsonBody = {
  type: /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i,
  wrong: "The body must be JSON, with Content-Type: application/json, or application/json; charset=utf-8.",
};
const formBody = {
  type: /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i,
  wrong: "The body must be a form, with Content-Type: application/x-www-form-urlencoded.",
};

export function announcesBody(exchange: Exchange): boolean {
  const length = exchange.header("content-length");
  return length === undefined ? exchange.header("transfer-encoding") !== undefined : length !== "0";
}

/** Returns the maximum size of the body; 0 when it exceeds the limit, because it is not read then. */
export function announcedBytes(exchange: Exchange, limit: number): number {
  const length = Number(exchange.header("content-length") ?? limit);
  return announcesBody(exchange) && length <= limit ? length : 0;
}

interface Reception {
  readonly limit: number;
  /** Inspects each part as it arrives. Throws a `ServiceError` to stop reading. */
  readonly check?: (chunk: Buffer) => void;
  readonly arrival?: Arrival;
}

export function readBytes(exchange: Exchange, reception: Reception): Promise<Buffer | undefined> {
  return readTyped(exchange, reception, jsonBody);
}

export async function readForm(exchange: Exchange, limit: number): Promise<URLSearchParams> {
  const bytes = await readTyped(exchange, { limit }, formBody);
  return new URLSearchParams(bytes?.toString() ?? "");
}

async function readTyped(
  exchange: Exchange,
  reception: Reception,
  { type, wrong }: typeof jsonBody,
): Promise<Buffer | undefined> {
  const { limit } = reception;
  if (!announcesBody(exchange)) return undefined;
  if (Number(exchange.header("content-length")) > limit) throw tooLarge(limit);
  exchange.invite();
  const typed = type.test(exchange.header("content-type") ?? "");
  const encoding = exchange.header("content-encoding");
  // Only exchanges that report an unreadable request have no socket.
  const bytes = typed ? await fromSocket(exchange.incoming!, reception) : undefined;
  if (bytes?.length === 0) return undefined;
  if (!bytes) throw new ServiceError("unsupported_media_type", wrong);
  if (encoding !== undefined && encoding !== "identity") {
    throw new ServiceError("unsupported_media_type", "The body must be sent without Content-Encoding.");
  }
  return bytes;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

export function parseJsonBody(bytes: Buffer | undefined): unknown {
  if (bytes === undefined) return undefined;
  try {
    return parseWithoutLongTexts(bytes) ?? JSON.parse(textOf(bytes));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // The parser's own message quotes the body, which may hold a password.
    throw new ServiceError("bad_request", "The body is not valid JSON.");
  }
}

function textOf(bytes: Buffer): string {
  try {
    // Large bodies are mostly base64, and decoding ASCII is faster.
    return isAscii(bytes) ? bytes.toString("latin1") : decoder.decode(bytes);
  } catch {
    throw new ServiceError("bad_request", "The body must be UTF-8.");
  }
}

/** Length of a text that only the content of a file can have. The handler refuses control characters in it. */
const longText = 1_048_576;
/** Maximum bytes beside long texts, since the parser calls a function for each value in them. */
const maxBesideTexts = 65_536;
const [quote, backslash] = [34, 92];

/**
 * Parses a body around its long texts, which the parser would read and copy once more. Returns undefined if there are none
 * or much beside them, or for a body in which a quote or a control character may be escaped.
 */
function parseWithoutLongTexts(bytes: Buffer): unknown {
  if (bytes.length < longText || bytes.includes(backslash)) return undefined;
  const texts: string[] = [];
  const rest: Buffer[] = [];
  let at = 0;
  for (let start = bytes.indexOf(quote); start >= 0; ) {
    const end = bytes.indexOf(quote, start + 1);
    if (end < 0) return undefined;
    const text = bytes.subarray(start + 1, end);
    if (text.length >= longText) {
      if (!isAscii(text)) return undefined;
      // No other text of this body can begin with NUL.
      rest.push(bytes.subarray(at, start), Buffer.from(JSON.stringify(`\0${texts.length}`)));
      texts.push(text.toString("latin1"));
      at = end + 1;
    }
    start = bytes.indexOf(quote, end + 1);
  }
  rest.push(bytes.subarray(at));
  const small = Buffer.concat(rest);
  if (texts.length === 0 || small.length > maxBesideTexts) return undefined;
  let used = 0;
  const parsed: unknown = JSON.parse(textOf(small), (_, value) => {
    if (typeof value !== "string" || !value.startsWith("\0")) return value;
    used += 1;
    return texts[Number(value.slice(1))];
  });
  // A text that is not used is the name of a field, or a value that a later one of the same name replaced.
  return used === texts.length ? parsed : undefined;
}

const firstBytes = 65_536;

function fromSocket(incoming: IncomingMessage, { limit, check, arrival }: Reception): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const max = Math.min(Number(incoming.headers["content-length"] ?? limit), limit);
    // Grows with the received data, so that announcing a large body costs no memory.
    let bytes: Buffer = Buffer.allocUnsafe(Math.min(max, firstBytes));
    let size = 0;
    const settle = (done: () => void) => {
      incoming.off("data", onData).off("end", onEnd).off("close", onClose);
      done();
    };
    const fail = (error: unknown) => settle(() => reject(error));
    const onData = (chunk: Buffer) => {
      const end = size + chunk.length;
      if (end > limit) return fail(tooLarge(limit));
      try {
        check?.(chunk);
      } catch (error) {
        return fail(error);
      }
      if (end > bytes.length) bytes = enlarged(bytes, Math.min(max, Math.max(end, 2 * bytes.length)));
      bytes.set(chunk, size);
      size = end;
      const room = arrival?.add(chunk.length);
      if (room === undefined) return;
      incoming.pause();
      void room.then(() => incoming.resume());
    };
    const onEnd = () => {
      // The client already got a response for being too late.
      if (incoming.socket.writableEnded) fail(new ServiceError("bad_request", "The request did not arrive in time."));
      else settle(() => resolve(bytes.subarray(0, size)));
    };
    const onClose = () => fail(new ServiceError("bad_request", "The connection ended before the body did."));
    incoming.on("data", onData).on("end", onEnd).on("close", onClose);
    arrival?.ended.catch(fail);
  });
}

/** Buffer.concat would fill the rest with zeros, so that a body took up to twice its size. */
function enlarged(bytes: Buffer, capacity: number): Buffer {
  const larger = Buffer.allocUnsafe(capacity);
  larger.set(bytes);
  return larger;
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError("payload_too_large", `The body must have at most ${limit} bytes.`);
}
