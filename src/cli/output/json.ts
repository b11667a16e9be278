import { harmless } from "../plain.ts";
import type { Sheet, Writer } from "./writer.ts";

/** JSON for a reader: a list is one array, written as it comes in. */
export function createJsonWriter({ terminal }: Sheet): Writer {
  const pretty = (value: unknown) => JSON.stringify(value, null, 2);
  const show = (text: string) => terminal.write(terminal.stdoutIsTerminal ? dye(harmless(text)) : text);
  const dye = (text: string) =>
    text.replace(/("(?:\\.|[^"\\])*")(\s*:)?/g, (_, string: string, colon?: string) =>
      colon ? terminal.paint.key(string) + colon : terminal.paint.value(string),
    );
  let before = "[\n";
  return {
    async page(items) {
      if (items.length === 0) return;
      const text = items.map((item) => `  ${pretty(item).replaceAll("\n", "\n  ")}`).join(",\n");
      await show(before + text);
      before = ",\n";
    },
    end: () => show(before === ",\n" ? "\n]\n" : "[]\n"),
    one: (item) => show(`${pretty(item)}\n`),
    value: (value) => show(`${pretty(value ?? null)}\n`),
  };
}

/** One item per line, without anything around them. */
export function createLineWriter({ terminal }: Sheet): Writer {
  const line = (value: unknown) => `${JSON.stringify(value ?? null)}\n`;
  const show = (text: string) => terminal.write(terminal.stdoutIsTerminal ? harmless(text) : text);
  return {
    async page(items) {
      // In pieces: a single letter beyond Latin-1 doubles what all of a text takes.
      let text = "";
      for (const item of items) {
        text += line(item);
        if (text.length < 16_384) continue;
        await show(text);
        text = "";
      }
      if (text !== "") await show(text);
    },
    end: async () => {},
    one: (item) => show(line(item)),
    value: (value) => show(Array.isArray(value) ? value.map(line).join("") : line(value)),
  };
}
