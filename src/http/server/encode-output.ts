import { isRecord } from "../../contract/parse-input.ts";

/** Items of a long list that are written together, so that none of their texts is long. */
const portion = 10;
/** Number of items up to which lists are not long. */
const shortList = 25;
/** Characters above which V8 takes memory for a text from the system and gives it back, which takes long. */
const longText = 131_072;

/**
 * Returns an output as JSON: as text or, when it has a long list, as bytes, because `node:http` would also copy a long
 * text into another one, behind the headers. Shorter lists take more time as bytes.
 */
export function encodeOutput(output: unknown): string | Uint8Array<ArrayBuffer> {
  const isLong = isRecord(output) && Object.values(output).some((value) => isList(value) && isLongList(value));
  return isLong ? bytesOf(fieldsOf(output)) : JSON.stringify(output);
}

/** Guesses from the first item, because the items of a list are alike. */
const isLongList = (items: readonly unknown[]) =>
  items.length > shortList && JSON.stringify(items[0] ?? null).length * items.length > longText;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function fieldsOf(output: Readonly<Record<string, unknown>>): string[] {
  const fields = Object.entries(output).filter(([, value]) => value !== undefined);
  const texts = fields.flatMap(([name, value], at) => [
    `${at === 0 ? "{" : ","}${JSON.stringify(name)}:`,
    ...(isList(value) ? portionsOf(value) : [JSON.stringify(value)]),
  ]);
  return [...texts, "}"];
}

function portionsOf(items: readonly unknown[]): string[] {
  const texts = ["["];
  for (let at = 0; at < items.length; at += portion) {
    if (at > 0) texts.push(",");
    // Without the brackets.
    texts.push(JSON.stringify(items.slice(at, at + portion)).slice(1, -1));
  }
  return [...texts, "]"];
}

/** Returns the texts in UTF-8, one after the other, without a copy of each. */
function bytesOf(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
}
