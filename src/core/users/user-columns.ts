import type { users as contract } from "../../contract/users.ts";
import { flagValue } from "../../store/dialect.ts";
import { emailKey, userNameKey } from "../directory/text-keys.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { birthdayKey } from "./list-birthdays.ts";

/** The input fields of a user that are columns. */
export type UserFields = Omit<Parameters<Handlers<typeof contract>["update"]>[1], "id">;

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

/** Returns the row of a new user, with defaults for columns that are not given, so that all rows have the same columns. */
export function newUserRow({ now }: Ctx, columns: Columns, unit: number) {
  return {
    reference: columns.reference ?? null,
    email: columns.email ?? null,
    email_key: columns.email_key ?? null,
    first_name: columns.first_name,
    last_name: columns.last_name,
    name_key: userNameKey(columns),
    title: columns.title ?? "",
    phone: columns.phone ?? null,
    birthday: columns.birthday ?? null,
    birthday_key: columns.birthday_key ?? null,
    language: columns.language ?? null,
    timezone: columns.timezone ?? null,
    admin: columns.admin ?? 0,
    provider: columns.provider ?? "local",
    show_birthdays: columns.show_birthdays ?? "all",
    birthdays_optout: columns.birthdays_optout ?? 0,
    meta_field_0: columns.meta_field_0 ?? "",
    meta_field_1: columns.meta_field_1 ?? "",
    meta_field_2: columns.meta_field_2 ?? "",
    meta_field_3: columns.meta_field_3 ?? "",
    meta_field_4: columns.meta_field_4 ?? "",
    unit_id: unit,
    created_at: now,
    updated_at: now,
  };
}
