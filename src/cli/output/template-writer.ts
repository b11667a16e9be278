import { UsageError } from "../errors/cli-errors.ts";
import { checkFields, type KnownField, pick } from "./field-selection.ts";
import type { Item } from "./item.ts";
import { fillPlaceholders, namesIn } from "./placeholders.ts";
import type { ItemWriter, OutputOptions } from "./renderer.ts";

/** Throws a `UsageError` when a template names no field, or one that is not among the `known` ones. */
export function checkTemplate(template: string, known: readonly KnownField[] | undefined): void {
  const names = namesIn(template);
  if (names.length === 0) {
    throw new UsageError("--template names no field", { hint: "write fields in braces, as in '{id} {name}'" });
  }
  if (known) checkFields(names, known, "--template");
}

/** Writes a line of text for each item, with values as in rows. `\t` and `\n` stand for a tab and a line break. */
export function createTemplateWriter({ terminal, cells, template = "" }: OutputOptions): ItemWriter {
  const text = template.replaceAll("\\t", "\t").replaceAll("\\n", "\n");
  const fill = (item: Item) => fillPlaceholders(text, (name) => cells.row(pick(item, name.split(".")), name));
  const write = async (items: readonly Item[]) => {
    if (items.length > 0) await terminal.write(items.map((item) => `${fill(item)}\n`).join(""));
  };
  return { page: write, one: (item) => write([item]) };
}
