import { type ColumnMapping, createMapping } from "../../file-io/column-mapping.ts";
import type { Context } from "../../kit/command-spec.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type FileImport, importFile } from "./import-file.ts";
import { userKind } from "./import-kinds.ts";
import type { ImportKey } from "./mapping-file.ts";
import { readMapping } from "./mapping-flags.ts";
import { findScope, parseRemovalFlags, removeMissing } from "./remove-missing.ts";

export async function importUsersFile(context: Context): Promise<void> {
  const { flags, terminal } = context;
  const spec = await readMapping(context);
  const key = spec ? spec.key : (flags.key as ImportKey | undefined);
  const kind = userKind(key);
  const mapping = spec && createMapping(spec, kind.table);
  const removal = await parseRemovalFlags(context, spec);
  const work: FileImport = {
    kind,
    options: { ...(flags.createUserTypes === true && { create_user_types: true }), ...(key && { key }) },
    mapping,
    async afterReading() {
      if (mapping) sayUnmapped(mapping, terminal);
      if (spec && flags.saveMapping !== undefined)
        await (await import("./mapping-file.ts")).saveMappingFile(String(flags.saveMapping), spec);
    },
    async prepare(caller) {
      const found = removal && (await findScope(removal, context, caller, spec));
      return found && ((present, signal) => removeMissing(found, { present, signal, caller, context }));
    },
  };
  await importFile(work, context);
}

function sayUnmapped(mapping: ColumnMapping, terminal: Terminal): void {
  const { unmapped_columns, fields_without_column } = mapping.report();
  const columns = unmapped_columns.map((name) => `'${name}'`).join(", ");
  if (columns !== "") terminal.note(`Columns that are not imported: ${columns}.`);
  if (fields_without_column.length > 0) terminal.note(`Fields without a column: ${fields_without_column.join(", ")}.`);
}
