import type { AnyOperation } from "../../contract/operation.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { checkFields, pick, requireFields } from "./field-selection.ts";
import type { Item } from "./item.ts";
import { fillPlaceholders, namesIn } from "./placeholders.ts";
import type { ItemWriter, OutputOptions } from "./renderer.ts";

/** Throws a `UsageError` when a template names no field, or one that no item can have. */
export function checkTemplate(template: string, op: AnyOperation | undefined): void {
  const names = namesIn(template);
  if (names.length === 0) {
    throw new UsageError("--template names no field", { hint: "write fields in braces, as in '{id} {name}'" });
  }
  checkFields(names, op, "--template");
}

/** Writes a line of text for each item, with values as in rows. `\t` and `\n` stand for a tab and a line break. */
export function createTemplateWriter({ terminal, cells, template = "" }: OutputOptions): ItemWriter {
  const names = namesIn(template);
  const text = template.replaceAll("\\t", "\t").replaceAll("\\n", "\n");
  const fill = (item: Item) => fillPlaceholders(text, (name) => cells.row(pick(item, name.split(".")), name));
  let isChecked = false;
  const write = async (items: readonly Item[]) => {
    // Items of a later page may lack a field that is optional.
    if (!isChecked) requireFields(names, items, "--template");
    isChecked ||= items.length > 0;
    if (items.length > 0) await terminal.write(items.map((item) => `${fill(item)}\n`).join(""));
  };
  return { page: write, one: (item) => write([item]) };
}
