import { allows } from "../../contract/token-scopes.ts";
import { users } from "../../contract/users.ts";
import type { Ctx } from "../pipeline/context.ts";
import type { FieldChange } from "../pipeline/import-rows.ts";
import type { Known, UserImportRow } from "./user-import-lookup.ts";
import type { ChangedRow } from "./user-import-writes.ts";

/**
 * Returns the fields that a row changes, in the form of rows; undefined for API tokens that may not read users. All other
 * callers who may change a user see these fields.
 */
export function showUserChanges(
  { apiToken }: Ctx,
  known: Known,
  { row, existing, changes }: Omit<ChangedRow, "wanted"> & { readonly row: UserImportRow },
): FieldChange[] | undefined {
  if (apiToken && !allows(apiToken.scopes, users.get)) return undefined;
  const { columns, moved, types, department } = changes;
  const names = (types: readonly { readonly name: string }[]) => {
    const sorted = types.map(({ name }) => name).sort();
    return sorted.join(", ");
  };
  const after = (field: string) => columns[field as keyof typeof columns];
  const before = (field: string) => existing[field as keyof typeof columns];
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value));
  const fields = Object.keys(columns).filter((field) => field in row);
  const shown = fields.map((field) => ({ field, before: text(before(field)), after: text(after(field)) }));
  if (moved) shown.push({ field: "unit", before: existing.unit_label, after: row.unit });
  if (types) {
    const wanted = [...known.types.values()].filter(({ id }) => types.includes(id));
    shown.push({ field: "user_types", before: names(existing.types), after: names(wanted) });
  }
  // Units can have departments of the same name.
  if (department !== existing.department_id && existing.department_name !== (row.department ?? null))
    shown.push({ field: "department", before: existing.department_name, after: row.department ?? null });
  return shown;
}
