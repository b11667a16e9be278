import { z } from "zod";
import {
  created,
  cursorInput,
  cursorList,
  email,
  id,
  ids,
  line,
  newPassword,
  numberedList,
  pageInput,
  reference,
  wholeList,
} from "./common-schemas.ts";
import { imageOperations } from "./image-operations.ts";
import { membershipOperations } from "./membership-operations.ts";
import { abilities, operation, operationGroup } from "./operation.ts";
import { userImportOperations } from "./user-import-operations.ts";
import { anyProvider, birthdayUser, departmentId, identity, profileFields, user, userTypeIds } from "./user-schemas.ts";

const monthDay = () =>
  z
    .string()
    .regex(
      /^(02-(0[1-9]|[12]\d)|(0[469]|11)-(0[1-9]|[12]\d|30)|(0[13578]|1[02])-(0[1-9]|[12]\d|3[01]))$/,
      "must be a day of the year as MM-DD",
    )
    .meta({ placeholder: "MM-DD" });

const allAbilities = "Needs every ability that the user has, in every unit where the user has it.";

const avatar = imageOperations({
  owner: "user",
  noun: "avatar",
  rights: "Everyone can change and delete their own.",
  access: { ability: "user", at: [{ user: "id" }], self: true },
});

/** Common to the operations that take away or give back the account of a user. */
const accountChange = {
  access: { ability: "user", at: [{ user: "id" }], takeover: true },
  input: () => ({ id: id("users") }),
  errors: ["conflict"],
} as const;

