import type { users as contract } from "../../contract/users.ts";
import type { Handlers } from "../pipeline/context.ts";
import { memberships } from "./change-memberships.ts";
import { userChangeHandlers } from "./change-user.ts";
import { importUserRows } from "./import-users.ts";
import { birthdays } from "./list-birthdays.ts";
import { userReadHandlers } from "./read-users.ts";
import { searchUsers } from "./search-users.ts";
import { password } from "./set-password.ts";

export const users: Handlers<typeof contract> = {
  ...userReadHandlers,
  ...userChangeHandlers,
  ...memberships,
  search: searchUsers,
  birthdays,
  password,
  import: importUserRows,
};
