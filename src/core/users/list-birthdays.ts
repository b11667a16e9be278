import { sql } from "kysely";
import type { users as contract } from "../../contract/users.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { presentShortUsers } from "../directory/present-short-users.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { numberedPage } from "../pipeline/numbered-page.ts";

const defaultDays = 30;
const firstDay = 101;
const lastDay = 1231;
const february28 = 228;
const february29 = 229;

/** Returns the birthdays of a period, in the order of the days, limited by the actor's setting `show_birthdays`. */
export const birthdays: Handlers<typeof contract>["birthdays"] = async (ctx, input) => {
  const found: RowOf<"users", "id" | "birthday">[] = [];
  let total = 0;
  for (const days of period(ctx, input)) {
    const query = birthdaysIn(ctx, days);
    const offset = Math.max((input.page - 1) * input.limit - total, 0);
    const limit = input.limit - found.length;
    found.push(...(await query.select(["id", "birthday"]).limit(limit).offset(offset).execute()));
    total += (await query.clearOrderBy().select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()).total;
  }
  const days = new Map(found.map(({ id, birthday }) => [id, birthday?.slice(5) ?? ""]));
  const shown = await presentShortUsers(ctx, [...days.keys()]);
  const items = shown.map((user) => ({ ...user, day: days.get(user.id) ?? "" }));
  return numberedPage(ctx, "/users/birthdays", input, { items, total });
};

interface Days {
  readonly from: number;
  readonly to: number;
}

/** Selects birthdays. The literals match the conditions of the index `users_birthday`, which then gives counts and skips pages alone. */
function birthdaysIn({ db, actor }: Ctx, { from, to }: Days) {
  let query = db
    .selectFrom("users")
    .where("active", "=", sql.lit(1))
    .where("birthdays_optout", "=", sql.lit(0))
    .where("birthday_key", ">=", from)
    .where("birthday_key", "<=", to)
    .orderBy("birthday_key")
    .orderBy("id");
  if (actor.showBirthdays === "none") query = query.where(sql.lit(false), "=", sql.lit(true));
  if (actor.showBirthdays === "unit") query = query.where("unit_id", "=", actor.unitId);
  return query;
}

/** Returns the days, in two parts over New Year. Outside leap years, 29 February counts as 28 February. */
function period(ctx: Ctx, { start, end }: { start?: string | undefined; end?: string | undefined }): Days[] {
  const [year, today] = localDay(ctx);
  let from = start === undefined ? today : keyOf(start);
  let to = end === undefined ? daysAfter(year, from, defaultDays) : keyOf(end);
  const wraps = from > to;
  // The February of this year, or of next year when the period begins after it.
  const isLeap = new Date(Date.UTC(from <= february29 ? year : year + 1, 1, 29)).getUTCDate() === 29;
  if (!isLeap) {
    if (to === february28) to = february29;
    if (from === february29) from = february29 + 1;
  }
  if (!wraps) return [{ from, to }];
  return [
    { from, to: lastDay },
    { from: firstDay, to },
  ];
}

function localDay(ctx: Ctx): [year: number, key: number] {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone: ctx.settings.timezone }).format(ctx.now * 1000);
  const [year = "", ...monthDay] = parts.split("-");
  return [Number(year), keyOf(monthDay.join("-"))];
}

function daysAfter(year: number, key: number, days: number): number {
  const day = new Date(Date.UTC(year, Math.floor(key / 100) - 1, (key % 100) + days));
  return (day.getUTCMonth() + 1) * 100 + day.getUTCDate();
}

function keyOf(monthDay: string): number {
  return Number(monthDay.replace("-", ""));
}

/** Returns month and day of a date as MMDD, the key by which birthdays are found. */
export function birthdayKey(date: string | null): number | null {
  return date === null ? null : keyOf(date.slice(5));
}
