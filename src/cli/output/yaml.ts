import { stringify } from "yaml";
import { harmless } from "../plain.ts";
import type { Sheet, Writer } from "./writer.ts";

/** YAML; a list is written as it comes in. */
export function createYamlWriter({ terminal }: Sheet): Writer {
  const show = (value: unknown) => {
    const text = stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
    return terminal.write(terminal.stdoutIsTerminal ? harmless(text) : text);
  };
  let empty = true;
  return {
    async page(items) {
      if (items.length === 0) return;
      empty = false;
      await show(items);
    },
    end: async () => (empty ? show([]) : undefined),
    one: show,
    value: (value) => show(value ?? null),
  };
}
