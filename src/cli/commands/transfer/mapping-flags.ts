import { UsageError } from "../../errors/cli-errors.ts";
import { columnKey, type MappedColumn } from "../../file-io/column-mapping.ts";
import type { Context } from "../../kit/command-spec.ts";
import type { ImportKey, ImportMapping } from "./mapping-file.ts";

/** Returns the mapping of --mapping with the additions of --map, --set and --key; undefined when none of them is given. */
export async function readMapping({ flags }: Pick<Context, "flags">): Promise<ImportMapping | undefined> {
  const { map, set, key, mapping: file } = flags;
  if (map === undefined && set === undefined && file === undefined) {
    if (flags.saveMapping !== undefined)
      throw new UsageError("--save-mapping needs a mapping", { hint: "give it with --map, --set or --mapping" });
    return undefined;
  }
  const saved = file === undefined ? undefined : (await import("./mapping-file.ts")).readMappingFile(String(file));
  const columns = ((map ?? []) as string[]).flatMap(parseMap);
  const given = new Set(columns.map(({ column }) => columnKey(column)));
  return {
    columns: [...(saved?.columns ?? []).filter(({ column }) => !given.has(columnKey(column))), ...columns],
    values: { ...saved?.values, ...parseValues((set ?? []) as string[]) },
    key: (key as ImportKey | undefined) ?? saved?.key,
  };
}

/** Parses `Employee ID=reference,"Name, first"=first_name`. The last equals sign outside quotes separates the field. */
export function parseMap(text: string): MappedColumn[] {
  const found: MappedColumn[] = [];
  // A column is in quotes, which are doubled inside, or without quotes; the field has no equals sign and no comma.
  const entry = /\s*(?:"((?:[^"]|"")*)"\s*|([^",][^,]*))=([^=,]*)(?:,|$)/y;
  while (entry.lastIndex < text.length) {
    const at = entry.lastIndex;
    const [, quoted, plain = "", field = ""] = entry.exec(text) ?? [];
    const column = quoted?.replaceAll('""', '"') ?? plain;
    if (column.trim() === "") {
      throw new UsageError(`--map: '${text.slice(at, at + 80)}' does not have the form Column=field`, {
        hint: `put a column with commas in quotes: --map '"Name, first"=first_name'`,
      });
    }
    found.push({ column: column.trim(), field: field.trim() });
  }
  return found;
}

function parseValues(texts: readonly string[]): Record<string, string> {
  const values = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError(`--set: '${text}' does not have the form field=value`);
    const field = text.slice(0, at).trim();
    if (values.has(field)) throw new UsageError(`--set gives ${field} twice`);
    values.set(field, text.slice(at + 1));
  }
  return Object.fromEntries(values);
}
