import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../../../contract/parse-json.ts";
import type { PlannedChange } from "../../print-changes.ts";
import type { Path } from "../file/file-issues.ts";
import type { OrganisationEntry, OrganisationSection } from "../file/organisation-schema.ts";
import { withoutEmpty } from "../file/without-empty.ts";

export const kinds = { usertypes: "usertype", units: "unit", users: "user", webhooks: "webhook" } as const;

/** A change with the data that is needed to make it. */
export interface Task<S extends OrganisationSection> {
  readonly change: PlannedChange;
  readonly id: number | undefined;
  readonly before: OrganisationEntry<S> | undefined;
  /** The complete entry after the change. */
  readonly after: OrganisationEntry<S>;
  readonly path: Path;
}

type Fields = Readonly<Record<string, unknown>>;

/** Merges the named fields into the existing ones, also within objects. */
export function overlay<T extends object>(before: T | undefined, named: object): T {
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(named)) {
    if (value === undefined) continue;
    merged[name] = isRecord(value) && isRecord(merged[name]) ? overlay(merged[name], value) : value;
  }
  return merged as T;
}

/** Returns the fields that differ. All empty values are equal. */
export function listFieldChanges(before: Fields | undefined, after: Fields): PlannedChange["changes"] {
  return Object.keys(after).flatMap((field) => {
    const [one, other] = [withoutEmpty(before?.[field]), withoutEmpty(after[field])];
    const same = before === undefined ? other === undefined : isDeepStrictEqual(one, other);
    return same ? [] : [{ field, before: one ?? null, after: other ?? null }];
  });
}

export const touches = ({ changes }: PlannedChange, fields: readonly string[]): boolean =>
  changes.some(({ field }) => fields.includes(field));

/** Returns those of the fields that a task changes, with their values after it. */
export const pickChanged = <S extends OrganisationSection, F extends keyof OrganisationEntry<S> & string>(
  { change, after }: Task<S>,
  fields: readonly F[],
) =>
  Object.fromEntries(
    fields.filter((field) => touches(change, [field])).map((field) => [field, after[field]]),
  ) as Partial<Pick<OrganisationEntry<S>, F>>;

/** Returns true when the task deletes or deactivates an item that the file does not have. */
export const isRemoval = ({ change }: { readonly change: PlannedChange }): boolean =>
  change.action === "delete" || change.action === "deactivate";
