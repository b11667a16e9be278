import type { users as contract } from "../../contract/users.ts";
import { membershipIssues } from "../directory/memberships.ts";
import type { Checks, Handlers } from "../pipeline/context.ts";
import { avatar } from "./change-avatar.ts";
import { memberships } from "./change-memberships.ts";
import { newUserIssues, userChangeHandlers } from "./change-user.ts";
import { importUserRows } from "./import-users.ts";
import { birthdays } from "./list-birthdays.ts";
import { belowIssues, userReadHandlers } from "./read-users.ts";
import { searchUsers } from "./search-users.ts";
import { password, passwordIssues } from "./set-password.ts";

export const users: Handlers<typeof contract> = {
  ...userReadHandlers,
  ...userChangeHandlers,
  ...avatar,
  ...memberships,
  search: searchUsers,
  birthdays,
  password,
  import: importUserRows,
};

export const checks: Checks<typeof contract> = {
  list: async (_ctx, filter, isWrong) => (isWrong("unit") ? {} : belowIssues(filter)),
  create: newUserIssues,
  password: passwordIssues,
  membershipAdd: membershipIssues,
  membershipSet: (ctx, { from, ...fields }) => membershipIssues(ctx, { unit: from, ...fields }),
};
