import type { Ability, OutputOf } from "../../../../contract/operation.ts";
import type { units } from "../../../../contract/units.ts";
import type { users } from "../../../../contract/users.ts";
import type { usertypes } from "../../../../contract/usertypes.ts";
import type { webhooks } from "../../../../contract/webhooks.ts";
import type { OrganisationEntry } from "../file/organisation-schema.ts";

export type CurrentUserType = OutputOf<typeof usertypes.get>;
type CurrentUnit = OutputOf<typeof units.get>;
export type CurrentUser = OutputOf<typeof users.get>;
type CurrentWebhook = OutputOf<typeof webhooks.get>["data"];

/** Labels of units and user types by ID; null for those without a reference. */
export interface Labels {
  readonly units: (id: number) => string | null;
  readonly userTypes: (id: number) => string;
}

/** Returns the label of a user type: its reference, else its name. */
export const userTypeLabel = ({ reference, name }: Pick<CurrentUserType, "reference" | "name">): string =>
  reference ?? name;

export function userTypeEntry({ reference, name, abilities }: CurrentUserType): OrganisationEntry<"usertypes"> {
  const granted = Object.entries(abilities).flatMap(([ability, has]) => (has ? [ability] : []));
  return { ...(reference !== null && { reference }), name, abilities: granted.sort() as Ability[] };
}

export function unitEntry(unit: CurrentUnit, labels: Labels): OrganisationEntry<"units"> {
  const { name, unit_type, description, contact, addresses, opening_hours, geo } = unit;
  const parent = unit.parent && labels.units(unit.parent.id);
  const { lat, lng } = geo;
  return {
    reference: unit.reference ?? "",
    name,
    ...(parent && { parent }),
    unit_type: unit_type as "unit" | "department",
    description,
    departments: unit.departments.map((department) => department.name).sort(),
    contact,
    addresses,
    opening_hours,
    geo: lat === null || lng === null ? null : { lat, lng },
  };
}

export function userEntry(user: CurrentUser, labels: Labels): OrganisationEntry<"users"> {
  const [first, ...further] = user.memberUnits.map((membership) => membershipEntry(membership, labels));
  const { reference, first_name, last_name, email, title, phone, birthday, language, timezone, admin, active } = user;
  const { meta_field_0, meta_field_1, meta_field_2, meta_field_3, meta_field_4 } = user;
  return {
    ...(reference !== null && { reference }),
    first_name,
    last_name,
    email: email ?? "",
    ...(first && { unit: first.unit }),
    user_types: first?.user_types ?? [],
    department: first?.department ?? null,
    ...{ title, phone, birthday, language, timezone, provider: user.provider[0] },
    ...{ meta_field_0, meta_field_1, meta_field_2, meta_field_3, meta_field_4 },
    memberships: further.sort((a, b) => compare(a.unit, b.unit)),
    active,
    admin,
  };
}

function membershipEntry({ unit, userTypes, department }: CurrentUser["memberUnits"][number], labels: Labels) {
  return {
    unit: labels.units(unit.id) ?? "",
    user_types: userTypes.map(({ id }) => labels.userTypes(id)).sort(),
    department: department?.name ?? null,
  };
}

export function webhookEntry({ name, uri, triggers, active }: CurrentWebhook): OrganisationEntry<"webhooks"> {
  return { name, uri, triggers: [...triggers].sort(), active };
}

/** Compares by code units, so that the order does not depend on the locale. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
