import { frequencies, type Rule, weekdays } from "../../../contract/event-schemas.ts";
import { inOrder } from "./recurrence-words.ts";
import { expanded, type Lists } from "./rule-combinations.ts";

/** The event rules of an RRULE, or the reasons why it cannot be represented. */
export type ReadRrule = { readonly rules: readonly Rule[] } | { readonly problems: readonly string[] };

/** Formats a rule as an RRULE value (RFC 5545, 3.3.10). `until` formats its last day. */
export function rruleOf(rule: Rule, until: (day: string) => string): string {
  const parts = [
    ["FREQ", rule.freq.toUpperCase()],
    ["INTERVAL", rule.interval === 1 ? null : rule.interval],
    ["COUNT", rule.count],
    ["UNTIL", rule.until === null ? null : until(rule.until)],
    ["BYMONTH", rule.bymonth],
    ["BYMONTHDAY", rule.bymonthday],
    ["BYDAY", rule.byday.join(",") || null],
    ["BYSETPOS", rule.bysetpos],
  ];
  return parts
    .filter(([, value]) => value !== null)
    .map((part) => part.join("="))
    .join(";");
}

/** Formats a day as in RFC 5545: 20261231. */
export const basicDay = (day: string): string => day.replaceAll("-", "");

const known = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYMONTH", "BYMONTHDAY", "BYDAY", "BYSETPOS", "WKST"];

/**
 * Parses an RRULE value. `lastDay` returns the last day of UNTIL as YYYY-MM-DD, or undefined when it is not a time.
 * Lists of months, days of the month or positions become several rules, where that means the same.
 */
export function readRrule(text: string, lastDay: (until: string) => string | undefined): ReadRrule {
  const problems: string[] = [];
  const parts = partsOf(text.trim().replace(/^RRULE:/i, ""), problems);
  const freq = frequencies.find((name) => name.toUpperCase() === parts.get("FREQ"));
  if (!freq) problems.push("FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY");
  const until = parts.get("UNTIL");
  const last = until === undefined ? null : (lastDay(until) ?? null);
  if (until !== undefined && last === null) problems.push("UNTIL must be a day, as in UNTIL=20261231");
  const number = (key: string) => numbersOf(parts, key, problems)?.[0] ?? null;
  const common = { freq: freq ?? "daily", until: last, count: number("COUNT"), interval: number("INTERVAL") ?? 1 };
  if (common.count !== null && last !== null) problems.push("COUNT and UNTIL cannot be used together");
  const lists: Lists = {
    months: numbersOf(parts, "BYMONTH", problems) ?? [],
    monthDays: numbersOf(parts, "BYMONTHDAY", problems) ?? [],
    days: daysOf(parts.get("BYDAY"), problems),
    positions: numbersOf(parts, "BYSETPOS", problems) ?? [],
  };
  const weekStart = parts.get("WKST") ?? "MO";
  if (weekStart !== "MO" && freq === "weekly" && common.interval > 1 && lists.days.length > 0)
    problems.push(`WKST=${weekStart} is not supported with an interval`);
  if (problems.length > 0) return { problems };
  const rules = expanded(common, lists);
  return typeof rules === "string" ? { problems: [rules] } : { rules };
}

function partsOf(text: string, problems: string[]): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.split(";").filter((part) => part.trim() !== "")) {
    const [, key = "", value = ""] = /^([^=]*)=(.*)$/s.exec(part.trim().toUpperCase()) ?? [];
    if (!known.includes(key)) problems.push(`'${key || part.trim()}' is not supported`);
    else if (parts.has(key)) problems.push(`${key} occurs twice`);
    else parts.set(key, value);
  }
  return parts;
}

function numbersOf(parts: ReadonlyMap<string, string>, key: string, problems: string[]): number[] | undefined {
  const text = parts.get(key);
  if (text === undefined) return undefined;
  if (/^[+-]?\d{1,6}(,[+-]?\d{1,6})*$/.test(text)) return [...new Set(text.split(",").map(Number))];
  problems.push(`${key}=${text} is not a number`);
  return undefined;
}

function daysOf(text: string | undefined, problems: string[]): Lists["days"] {
  const days = (text?.split(",") ?? []).map((part) => {
    const [, nth = "", name = ""] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(part) ?? [];
    return { day: weekdays.find((day) => day === name), nth: nth === "" ? undefined : Number(nth), part };
  });
  for (const { day, part } of days) if (!day) problems.push(`BYDAY=${part} is not a weekday`);
  const plain = inOrder(days.flatMap(({ day, nth }) => (day && nth === undefined ? [day] : [])));
  return [
    ...(plain.length > 0 ? [{ days: plain, nth: undefined }] : []),
    ...days.flatMap(({ day, nth }) => (day && nth !== undefined ? [{ days: [day], nth }] : [])),
  ];
}
