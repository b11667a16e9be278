import type { InputOf } from "../../contract/operation.ts";
import type { users as contract } from "../../contract/users.ts";
import { withoutUndefined } from "../../store/bulk.ts";
import { flagValue } from "../../store/dialect.ts";
import { emailKey, userNameKey } from "../directory/text-keys.ts";
import type { Ctx } from "../pipeline/context.ts";
import { birthdayKey } from "./list-birthdays.ts";

export type UserFields = Omit<InputOf<typeof contract.update>, "id">;

/** Returns the columns for the given input fields; fields that are not given stay undefined. */
export function userColumns({ email, birthday, admin, settings, ...same }: UserFields) {
  return {
    ...same,
    email,
    email_key: email === undefined ? undefined : emailKey(email),
    birthday,
    birthday_key: birthday === undefined ? undefined : birthdayKey(birthday),
    admin: flagValue(admin),
    show_birthdays: settings?.show_birthdays,
    birthdays_optout: flagValue(settings?.birthdays_optout),
  };
}

type Columns = Partial<ReturnType<typeof userColumns>> & { readonly first_name: string; readonly last_name: string };

/** Empty values of the columns of a user: defaults for a new one, and what remains of a deleted one. */
export const emptyUser = {
  reference: null,
  email: null,
  email_key: null,
  title: "",
  phone: null,
  birthday: null,
  birthday_key: null,
  language: null,
  timezone: null,
  admin: 0,
  show_birthdays: "all",
  birthdays_optout: 0,
  meta_field_0: "",
  meta_field_1: "",
  meta_field_2: "",
  meta_field_3: "",
  meta_field_4: "",
} as const;

export function newUserRow({ now }: Ctx, columns: Columns, unit: number) {
  const key = { name_key: userNameKey(columns), unit_id: unit, created_at: now, updated_at: now };
  // All new rows have the same columns.
  return { ...emptyUser, provider: "local", ...withoutUndefined(columns), ...key };
}
