import { z } from "zod";
import {
  cursorInput,
  cursorPage,
  email,
  id,
  ids,
  line,
  name,
  noContent,
  nothing,
  numberedPage,
  pageInput,
  reference,
} from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";
import { importResult, membership, profile, shortUser, user } from "./user-schemas.ts";

const monthDay = () =>
  z
    .string()
    .regex(
      /^(02-(0[1-9]|[12]\d)|(0[469]|11)-(0[1-9]|[12]\d|30)|(0[13578]|1[02])-(0[1-9]|[12]\d|3[01]))$/,
      "must be a day of the year as MM-DD",
    );
const password = () =>
  z.string().min(1).max(128, "must have at most 128 characters").meta({ secret: true, minLength: 8 });

const member = () => ({ user: id("users"), unit: id("units") });

const allAbilities = "Takes every ability that the user has, wherever the user has it.";
const membershipTag = "User unit memberships";
const membershipRule =
  "Takes the ability user in the unit of the membership, wherever else the user is a member, and every ability that the membership grants.";

export const users = operationGroup("users", {
  list: operation({
    method: "GET",
    path: "/users",
    summary: "Users, by ID",
    access: "signed_in",
    input: () =>
      z.strictObject({
        unit: id("units").optional().meta({ description: "Members of this unit" }),
        below: z.boolean().default(false).meta({ description: "With unit: members of the units below it, too" }),
        user_type: id("usertypes").optional().meta({ description: "Holders of this user type" }),
        admin: z.boolean().optional().meta({ description: "Only administrators, or only others" }),
        inactive: z.boolean().default(false).meta({ description: "Deactivated users, too" }),
        email: email().optional().meta({ description: "The user with this address, if you may see it" }),
        ...cursorInput(),
      }),
    output: () => cursorPage(user()),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
  get: operation({
    method: "GET",
    path: "/users/{id}",
    summary: "One user",
    description: "E-mail, phone and birthday are shown to the user and to those with the ability user over the user.",
    access: "signed_in",
    input: () => z.strictObject({ id: id("users") }),
    output: user,
    status: 200,
    errors: ["gone"],
  }),
  current: operation({
    method: "GET",
    path: "/users/current",
    summary: "The user who asks",
    access: "signed_in",
    input: nothing,
    output: user,
    status: 200,
  }),
  reference: operation({
    method: "GET",
    path: "/users/reference/{reference}",
    summary: "The user with a reference",
    access: "signed_in",
    input: () => z.strictObject({ reference: reference() }),
    output: user,
    status: 200,
  }),
  search: operation({
    method: "GET",
    path: "/users/search",
    summary: "Active users whose name, title or e-mail begins with each word",
    description: "Accents and case do not matter. E-mail addresses are searched by those who may see them only.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        q: line(200, 1).meta({ description: "One or more words" }),
        limit: z.int().min(1).max(500).default(50),
      }),
    output: () => z.object({ data: z.array(user()) }),
    status: 200,
    list: { items: "data" },
  }),
  collection: operation({
    method: "GET",
    path: "/users/collection/{userIDs=ids}",
    bare: true,
    summary: "Users by a list of IDs",
    description: "At most 500, divided by commas. Their order is kept, unknown and deleted ones are left out.",
    access: "signed_in",
    input: () => z.strictObject({ ids: ids("users") }),
    output: () => z.object({ users: z.array(user()) }),
    status: 200,
    list: { items: "users" },
  }),
  birthdays: operation({
    method: "GET",
    path: "/users/birthdays",
    summary: "Users with a birthday in a period",
    description:
      "From start (today) to end (30 days on), both included, also over New Year. 29 February shows on 28 February in other years.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        start: monthDay().optional().meta({ description: "First day, MM-DD" }),
        end: monthDay().optional().meta({ description: "Last day, MM-DD" }),
        ...pageInput(),
      }),
    output: () => numberedPage(shortUser()),
    status: 200,
    list: { items: "data", paging: "pages" },
  }),
  create: operation({
    method: "POST",
    path: "/users",
    summary: "Create a user",
    description: "Without a password the user sets one by the link in the welcome mail.",
    access: { ability: "user", at: [{ unit: "unit" }] },
    input: () =>
      z.strictObject({
        first_name: name(),
        last_name: name(),
        email: email(),
        unit: id("units").meta({ description: "The user's unit" }),
        userTypes: z.array(id("usertypes")).max(100).optional(),
        department: id().optional(),
        password: password().optional(),
        welcome: z.boolean().default(false).meta({ description: "Send the welcome mail" }),
        admin: z.boolean().optional().meta({ description: "Make the user an administrator; administrators only" }),
        ...profile(),
      }),
    output: user,
    status: 201,
    location: "/users/{id}",
    transaction: "own",
    errors: ["conflict"],
  }),
  update: operation({
    method: "PATCH",
    path: "/users/{id}",
    summary: "Change a user",
    description:
      "Only what is named changes. Everybody may change the own phone, language, timezone and settings; the rest takes the ability user. A new e-mail address or reference of another user also takes every ability that the user has, wherever the user has it. A new e-mail address ends links to set a password that were sent to the old one.",
    access: { ability: "user", at: [{ user: "id" }], self: true, takeover: ["email", "reference"] },
    input: () =>
      z.strictObject({
        id: id("users"),
        first_name: name().optional(),
        last_name: name().optional(),
        email: email().optional(),
        admin: z.boolean().optional().meta({ description: "Administrators only" }),
        ...profile(),
      }),
    output: user,
    status: 200,
    errors: ["conflict", "gone"],
  }),
  delete: operation({
    method: "DELETE",
    path: "/users/{id}",
    summary: "Delete a user: personal data and credentials are erased, posts and messages stay",
    description: allAbilities,
    access: { ability: "user", at: [{ user: "id" }], takeover: true },
    input: () => z.strictObject({ id: id("users") }),
    output: noContent,
    status: 204,
    errors: ["conflict", "gone"],
  }),
  deactivate: operation({
    method: "POST",
    path: "/users/{id}/deactivate",
    summary: "Deactivate a user: no signing in, not in lists",
    description: allAbilities,
    access: { ability: "user", at: [{ user: "id" }], takeover: true },
    input: () => z.strictObject({ id: id("users") }),
    output: noContent,
    status: 204,
    errors: ["conflict", "gone"],
  }),
  reactivate: operation({
    method: "POST",
    path: "/users/{id}/reactivate",
    summary: "Let a deactivated user back in",
    description: allAbilities,
    access: { ability: "user", at: [{ user: "id" }], takeover: true },
    input: () => z.strictObject({ id: id("users") }),
    output: noContent,
    status: 204,
    errors: ["gone"],
  }),
  welcome: operation({
    method: "POST",
    path: "/users/welcome",
    summary: "Send the welcome mail",
    description: `To users managed elsewhere (another provider than local) without a link to set a password. ${allAbilities}`,
    access: { ability: "user", at: [{ user: "users" }], takeover: true },
    input: () => z.strictObject({ users: ids("users") }),
    output: noContent,
    status: 204,
  }),
  password: operation({
    method: "PATCH",
    path: "/users/{id}/password",
    summary: "Set a user's password",
    description:
      "Your own takes the current one; after 10 wrong ones in 15 minutes: 429. Another user's takes every ability that the user has, wherever the user has it; an administrator's is set by administrators only. All the user's tokens end at once.",
    access: { ability: "user", at: [{ user: "id" }], self: true, takeover: true },
    input: () =>
      z.strictObject({
        id: id("users"),
        password: password(),
        current: z
          .string()
          .max(1000)
          .optional()
          .meta({ secret: true, description: "Your present password, for your own" }),
      }),
    output: noContent,
    status: 204,
    transaction: "own",
    errors: ["gone", "too_many_requests"],
  }),
  policy: operation({
    method: "POST",
    path: "/users/policy",
    summary: "Accept the site policy",
    access: "signed_in",
    input: nothing,
    output: noContent,
    status: 204,
  }),
  memberships: operation({
    tag: membershipTag,
    method: "GET",
    path: "/users/{user}/units",
    bare: true,
    summary: "A user's memberships of units",
    access: "signed_in",
    input: () => z.strictObject({ user: id("users") }),
    output: () => z.object({ data: z.array(membership()) }),
    status: 200,
    list: { items: "data" },
    errors: ["gone"],
  }),
  membershipAdd: operation({
    tag: membershipTag,
    method: "POST",
    path: "/users/{user}/units",
    bare: true,
    summary: "Make a user a member of a unit",
    description: `${membershipRule} Only administrators make themselves members of a unit, as members may read what is meant for the unit.`,
    access: { ability: "user", at: [{ member: "user" }, { unit: "unit" }] },
    input: () =>
      z.strictObject({
        ...member(),
        userTypes: z.array(id("usertypes")).max(100).optional(),
        department: id().optional(),
      }),
    output: membership,
    status: 201,
    errors: ["conflict", "gone"],
  }),
  membershipSet: operation({
    tag: membershipTag,
    method: "PATCH",
    path: "/users/{user}/units/{unit=from}",
    bare: true,
    summary: "Change a membership: user types, department, or the unit itself",
    description: `unit moves the membership. userTypes replace the present ones, or with overwrite false come on top. department null clears. ${membershipRule} A move takes them in both units. Only administrators move their own membership or add user types to it, also those without abilities; others ask somebody else.`,
    access: { ability: "user", at: [{ member: "user" }, { unit: "from" }, { unit: "unit" }] },
    input: () =>
      z.strictObject({
        user: id("users"),
        from: id("units").meta({ description: "The unit of the membership" }),
        unit: id("units").optional().meta({ description: "The unit to move to" }),
        userTypes: z.array(id("usertypes")).max(100).optional(),
        department: id().nullable().optional(),
        overwrite: z.boolean().default(true).meta({ description: "Replace the user types rather than add to them" }),
      }),
    output: noContent,
    status: 204,
    errors: ["conflict", "gone"],
  }),
  membershipRemove: operation({
    tag: membershipTag,
    method: "DELETE",
    path: "/users/{user}/units/{unit}",
    bare: true,
    summary: "End a membership; the last one stays",
    description: membershipRule,
    access: { ability: "user", at: [{ member: "user" }, { unit: "unit" }] },
    input: () => z.strictObject(member()),
    output: noContent,
    status: 204,
    errors: ["conflict", "gone"],
  }),
  import: operation({
    method: "POST",
    path: "/users/import",
    summary: "Create and change users by reference, many at once",
    description:
      "Good rows go in, in one transaction; each bad row is left out with its reasons. A row without reference is matched by e-mail. Changing a user by a row takes every ability that the user has, wherever the user has it; only administrators move themselves or give themselves user types.",
    access: { ability: "user" },
    input: () =>
      z.strictObject({
        rows: z.array(z.record(z.string(), z.unknown())).max(1000),
        create_user_types: z.boolean().default(false).meta({ description: "Create user types that rows name" }),
      }),
    output: importResult,
    status: 200,
    bodyLimit: 4_194_304,
  }),
});
