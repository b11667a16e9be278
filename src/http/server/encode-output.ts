import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { isRecord } from "../../contract/parse-json.ts";

/** Items of a long list that are written together, so that none of their texts is long. */
const portion = 10;
/** Lists up to the first length never count as long; from the second length on they always do. */
const shortList = 25;
const longList = 100;
/** Characters above which V8 takes memory for a text from the system and gives it back, which takes long. */
const longText = 131_072;
/** Bytes that are written as JSON, in up to 20 ms, before other requests can run. */
const longTurn = 4_194_304;

/** Returns JSON as text or, with a long list, as bytes: `node:http` would copy a long text behind the headers. */
export function encodeOutput(output: unknown): string | Promise<Uint8Array<ArrayBuffer>> {
  const isLong = isRecord(output) && Object.values(output).some((value) => isList(value) && isLongList(value));
  return isLong ? bytesOf(output) : JSON.stringify(output);
}

/** Guesses from the first item, because the items of a list are mostly alike. */
const isLongList = ({ length, 0: first = null }: readonly unknown[]) =>
  length > longList || (length > shortList && JSON.stringify(first).length * length > longText);

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function* textsOf(output: Readonly<Record<string, unknown>>): Generator<string> {
  let separator = "{";
  for (const [name, value] of Object.entries(output)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    if (isList(value)) yield* portionsOf(value);
    else yield JSON.stringify(value);
    separator = ",";
  }
  yield "}";
}

function* portionsOf(items: readonly unknown[]): Generator<string> {
  yield "[";
  for (let at = 0; at < items.length; at += portion) {
    if (at > 0) yield ",";
    // Without the brackets.
    yield JSON.stringify(items.slice(at, at + portion)).slice(1, -1);
  }
  yield "]";
}

/** Returns an output in UTF-8, without a copy of each text. Other requests can run between some of the texts. */
async function bytesOf(output: Readonly<Record<string, unknown>>): Promise<Uint8Array<ArrayBuffer>> {
  const texts: string[] = [];
  let size = 0;
  let sizeAtTurn = 0;
  for (const text of textsOf(output)) {
    texts.push(text);
    size += Buffer.byteLength(text);
    if (size - sizeAtTurn < longTurn) continue;
    await yieldToEventLoop();
    sizeAtTurn = size;
  }
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
}
