import { isRecord } from "../../../../contract/parse-json.ts";
import type { OrganisationEntry } from "../file/organisation-schema.ts";

/**
 * Values of the fields that a complete entry lacks. `active` has none: a file reactivates only users whom it calls active. Nor do
 * those that users change themselves: phone, language and time zone.
 */
const empty = {
  units: {
    description: "",
    departments: [],
    contact: { name: null, phone: null },
    addresses: { company: null, delivery: null, invoicing: null },
    opening_hours: { office_hours: null, closed: null },
    geo: null,
  },
  users: {
    ...{ user_types: [], department: null, memberships: [], admin: false, provider: "local" },
    ...{ title: "", birthday: null },
    ...{ meta_field_0: "", meta_field_1: "", meta_field_2: "", meta_field_3: "", meta_field_4: "" },
  },
} satisfies { [S in "units" | "users"]: Partial<OrganisationEntry<S>> };

/** Returns the complete entry of a unit or user that exists already, with an empty value for each field that it lacks. */
export const completeEntry = <S extends keyof typeof empty>(
  section: S,
  entry: OrganisationEntry<S>,
  before: OrganisationEntry<S>,
): OrganisationEntry<S> => ({ ...empty[section], ...withInnerFields(entry, before) });

/** Adds the fields that objects within the entry lack. */
function withInnerFields<T extends object>(entry: T, before: object): T {
  const inner = Object.entries(entry).flatMap(([name, value]) => {
    const old = (before as Record<string, unknown>)[name];
    if (!isRecord(value) || !isRecord(old)) return [];
    const lacking = Object.entries(old).map(([field, there]) => [field, typeof there === "boolean" ? false : null]);
    return [[name, { ...Object.fromEntries(lacking), ...withInnerFields(value, old) }]];
  });
  return { ...entry, ...Object.fromEntries(inner) };
}
