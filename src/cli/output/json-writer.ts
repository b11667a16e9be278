import { sanitizeText } from "../terminal/sanitize.ts";
import { type ItemWriter, type OutputOptions, writeText } from "./renderer.ts";

export function createJsonWriter({ terminal }: OutputOptions): ItemWriter {
  const pretty = (value: unknown) => JSON.stringify(value, null, 2);
  const show = (text: string) => terminal.write(terminal.stdoutIsTerminal ? dye(sanitizeText(text)) : text);
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
  };
}

export function createLineWriter({ terminal }: OutputOptions): ItemWriter {
  const line = (value: unknown) => `${JSON.stringify(value ?? null)}\n`;
  return {
    async page(items) {
      // In pieces: one character beyond Latin-1 doubles the memory of the whole text.
      let text = "";
      for (const item of items) {
        text += line(item);
        if (text.length < 16_384) continue;
        await writeText(text, terminal);
        text = "";
      }
      if (text !== "") await writeText(text, terminal);
    },
    one: (item) => writeText(line(item), terminal),
  };
}
