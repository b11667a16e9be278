import { z } from "zod";
import {
  abilityFlags,
  clearable,
  component,
  date,
  dateText,
  departmentBrief,
  email,
  fieldsNamed,
  groupBrief,
  id,
  idOf,
  inputComponent,
  language,
  line,
  name,
  nullable,
  nullableText,
  reference,
  timezone,
  unitBrief,
  unixTime,
  userCore,
  userTypeBrief,
} from "./common-schemas.ts";
import { file } from "./file-schemas.ts";
import { issueCodes } from "./issue-messages.ts";
import { once } from "./once.ts";
import { session } from "./session-schemas.ts";

const metaFieldNames = ["meta_field_0", "meta_field_1", "meta_field_2", "meta_field_3", "meta_field_4"] as const;

const person = once(() => ({ ...userCore(), avatar: file().nullable(), url: z.string() }));

export const membership = component("Membership", () => ({
  unit: unitBrief(),
  department: departmentBrief().nullable(),
  userTypes: z.array(userTypeBrief()),
  abilities: abilityFlags().required(),
}));

export const shortUser = component("ShortUser", () => ({
  ...person(),
  unit: unitBrief().nullable(),
  physicalUnit: unitBrief().nullable(),
}));

export const birthdayUser = component("BirthdayUser", () => ({
  ...shortUser().shape,
  day: z.string().describe("Day of the birthday as MM-DD, without the year"),
}));

/** The full form of a user. `email`, `phone` and `birthday` are null when the caller may not see them. */
export const user = component("User", () => ({
  ...person(),
  ...fieldsNamed(["reference", "email", "phone"], nullableText),
  birthday: dateText().nullable(),
  ...fieldsNamed(["language", "timezone"], nullableText),
  admin: z.boolean(),
  policy_accepted_at: unixTime().nullable(),
  settings: z.object({ show_birthdays: z.enum(["all", "unit", "none"]), birthdays_optout: z.boolean() }),
  ...fieldsNamed(metaFieldNames, () => z.string()),
  permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
  unit: unitBrief().nullable(),
  physicalUnit: unitBrief().nullable(),
  department: departmentBrief().nullable(),
  twoFactor: z.object({ enabled: z.boolean() }),
  userTypes: z.array(userTypeBrief()),
  memberUnits: z.array(membership()),
  memberGroups: z.array(groupBrief()).describe("Only groups that you can see"),
  specialties: z.array(z.never()).describe("Always empty: users have no specialties"),
  all_integrations: z.array(z.never()).describe("Always empty: users have no integrations"),
  devices: z.array(session()).describe("Your own sessions; always empty for other users"),
  provider: z.array(z.string()),
  participant_type: z.literal("user"),
  created_at: unixTime(),
  updated_at: unixTime(),
}));

const firstName = () => name().describe("Given name of the user");
const lastName = () => name().describe("Family name of the user");
const metaFields = () =>
  fieldsNamed(metaFieldNames, () => clearable(line(1000)).describe("Custom profile field of the organisation"));

/** The name of a provider: local, that of service accounts, or that of another identity provider. */
export const anyProvider = () =>
  z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "must be a short name of small letters, digits, - and _, like local or okta")
    .meta({ placeholder: "name" });

export const providerName = () =>
  anyProvider()
    .refine((value) => value !== "service", "must not be service, which is reserved for service accounts")
    .meta({
      maxLength: 63,
      placeholder: "name",
      description: "Provider that manages the account; local: this service",
    });

/** The provider of a user in an input. "" and null stand for local. */
const provider = () => {
  const local = () => "local";
  return z.union([z.null().transform(local), z.literal("").transform(local), providerName()]).optional();
};

/** The optional fields that a profile and an import row share. */
const personalFields = () => ({
  title: clearable(line(255).describe("Job title")),
  phone: nullable(line(64).describe("Phone number")),
  birthday: nullable(date().describe("Date of birth")),
  language: nullable(language()),
  timezone: nullable(timezone()),
  provider: provider(),
});

