import { frequencies, type Rule, weekdays } from "../../../contract/event-schemas.ts";
import { formatRrule, rulePartsOf, splitRrule, withEnd } from "../../../contract/rrule-text.ts";
import { inOrder } from "./recurrence-words.ts";
import { expanded, type Lists } from "./rule-combinations.ts";

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
  for (const { part, name, value } of splitRrule(text.replace(/\s*;\s*/g, ";"))) {
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
