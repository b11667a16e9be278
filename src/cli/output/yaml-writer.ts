import { stringify } from "yaml";
import { type ItemWriter, type OutputOptions, writeText } from "./renderer.ts";

export function createYamlWriter({ terminal }: OutputOptions): ItemWriter {
  const show = (value: unknown) => {
    // Words such as NO and 1:20 are quoted, since readers of YAML 1.1 take them for other values.
    return writeText(stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, compat: "yaml-1.1" }), terminal);
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
  };
}
