import type { users as contract } from "../../contract/users.ts";
import { membershipIssues } from "../directory/memberships.ts";
import type { Checks, Handlers } from "../pipeline/context.ts";
import { memberships } from "./change-memberships.ts";
import { changing, creationIssues } from "./change-user.ts";
import { importRows } from "./import-users.ts";
import { birthdays } from "./list-birthdays.ts";
import { belowIssues, reading } from "./read-users.ts";
import { search } from "./search-users.ts";
import { password, passwordIssues } from "./set-password.ts";

export const users: Handlers<typeof contract> = {
  ...reading,
  ...changing,
  ...memberships,
  search,
  birthdays,
  password,
  import: importRows,
};

export const checks: Checks<typeof contract> = {
  list: async (_ctx, filter, isWrong) => (isWrong("unit") ? {} : belowIssues(filter)),
  create: creationIssues,
  password: passwordIssues,
  membershipAdd: membershipIssues,
  membershipSet: (ctx, { from, ...fields }) => membershipIssues(ctx, { unit: from, ...fields }),
};
