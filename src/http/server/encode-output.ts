import { isRecord } from "../../contract/parse-input.ts";

/** Items of a list that are written together, so that the text of a portion is far below 128 KiB. */
const portion = 25;

/**
 * Returns an output as JSON: as text or, when it has a long list, as bytes that are written in portions. V8 takes memory for each text above 128 KiB from the
 * system and gives it back, and `node:http` would copy the text into another one, behind the headers.
 */
export function encodeOutput(output: unknown): string | Uint8Array<ArrayBuffer> {
  const isLong = isRecord(output) && Object.values(output).some((value) => isList(value) && value.length > portion);
  return isLong ? Buffer.concat(fieldsOf(output).map((text) => Buffer.from(text))) : JSON.stringify(output);
}

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
