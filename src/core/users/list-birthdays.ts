import { sql } from "kysely";
import type { users as contract } from "../../contract/users.ts";
import { presentShortUsers } from "../directory/present-short-users.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { numberedPage } from "../pipeline/numbered-page.ts";

const standardDays = 30;
const february28 = 228;
const february29 = 229;

type Birthdays = Handlers<typeof contract>["birthdays"];

/** Returns the birthdays of a period, in the order of the days, limited by the actor's setting `show_birthdays`. */
export const birthdays: Birthdays = async (ctx, input) => {
  const { from, to, wraps } = period(ctx, input);
  let query = ctx.db
    .selectFrom("users")
    .where("active", "=", 1)
    .where("birthdays_optout", "=", 0)
    .where("birthday_key", "is not", null)
    .where((eb) => {
      const both = [eb("birthday_key", ">=", from), eb("birthday_key", "<=", to)];
      return wraps ? eb.or(both) : eb.and(both);
    });
  if (ctx.actor.showBirthdays === "none") query = query.where(sql.lit(false), "=", sql.lit(true));
  if (ctx.actor.showBirthdays === "unit") query = query.where("unit_id", "=", ctx.actor.unitId);
  const { total } = await query.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await query
    .select(["id", "birthday"])
    .orderBy((eb) => eb.case().when("birthday_key", ">=", from).then(0).else(1).end())
    .orderBy("birthday_key")
    .orderBy("id")
    .limit(input.limit)
    .offset((input.page - 1) * input.limit)
    .execute();
  const days = new Map(rows.map(({ id, birthday }) => [id, birthday?.slice(5) ?? ""]));
  const shown = await presentShortUsers(ctx, [...days.keys()]);
  const items = shown.map((user) => ({ ...user, day: days.get(user.id) ?? "" }));
  return numberedPage(ctx, "/users/birthdays", input, { items, total });
};

/**
 * Returns the first and last day as MMDD; `wraps` is true when the period includes New Year. Outside leap years,
 * birthdays on 29 February count as 28 February.
 */
function period(ctx: Ctx, { start, end }: { start?: string | undefined; end?: string | undefined }) {
  const [year, today] = localDay(ctx);
  let from = start === undefined ? today : keyOf(start);
  let to = end === undefined ? daysAfter(year, from, standardDays) : keyOf(end);
  const wraps = from > to;
  // The February of this year, or of next year when the period begins after it.
  if (!isLeap(from <= february29 ? year : year + 1)) {
    if (to === february28) to = february29;
    if (from === february29) from = february29 + 1;
  }
  return { from, to, wraps };
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

function isLeap(year: number): boolean {
  return new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29;
}

function keyOf(monthDay: string): number {
  return Number(monthDay.replace("-", ""));
}

/** Returns month and day of a date as MMDD, the key by which birthdays are found. */
export function birthdayKey(date: string | null): number | null {
  return date === null ? null : keyOf(date.slice(5));
}