export const identity = () => ({ first_name: firstName(), last_name: lastName(), email: email() });
export const userTypeIds = () => z.array(id("usertypes")).max(100);
export const departmentId = () => id("departments").describe("Department of the unit");

const settingsInput = inputComponent("UserSettingsInput", () => ({
  show_birthdays: z
    .enum(["all", "unit", "none"])
    .optional()
    .describe("Birthdays to show to the user: of everyone, of the own unit, or none"),
  birthdays_optout: z.boolean().optional().describe("Hide the birthday from others"),
}));

export const profileFields = () => ({
  reference: nullable(reference()),
  ...personalFields(),
  settings: settingsInput().optional().describe("Settings about birthdays"),
  ...metaFields(),
});

/** The schema of one import row. An empty cell clears the field, a missing column keeps it. */
export const userRow = inputComponent("UserRow", () => ({
  reference: nullable(reference()),
  ...identity(),
  unit: reference().describe("Reference of the unit"),
  user_types: clearable(line(10_000)).describe("Names of user types, separated by semicolons"),
  department: nullable(name().describe("Name of a department of the unit")),
  ...personalFields(),
  ...metaFields(),
}));

export const issue = component("Issue", () => ({
  field: z.string().describe("Path of the field"),
  code: z.enum(issueCodes).describe("More may be added"),
  params: z
    .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
    .optional()
    .describe("Values in the message"),
}));

/** The rows of an import. Each is checked on its own, so that a wrong one does not refuse the others. */
export const importRows = (row: () => z.ZodType) =>
  z
    .array(z.record(z.string(), z.unknown()).meta({ documentedAs: row }))
    .max(1000)
    .describe("Rows to import, up to 1,000");

/** The result of an import, in the order of its rows. */
export const importResult = component("ImportResult", () => ({
  results: z.array(
    z.object({
      action: z.enum(["created", "changed", "unchanged", "skipped"]),
      id: z.int().nullable(),
      reference: z.string().nullable(),
      deactivated: z
        .boolean()
        .optional()
        .describe("True for a user who is deactivated; an import does not reactivate users"),
      changes: z
        .array(z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() }))
        .optional()
        .describe("In a dry run: the fields that the row changes, unless an API token may not read them"),
      fields: z.record(z.string(), z.array(z.string())).optional().describe("Messages about a skipped row, by field"),
      issues: z.array(issue()).optional().describe("The same as fields, as codes"),
    }),
  ),
}));

/** A number of things, or a percentage of all of them. */
export const removalLimit = () =>
  z.string().regex(/^(\d{1,9}|([1-9]?\d|100)%)$/, "must be a number like 20, or a percentage from 0% to 100%");

/** Returns true when so many of all things are more than the limit allows. */
export const exceedsLimit = (count: number, { of, limit }: { readonly of: number; readonly limit: string }): boolean =>
  limit.endsWith("%") ? count * 100 > Number.parseFloat(limit) * of : count > Number(limit);

export const maxRemovals = () =>
  removalLimit()
    .default("5%")
    .meta({
      placeholder: "number or percent",
      description: "Maximum number of users to deactivate, or a percentage of the active users in the scope, like 5%",
    });

export const removalResult = component("RemovalResult", () => ({
  active: z.int().describe("Active users in the scope before"),
  deactivated: z.int().describe("Deactivated users"),
  kept: z.int().describe("Missing users who stay active: administrators and the caller"),
  users: z
    .array(z.object({ id: idOf("users"), reference: z.string().nullable(), name: z.string() }))
    .describe("The deactivated users by ID, up to 500"),
}));

/** Returns true for an account of a machine. It has no e-mail address, so files of users leave it out. */
export const isServiceAccount = ({ provider }: { readonly provider: readonly string[] }): boolean =>
  provider.includes("service");
