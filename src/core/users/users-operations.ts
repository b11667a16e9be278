import type { users as contract } from "../../contract/users.ts";
import type { Handlers } from "../pipeline/context.ts";
import { avatar } from "./change-avatar.ts";
import { memberships } from "./change-memberships.ts";
import { changing } from "./change-user.ts";
import { importRows } from "./import-users.ts";
import { birthdays } from "./list-birthdays.ts";
import { reading } from "./read-users.ts";
import { search } from "./search-users.ts";
import { password } from "./set-password.ts";

export const users: Handlers<typeof contract> = {
  ...reading,
  ...changing,
  ...avatar,
  ...memberships,
  search,
  birthdays,
  password,
  import: importRows,
};
