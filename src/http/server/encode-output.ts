import { isRecord } from "../../contract/parse-input.ts";

/** Items of a list that are written together. */
const portion = 25;
/** Characters above which V8 takes memory for a text from the system and gives it back, which takes long. */
const longText = 131_072;

/**
 * Returns an output as JSON: as text or, when it has a long list, as bytes that are written in portions, because `node:http` would also copy a long text into another
 * one, behind the headers. Shorter lists take more time as bytes.
 */
export function encodeOutput(output: unknown): string | Uint8Array<ArrayBuffer> {
  const isLong = isRecord(output) && Object.values(output).some((value) => isList(value) && isLongList(value));
  return isLong ? Buffer.concat(fieldsOf(output).map((text) => Buffer.from(text))) : JSON.stringify(output);
}

/** Guesses from the first item, because the items of a list are alike. */
const isLongList = (items: readonly unknown[]) =>
  items.length > portion && JSON.stringify(items[0] ?? null).length * items.length > longText;

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
  const texts: string[] = [];
  for (let at = 0; at < items.length; at += portion) {
    // Without the brackets.
    const text = JSON.stringify(items.slice(at, at + portion)).slice(1, -1);
    texts.push(at === 0 ? text : `,${text}`);
  }
  return ["[", ...texts, "]"];
}
