import type { users as contract } from "../../contract/users.ts";
import type { Handlers } from "../context.ts";
import { birthdays } from "./birthdays.ts";
import { changing } from "./changing.ts";
import { importRows } from "./import.ts";
import { memberships } from "./memberships.ts";
import { password } from "./password.ts";
import { reading } from "./reading.ts";
import { search } from "./search.ts";

export const users: Handlers<typeof contract> = {
  ...reading,
  ...changing,
  ...memberships,
  search,
  birthdays,
  password,
  import: importRows,
};
