import { isDeepStrictEqual } from "node:util";
import type { Entry, Section } from "./form.ts";
import type { Path } from "./mistakes.ts";

/** What a change is about, as it is called in results. */
export const kinds = { usertypes: "usertype", units: "unit", users: "user", webhooks: "webhook" } as const;

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A difference between a file and an instance, as it is shown. */
export interface Change {
  readonly action: "create" | "update" | "move" | "delete" | "deactivate";
  readonly kind: (typeof kinds)[Section];
  /** Reference, or what it is known by without one. */
  readonly name: string;
  readonly changes: readonly FieldChange[];
}

/** A change with all that it takes to make it. */
export interface Task<S extends Section> {
  readonly change: Change;
  /** Of what is there already. */
  readonly id: number | undefined;
  readonly before: Entry<S> | undefined;
  /** All that will be so afterwards. */
  readonly after: Entry<S>;
  readonly path: Path;
}

type Fields = Readonly<Record<string, unknown>>;

/** What is there with what is named in its place; within objects, too. */
export function overlay<T extends object>(before: T | undefined, named: object): T {
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(named)) {
    if (value === undefined) continue;
    merged[name] = isPlain(value) && isPlain(merged[name]) ? overlay(merged[name], value) : value;
  }
  return merged as T;
}

/** The fields that are not as they were. What is empty is so in whichever way. */
export function differences(before: Fields | undefined, after: Fields): FieldChange[] {
  return Object.keys(after).flatMap((field) => {
    const [one, other] = [withoutEmpty(before?.[field]), withoutEmpty(after[field])];
    const same = before === undefined ? other === undefined : isDeepStrictEqual(one, other);
    return same ? [] : [{ field, before: one ?? null, after: other ?? null }];
  });
}

/** The value without what is empty in it; undefined when nothing is left. */
export function withoutEmpty(value: unknown): unknown {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return undefined;
  if (!isPlain(value)) return value;
  const full = Object.entries(value).flatMap(([name, inner]) => {
    const kept = withoutEmpty(inner);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return full.length === 0 ? undefined : Object.fromEntries(full);
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether one of these fields changes. */
export const touches = ({ changes }: Change, fields: readonly string[]): boolean =>
  changes.some(({ field }) => fields.includes(field));

/** Whether it takes away what a file does not have. */
export const isRemoval = ({ change }: { readonly change: Change }): boolean =>
  change.action === "delete" || change.action === "deactivate";
