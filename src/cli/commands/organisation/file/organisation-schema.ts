import { z } from "zod";
import { name, reference } from "../../../../contract/common-schemas.ts";
import { once } from "../../../../contract/once.ts";
import { abilities } from "../../../../contract/operation.ts";
import { units } from "../../../../contract/units.ts";
import { users } from "../../../../contract/users.ts";
import { usertypes } from "../../../../contract/usertypes.ts";
import { webhooks } from "../../../../contract/webhooks.ts";

/** The sections of a file, in the order in which they are written and applied. */
export const sections = ["usertypes", "units", "users", "webhooks"] as const;
export type OrganisationSection = (typeof sections)[number];

export const formVersion = 1;

/** User types, given by reference or by name. */
const labels = () => z.array(reference()).max(100).optional();
const department = () => name().nullable().optional();

const userType = once(() =>
  usertypes.update
    .input()
    .omit({ id: true })
    .extend({ reference: reference().optional(), abilities: z.array(z.enum(abilities)).optional() })
    .refine((entry) => entry.reference !== undefined || entry.name !== undefined, {
      path: ["reference"],
      error: "is required, or a name",
    }),
);

const unit = once(() =>
  units.update
    .input()
    .omit({ id: true })
    .extend({
      reference: reference(),
      parent: reference().optional(),
      departments: z.array(name()).max(500).optional(),
    }),
);

const user = once(() =>
  users.update
    .input()
    .omit({ id: true, settings: true })
    .extend({
      reference: reference().optional(),
      unit: reference().optional(),
      user_types: labels(),
      department: department(),
      memberships: z
        .array(z.strictObject({ unit: reference(), user_types: labels(), department: department() }))
        .max(100)
        .optional(),
      active: z.boolean().optional(),
    })
    .refine((entry) => entry.reference !== undefined || entry.email !== undefined, {
      path: ["reference"],
      error: "is required, or an email",
    }),
);

const webhook = once(() => webhooks.update.input().omit({ id: true }).extend({ name: name() }));

/** The schema of the entries of each section: the input of the operations, with references instead of IDs. */
export const forms = { usertypes: userType, units: unit, users: user, webhooks: webhook };

export type OrganisationEntry<S extends OrganisationSection> = z.infer<ReturnType<(typeof forms)[S]>>;

/** Name of the schema in exported files: a file beside them. */
export const schemaFile = "organisation.schema.json";

export function organisationJsonSchema(): Record<string, unknown> {
  const lists = Object.fromEntries(sections.map((section) => [section, z.array(forms[section]()).optional()]));
  const file = z.strictObject({
    $schema: z.string().optional(),
    version: z.literal(formVersion).optional(),
    complete: z.boolean().optional().describe("Fields that an entry lacks are empty; otherwise, they stay unchanged"),
    ...lists,
  });
  const schema = z.toJSONSchema(file, { io: "input", unrepresentable: "any", target: "draft-7" });
  return { title: "Organisation of wcs", ...schema };
}

/** Normalizes an e-mail address or a name for comparison. */
export const keyOf = (value: string): string => value.normalize("NFC").toLowerCase();

/** Returns the label of an entry: its reference, else its e-mail address or name. */
export function labelEntry(
  section: OrganisationSection,
  entry: { reference?: string | null; email?: string; name?: string },
): string {
  const other = section === "users" ? entry.email : entry.name;
  return (section === "webhooks" ? other : (entry.reference ?? other)) ?? "";
}