export const users = operationGroup("users", {
  list: operation("GET", "/users", "List users", {
    description: "Users are sorted by ID.",
    access: "signed_in",
    input: () => ({
      unit: id("units").optional().describe("Only members of this unit"),
      below: z.boolean().default(false).describe("With unit: include members of the units below it"),
      user_type: id("usertypes").optional().describe("Only users with this user type"),
      admin: z.boolean().optional().describe("Only administrators; false: only other users"),
      ability: z
        .enum(abilities)
        .optional()
        .describe("Only users with this ability, from a user type or as administrators"),
      ability_unit: id("units")
        .optional()
        .describe("Only users with this ability, or any, in this unit: from a membership there or above"),
      has_password: z
        .boolean()
        .optional()
        .describe("Only users with a password; false: only local users without one (administrators only)"),
      inactive: z.boolean().default(false).describe("Include deactivated users"),
      provider: anyProvider().optional().describe("Only users of this provider; service: service accounts"),
      email: email().optional().describe("Only the user with this e-mail address, if you have access to it"),
      ...cursorInput(),
    }),
    ...cursorList(user),
  }),
  get: operation("GET", "/users/{id}", "Get a user", {
    description:
      "E-mail address, phone number and birthday are empty unless you are this user or have the ability user over this user.",
    access: "signed_in",
    input: () => ({ id: id("users") }),
    output: user,
  }),
  current: operation("GET", "/users/current", "Get the current user", {
    access: "signed_in",
    withoutTwoFactor: true,
    output: user,
  }),
  reference: operation("GET", "/users/reference/{reference}", "Get a user by reference", {
    access: "signed_in",
    input: () => ({ reference: reference() }),
    output: user,
  }),
  search: operation("GET", "/users/search", "Search users by name, title or e-mail address", {
    description:
      "Finds users with words that begin with each word of the query, ignoring case and accents. Names come first, then titles. Administrators also search e-mail addresses.",
    access: "signed_in",
    input: () => ({
      q: line(200, 1).describe("Words or beginnings of words"),
      inactive: z.boolean().default(false).describe("Include deactivated users"),
      limit: z.int().min(1).max(500).default(50).describe("Maximum number of users, 1 to 500"),
    }),
    ...wholeList(user),
  }),
  collection: operation("GET", "/users/collection/{userIDs=ids}", "Get several users by ID", {
    description:
      "Takes up to 500 IDs, separated by commas. Users are returned in this order; unknown and deleted users are omitted.",
    access: "signed_in",
    input: () => ({ ids: ids("users") }),
    output: () => z.object({ users: z.array(user()) }),
    list: { items: "users" },
  }),
  birthdays: operation("GET", "/users/birthdays", "List users with a birthday in a period", {
    description:
      "Both days are included, and the period may span the new year. Birthdays on 29 February are listed on 28 February in common years.",
    access: "signed_in",
    input: () => ({
      start: monthDay().optional().describe("First day (default today)"),
      end: monthDay().optional().describe("Last day (default 30 days after the first)"),
      ...pageInput(),
    }),
    ...numberedList(birthdayUser),
  }),
  create: operation("POST", "/users", "Create a user", {
    description:
      "Without a password, the user sets one through the link in the welcome mail, of which at most 5 go to one address in an hour. Users of another provider than local have no password and do not sign in here. A service account has neither e-mail address nor password: it cannot sign in, and acts through API tokens only.",
    access: { ability: "user", at: [{ unit: "unit" }] },
    input: () => ({
      ...identity(),
      email: email().optional().describe("E-mail address (required, except for a service account)"),
      service: z.boolean().default(false).describe("Create a service account, for machines"),
      unit: id("units").describe("First unit of the user"),
      userTypes: userTypeIds().optional(),
      department: departmentId().optional(),
      password: newPassword().optional(),
      welcome: z.boolean().default(false).describe("Send the welcome mail"),
      admin: z.boolean().optional().describe("Make the user an administrator (administrators only)"),
      ...profileFields(),
    }),
    ...created(user, "/users/{id}"),
    transaction: "own",
    errors: ["too_many_requests"],
  }),
  update: operation("PATCH", "/users/{id}", "Update a user", {
    description: `Only the given fields change. Everyone can change their own phone, language, timezone and settings; all other changes need the ability user. Changing the e-mail address, reference or provider of another user also needs every ability that this user has, in every unit where the user has it. A new e-mail address invalidates password links that were sent to the old one, and users with a password get a notice at the old one. A user of another provider than local loses the password and is signed out. Nobody can change their own provider, and the last active administrator who can sign in keeps rights and provider. When a service account becomes an administrator, its API tokens end, because others may have created them.`,
    access: { ability: "user", at: [{ user: "id" }], self: true, takeover: ["email", "reference", "provider"] },
    input: () => ({
      id: id("users"),
      ...z.object(identity()).partial().shape,
      admin: z.boolean().optional().describe("Make the user an administrator (administrators only)"),
      ...profileFields(),
    }),
    output: user,
    errors: ["conflict"],
  }),
  delete: operation("DELETE", "/users/{id}", "Delete a user", {
    description: `Erases personal data and credentials in all tables; posts, comments, messages and shared events stay, as those of "Deleted user"; personal events that are not shared are removed. Stored webhook events about the user lose their data, and user.delete carries the erased user. Export the data first if you need them. ${allAbilities}`,
    ...accountChange,
  }),
  deactivate: operation("POST", "/users/{id}/deactivate", "Deactivate a user", {
    description: `The user can no longer sign in and is omitted from lists. All sessions and API tokens of the user end at once, also if the user is reactivated later. ${allAbilities}`,
    ...accountChange,
  }),
  reactivate: operation("POST", "/users/{id}/reactivate", "Reactivate a deactivated user", {
    description: allAbilities,
    ...accountChange,
  }),
  welcome: operation("POST", "/users/welcome", "Send the welcome mail to users", {
    description: `The mail contains a link to set a password only if the user signs in here and has none yet. In an hour, at most 5 go to one address, and one user sends at most 10,000; beyond that the request is refused (429) and nobody gets one. ${allAbilities}`,
    access: { ability: "user", at: [{ user: "users" }], takeover: true },
    input: () => ({ users: ids("users") }),
    errors: ["too_many_requests"],
  }),
  password: operation("PATCH", "/users/{id}/password", "Set a user's password", {
    description:
      "Setting your own password needs the current one; after 10 wrong attempts in 15 minutes, further ones are refused (429). Setting that of another user needs every ability that this user has, in every unit where the user has it; only administrators can set that of an administrator. All tokens of the user are revoked; API tokens too, unless it is your own password. Not possible with an API token, and not for service accounts.",
    signInOnly: true,
    access: { ability: "user", at: [{ user: "id" }], self: true, takeover: true },
    input: () => ({
      id: id("users"),
      password: newPassword(),
      current: z.string().max(1000).optional().meta({ secret: true, description: "Current password" }),
    }),
    transaction: "own",
    errors: ["conflict", "too_many_requests"],
  }),
  twoFactorReset: operation("DELETE", "/users/{id}/two-factor", "Switch off a user's second factor", {
    description: `For users who lost their authenticator app and recovery codes; auth.twoFactorDisable (wcs auth 2fa disable) switches off your own. ${allAbilities} Not possible with an API token.`,
    signInOnly: true,
    ...accountChange,
  }),
  exportData: operation("GET", "/users/{id}/data", "Export the data that are kept about a user", {
    description:
      "Returns records of all kinds (section), a page at a time: profile, memberships, posts, comments, events, entries of the audit log, tokens, webhooks, mails, and files with their content in base64. A record has the fields that are stored, without secrets, hashes and addresses of webhook receivers. Everyone can export their own data, administrators those of others. Exports of others leave out what only the user can see: conversations, messages, personal events, marks, votes and sign-ins. The start of an export is recorded in the audit log, and again when it continues after more than an hour; after 60 in an hour the response is 429. Not possible with an API token.",
    signInOnly: true,
    access: "signed_in",
    input: () => ({ id: id("users"), cursor: cursorInput().cursor }),
    ...cursorList(() => z.object({ section: z.string(), record: z.record(z.string(), z.unknown()) })),
    transaction: "own",
    errors: ["too_many_requests"],
  }),
  policy: operation("POST", "/users/policy", "Accept the site policy", { access: "signed_in" }),
  avatarSet: avatar.set,
  avatarDelete: avatar.delete,
  ...membershipOperations,
  ...userImportOperations,
});
