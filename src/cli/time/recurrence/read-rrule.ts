import { isDeepStrictEqual } from "node:util";
import { frequencies, maxRules, type Rule, weekdays } from "../../../contract/event-schemas.ts";
import { formatRrule, rulePartsOf, splitRrule, withEnd } from "../../../contract/rrule-text.ts";
import { inOrder, type Weekday } from "./recurrence-words.ts";

type ReadRrule = { readonly rules: readonly Rule[] } | { readonly issues: readonly string[] };

/** Returns the parts of a rule by name (RFC 5545, 3.3.10). `until` formats its last day. */
export function rrulePartsOf(rule: Rule, until: (day: string) => string): [name: string, value: string][] {
  const parts = rulePartsOf({ ...rule, interval: rule.interval === 1 ? null : rule.interval });
  return withEnd(parts, rule.count, rule.until === null ? null : until(rule.until));
}

export const rruleOf = (rule: Rule): string => formatRrule(rrulePartsOf(rule, basicDay));

/** Formats a day as in RFC 5545: 20261231. */
export const basicDay = (day: string): string => day.replaceAll("-", "");

const known = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYMONTH", "BYMONTHDAY", "BYDAY", "BYSETPOS", "WKST"];

/** Parses an RRULE; `lastDay` parses UNTIL. Lists of months, days or positions become several rules if that means the same. */
export function readRrule(text: string, lastDay: (until: string) => string | undefined): ReadRrule {
  const issues: string[] = [];
  const parts = partsOf(text, issues);
  const freq = frequencies.find((name) => name.toUpperCase() === parts.get("FREQ"));
  if (!freq) issues.push("FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY");
  const until = parts.get("UNTIL");
  const last = until === undefined ? null : (lastDay(until) ?? null);
  if (until !== undefined && last === null) issues.push("UNTIL must be a day, as in UNTIL=20261231");
  const number = (key: string) => numbersOf(parts, key, issues)?.[0] ?? null;
  const common = { freq: freq ?? "daily", until: last, count: number("COUNT"), interval: number("INTERVAL") ?? 1 };
  if (common.count !== null && last !== null) issues.push("COUNT and UNTIL cannot be used together");
  const lists: Lists = {
    months: numbersOf(parts, "BYMONTH", issues) ?? [],
    monthDays: numbersOf(parts, "BYMONTHDAY", issues) ?? [],
    days: daysOf(parts.get("BYDAY"), issues),
    positions: numbersOf(parts, "BYSETPOS", issues) ?? [],
  };
  const weekStart = parts.get("WKST") ?? "MO";
  if (weekStart !== "MO" && freq === "weekly" && common.interval > 1 && lists.days.length > 0)
    issues.push(`WKST=${weekStart} is not supported with an interval`);
  if (issues.length > 0) return { issues };
  const rules = expanded(common, lists);
  return typeof rules === "string" ? { issues: [rules] } : { rules };
}

function partsOf(text: string, issues: string[]): Map<string, string> {
  const parts = new Map<string, string>();
  const trimmed = text.split(";").map((part) => part.trim());
  for (const { part, name, value } of splitRrule(trimmed.join(";"))) {
    if (part === "") continue;
    if (!known.includes(name)) issues.push(`'${name || part}' is not supported`);
    else if (parts.has(name)) issues.push(`${name} occurs twice`);
    else parts.set(name, value);
  }
  return parts;
}

function numbersOf(parts: ReadonlyMap<string, string>, key: string, issues: string[]): number[] | undefined {
  const text = parts.get(key);
  if (text === undefined) return undefined;
  if (/^[+-]?\d{1,6}(,[+-]?\d{1,6})*$/.test(text)) return [...new Set(text.split(",").map(Number))];
  issues.push(`${key}=${text} is not a number`);
  return undefined;
}

function daysOf(text: string | undefined, issues: string[]): Lists["days"] {
  const days = (text?.split(",") ?? []).map((part) => {
    const [, nth = "", name = ""] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(part) ?? [];
    return { day: weekdays.find((day) => day === name), nth: nth === "" ? undefined : Number(nth), part };
  });
  for (const { day, part } of days) if (!day) issues.push(`BYDAY=${part} is not a weekday`);
  const plain = inOrder(days.flatMap(({ day, nth }) => (day && nth === undefined ? [day] : [])));
  return [
    ...(plain.length > 0 ? [{ days: plain, nth: undefined }] : []),
    ...days.flatMap(({ day, nth }) => (day && nth !== undefined ? [{ days: [day], nth }] : [])),
  ];
}

interface Lists {
  readonly months: readonly number[];
  readonly monthDays: readonly number[];
  /** One group of all days without an ordinal, and one group for each day with an ordinal (`2TU`). */
  readonly days: readonly { readonly days: readonly Weekday[]; readonly nth: number | undefined }[];
  readonly positions: readonly number[];
}

type Common = Pick<Rule, "freq" | "until" | "count" | "interval">;
type Choice = Pick<Rule, "byday" | "bysetpos" | "bymonthday">;

/** Returns one rule for each combination of the values, or the reason why that is not possible. */
function expanded(common: Common, lists: Lists): Rule[] | string {
  const wrong = refusal(common, lists);
  if (wrong !== undefined) return wrong;
  const rules = distinct(
    orNone(lists.months).flatMap((bymonth) => choices(lists).map((choice) => ({ ...common, ...choice, bymonth }))),
  );
  if (rules.length > maxRules) return describeTooManyRules(rules);
  return rules.length > 1 && common.count !== null ? "COUNT over several months or days at once" : rules;
}

/** Removes duplicate rules, which events do not allow. */
export const distinct = (rules: readonly Rule[]): Rule[] =>
  rules.filter((rule, at) => rules.findIndex((other) => isDeepStrictEqual(other, rule)) === at);

export const describeTooManyRules = (rules: readonly Rule[]): string =>
  `${rules.length} rules exceed the limit of ${maxRules} for an event`;

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
