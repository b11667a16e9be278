import { isDeepStrictEqual } from "node:util";
import { mostRules, type Rule, weekdays } from "../../../contract/event-schemas.ts";
import type { Weekday } from "./recurrence-words.ts";

/** The parts of an RRULE that can have several values. */
export interface Lists {
  readonly months: readonly number[];
  readonly monthDays: readonly number[];
  /** One group of all days without an ordinal, and one group for each day with an ordinal (`2TU`). */
  readonly days: readonly { readonly days: readonly Weekday[]; readonly nth: number | undefined }[];
  readonly positions: readonly number[];
}

type Common = Pick<Rule, "freq" | "until" | "count" | "interval">;
type Choice = Pick<Rule, "byday" | "bysetpos" | "bymonthday">;

/** Returns one rule for each combination of the values, or the reason why that is not possible. */
export function expanded(common: Common, lists: Lists): Rule[] | string {
  const wrong = refusal(common, lists);
  if (wrong !== undefined) return wrong;
  const rules = distinct(
    orNone(lists.months).flatMap((bymonth) => choices(lists).map((choice) => ({ ...common, ...choice, bymonth }))),
  );
  if (rules.length > mostRules) return describeTooManyRules(rules);
  return rules.length > 1 && common.count !== null ? "COUNT over several months or days at once" : rules;
}

/** Removes duplicate rules, which events do not allow. */
export const distinct = (rules: readonly Rule[]): Rule[] =>
  rules.filter((rule, at) => rules.findIndex((other) => isDeepStrictEqual(other, rule)) === at);

export const describeTooManyRules = (rules: readonly Rule[]): string =>
  `${rules.length} rules exceed the limit of ${mostRules} for an event`;

const orNone = <T>(values: readonly T[]): readonly (T | null)[] => (values.length > 0 ? values : [null]);

function choices({ days, monthDays, positions }: Lists): Choice[] {
  return orNone(days).flatMap((group) =>
    orNone(monthDays).flatMap((monthDay) =>
      orNone(positions).map((position): Choice => {
        // The last day of a month is the last of all weekdays.
        if (monthDay === -1) return { byday: [...weekdays], bysetpos: -1, bymonthday: null };
        return { byday: [...(group?.days ?? [])], bysetpos: group?.nth ?? position, bymonthday: monthDay };
      }),
    ),
  );
}

/** Returns why the lists cannot become rules with one month, one day of the month and one position each. */
function refusal({ freq }: Common, { months, monthDays, days, positions }: Lists): string | undefined {
  const counted = days.filter(({ nth }) => nth !== undefined);
  const isLong = freq === "monthly" || freq === "yearly";
  if (counted.length > 0 && !isLong) return "BYDAY with a number needs FREQ=MONTHLY or YEARLY";
  if (counted.length > 0 && counted.length < days.length) return "BYDAY with and without numbers at once";
  if (monthDays.length > 0 && freq === "weekly") return "BYMONTHDAY does not go with FREQ=WEEKLY";
  if (positions.length > 0 && (days.length !== 1 || counted.length > 0))
    return "BYSETPOS is kept only with BYDAY, and there without numbers";
  if (positions.length > 0 && (monthDays.length > 1 || (freq === "yearly" && months.length > 1)))
    return "BYSETPOS over several months or days of the month";
  if (counted.length > 0 && monthDays.length > 0) return "BYDAY with a number together with BYMONTHDAY";
  for (const position of [...positions, ...days.flatMap(({ nth }) => nth ?? [])])
    if (position === 0 || position < -1 || position > 5) return `position ${position} is kept only as 1 to 5 or -1`;
  for (const month of months) if (month < 1 || month > 12) return `there is no month ${month}`;
  const hasLast =
    days.length === 0 && positions.length === 0 && (freq === "monthly" || (freq === "yearly" && months.length > 0));
  return monthDays.map((day) => refusalOfDay(day, hasLast)).find((sentence) => sentence !== undefined);
}

function refusalOfDay(day: number, hasLast: boolean): string | undefined {
  if (day === -1) return hasLast ? undefined : "BYMONTHDAY=-1 is kept only alone, and of a month";
  return day < 1 || day > 31 ? `BYMONTHDAY=${day} is kept only as 1 to 31 or -1` : undefined;
}
