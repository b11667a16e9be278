import { maxUnitLevel } from "./nesting.ts";

type IssueParams = Readonly<Record<string, string | number | readonly string[]>>;

interface MessageSource {
  readonly [name: string]: (params: IssueParams) => string;
}

const text = (value: IssueParams[string] | undefined): string =>
  typeof value === "object" ? value.join(", ") : String(value ?? "");

function holderIn({ user, deactivated }: IssueParams): string {
  if (user === undefined) return "another user";
  const again = `, who is deactivated; wcs users reactivate ${text(user)} makes the user active again`;
  return `user ${text(user)}${deactivated === undefined ? "" : again}`;
}

/** Messages about permissions that the actor lacks. */
const permissionMessages = {
  out_of_reach: ({ ability }) => `is a unit in which you don't have the ability ${text(ability)}`,
  user_out_of_reach: () => "belongs to a user over whom you don't have the ability user",
  user_beyond_abilities: ({ abilities }) => `belongs to a user with abilities that you don't have: ${text(abilities)}`,
  sign_in_only: () => "of this user cannot be changed with an API token; sign in instead",
  own_membership: () => "is a unit that only an administrator can move you to",
  own_provider: () => "is your own; ask another administrator to change it",
  own_user_types: () => "contains user types that only an administrator can give you",
  user_type_beyond_abilities: ({ name, abilities }) =>
    `contains ${text(name)}, which grants abilities that you don't have: ${text(abilities)}`,
  move_beyond_abilities: ({ abilities }) => `would extend abilities that you don't have: ${text(abilities)}`,
} satisfies MessageSource;

/** A message follows the name of its field. `invalid` stands for every issue that has a message of its own. */
const messages = {
  invalid: () => "is not valid",
  required: () => "is required",
  unknown_field: () => "is not a field of this operation",
  wrong_type: ({ expected }) => `must be ${withArticle(nouns[text(expected)] ?? text(expected))}`,
  not_allowed_value: ({ values }) =>
    Array.isArray(values) && values.length === 1 ? `must be ${values[0]}` : `must be one of ${text(values)}`,
  too_small: ({ minimum, of }) => `must ${bound(of)} at least ${amount(minimum, of)}`,
  too_big: ({ maximum, of }) => `must ${bound(of)} at most ${amount(maximum, of)}`,
  wrong_format: ({ format }) => (format === "regex" ? "has the wrong form" : `must be ${withArticle(text(format))}`),
  not_multiple_of: ({ divisor }) => `must be a multiple of ${text(divisor)}`,
  common_password: () => "is one of the most common passwords; choose another",
  own_name: () => "must not be the user's name or e-mail address",
  language_not_offered: ({ offered }) => `is not a language of this instance, which are: ${text(offered)}`,
  not_equal: ({ other }) => `must be the same as ${text(other)}`,
  unusable_token: () => "is invalid, used or expired; request a new mail",
  managed_elsewhere: () => "belongs to a user whose password is managed elsewhere",
  service_account: () => "cannot be given for a service account, which has no e-mail address and no password",
  no_such_unit: ({ reference }) => `is not the reference of a unit: ${text(reference)}`,
  no_such_user_type: ({ name }) => `contains a user type that does not exist: ${text(name)}`,
  no_such_department: ({ name }) => `is not a department of the unit: ${text(name)}`,
  unreachable_unit: ({ reference }) => `is a unit that was not imported, or lies below this one: ${text(reference)}`,
  reference_taken: (params) => `is taken by ${holderIn(params)}`,
  email_taken: (params) => `is taken by ${holderIn(params)}`,
  future_date: () => "must not be in the future",
  root_parent: () => "must be empty, because the root unit cannot be moved",
  circular_parent: () => "must not be the unit itself or a unit below it",
  too_deep: () => `is too deep: the tree has at most ${maxUnitLevel} levels below the root`,
  ...permissionMessages,
} satisfies MessageSource;

/** A machine-readable code for each kind of issue. More may be added. */
type IssueCode = keyof typeof messages;

/** The cause of an issue: its code, and the values in its message. */
export interface Cause {
  readonly code: IssueCode;
  readonly params?: IssueParams | undefined;
}

/** A wrong field: its path, as in `contact.phone`, and what is wrong with it. */
export interface Issue extends Cause {
  readonly field: string;
}

export const issueCodes = Object.keys(messages) as readonly IssueCode[];

export const isPermissionIssue = ({ code }: Pick<Issue, "code">): boolean => code in permissionMessages;

export function messageOf({ code, params = {} }: Cause): string {
  const message: MessageSource[string] = messages[code];
  return message(params);
}

const nouns: Readonly<Record<string, string>> = {
  int: "integer",
  string: "text",
  array: "list",
  record: "object",
  boolean: "boolean (true or false)",
};
const withArticle = (noun: string) => (/^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`);
const bound = (of: IssueParams[string] | undefined) => (of === "string" || of === "array" ? "have" : "be");
const amount = (number: IssueParams[string] | undefined, of: IssueParams[string] | undefined) => {
  const unit = of === "string" ? " character" : of === "array" ? " item" : "";
  return `${text(number)}${unit}${unit === "" || number === 1 ? "" : "s"}`;
};
