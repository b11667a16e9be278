import { z } from "zod";
import {
  abilityFlags,
  clearable,
  date,
  dateText,
  departmentBrief,
  email,
  groupBrief,
  id,
  idOf,
  language,
  line,
  name,
  nullable,
  reference,
  timezone,
  unitBrief,
  unixTime,
  userTypeBrief,
} from "./common-schemas.ts";
import { file } from "./file-schemas.ts";
import { issueCodes } from "./issue-messages.ts";
import { once } from "./operation.ts";
import { session } from "./session-schemas.ts";

const person = once(() => ({
  content_type: z.literal("user"),
  id: idOf("users"),
  name: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  title: z.string(),
  active: z.boolean(),
  avatar: file().nullable(),
  url: z.string(),
}));

export const membership = once(() =>
  z
    .object({
      unit: unitBrief(),
      department: departmentBrief().nullable(),
      userTypes: z.array(userTypeBrief()),
      abilities: abilityFlags().required(),
    })
    .meta({ id: "Membership" }),
);

/** The short form of a user. */
export const shortUser = once(() =>
  z
    .object({ ...person(), unit: unitBrief().nullable(), physicalUnit: unitBrief().nullable() })
    .meta({ id: "ShortUser" }),
);

/** A user with a birthday in a period. */
export const birthdayUser = once(() =>
  shortUser()
    .extend({ day: z.string().meta({ description: "Day of the birthday as MM-DD, without the year" }) })
    .meta({ id: "BirthdayUser" }),
);

/** The full form of a user. `email`, `phone` and `birthday` are null when the caller may not see them. */
export const user = once(() =>
  z
    .object({
      ...person(),
      reference: z.string().nullable(),
      email: z.string().nullable(),
      phone: z.string().nullable(),
      birthday: dateText().nullable(),
      language: z.string().nullable(),
      timezone: z.string().nullable(),
      admin: z.boolean(),
      policy_accepted_at: unixTime().nullable(),
      settings: z.object({ show_birthdays: z.enum(["all", "unit", "none"]), birthdays_optout: z.boolean() }),
      meta_field_0: z.string(),
      meta_field_1: z.string(),
      meta_field_2: z.string(),
      meta_field_3: z.string(),
      meta_field_4: z.string(),
      permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
      unit: unitBrief().nullable(),
      physicalUnit: unitBrief().nullable(),
      department: departmentBrief().nullable(),
      twoFactor: z.object({ enabled: z.boolean() }),
      userTypes: z.array(userTypeBrief()),
      memberUnits: z.array(membership()),
      memberGroups: z.array(groupBrief()).meta({ description: "Only groups that you can see" }),
      specialties: z.array(z.never()).meta({ description: "Always empty: users have no specialties" }),
      all_integrations: z.array(z.never()).meta({ description: "Always empty: users have no integrations" }),
      devices: z.array(session()).meta({ description: "Your own sessions; always empty for other users" }),
      provider: z.array(z.string()),
      participant_type: z.literal("user"),
      created_at: unixTime(),
      updated_at: unixTime(),
    })
    .meta({ id: "User" }),
);

const firstName = () => name().meta({ description: "Given name of the user" });
const lastName = () => name().meta({ description: "Family name of the user" });
const jobTitle = () => line(255).meta({ description: "Job title" });
const phone = () => line(64).meta({ description: "Phone number" });
const birthday = () => date().meta({ description: "Date of birth" });
const metaField = () => clearable(line(1000)).meta({ description: "Custom profile field of the organisation" });
const metaFields = () => ({
  meta_field_0: metaField(),
  meta_field_1: metaField(),
  meta_field_2: metaField(),
  meta_field_3: metaField(),
  meta_field_4: metaField(),
});

/** The fields that every user has. */
export const identity = () => ({ first_name: firstName(), last_name: lastName(), email: email() });
/** The user types and the department of a membership. */
export const userTypeIds = () => z.array(id("usertypes")).max(100);
export const departmentId = () => id().meta({ description: "ID of a department of the unit" });

/** The optional fields of a user. */
export const profileFields = () => ({
  reference: nullable(reference()),
  title: clearable(jobTitle()),
  phone: nullable(phone()),
  birthday: nullable(birthday()),
  language: nullable(language()),
  timezone: nullable(timezone()),
  settings: z
    .strictObject({
      show_birthdays: z
        .enum(["all", "unit", "none"])
        .optional()
        .meta({ description: "Birthdays to show to the user: of everyone, of the own unit, or none" }),
      birthdays_optout: z.boolean().optional().meta({ description: "Hide the birthday from others" }),
    })
    .optional()
    .meta({ description: "Settings about birthdays" }),
  ...metaFields(),
});

/** The schema of one import row. An empty cell clears the field, a missing column keeps it. */
export const userRow = once(() =>
  z.strictObject({
    reference: nullable(reference()),
    ...identity(),
    unit: line(255, 1).meta({ description: "Reference of the unit" }),
    user_types: line(10_000).optional().meta({ description: "Names of user types, separated by semicolons" }),
    department: nullable(name()),
    title: clearable(jobTitle()),
    phone: nullable(phone()),
    birthday: nullable(birthday()),
    language: nullable(language()),
    timezone: nullable(timezone()),
    ...metaFields(),
  }),
);

/** The schema of an issue in a response. */
export const issue = once(() =>
  z
    .object({
      field: z.string().meta({ description: "Path of the field" }),
      code: z.enum(issueCodes).meta({ description: "More may be added" }),
      params: z
        .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
        .optional()
        .meta({ description: "Values in the message" }),
    })
    .meta({ id: "Issue" }),
);

/** The rows of an import. Each is checked on its own, so that a wrong one does not refuse the others. */
export const importRows = () =>
  z.array(z.record(z.string(), z.unknown())).max(1000).meta({ description: "Rows to import, up to 1,000" });

/** The result of an import, in the order of its rows. */
export const importResult = once(() =>
  z
    .object({
      results: z.array(
        z.object({
          action: z.enum(["created", "changed", "unchanged", "skipped"]),
          id: z.int().nullable(),
          reference: z.string().nullable(),
          fields: z
            .record(z.string(), z.array(z.string()))
            .optional()
            .meta({ description: "Messages about a skipped row, by field" }),
          issues: z.array(issue()).optional().meta({ description: "The same as fields, as codes" }),
        }),
      ),
    })
    .meta({ id: "ImportResult" }),
);

/** Returns true for an account of a machine. It has no e-mail address, so files of users leave it out. */
export const isServiceAccount = ({ provider }: { readonly provider: readonly string[] }): boolean =>
  provider.includes("service");
