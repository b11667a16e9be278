import type { Rule } from "./event-schemas.ts";

/** The parts of an RRULE by name (RFC 5545, 3.3.10), without COUNT and UNTIL. */
export type RuleParts = ReadonlyMap<string, string>;

type Selection = Pick<Rule, "freq" | "bymonth" | "bymonthday" | "bysetpos"> &
  Partial<Pick<Rule, "byday">> & { readonly interval: number | null };

export function rulePartsOf({ freq, interval, bymonth, bymonthday, byday = [], bysetpos }: Selection): RuleParts {
  return withoutNull({
    FREQ: freq.toUpperCase(),
    INTERVAL: interval,
    BYMONTH: bymonth,
    BYMONTHDAY: bymonthday,
    BYDAY: byday.join(",") || null,
    BYSETPOS: bysetpos,
  });
}

/** Returns all parts of a rule in the order of an RRULE. `until` is in the form of RFC 5545. */
export const withEnd = (
  parts: RuleParts,
  count: number | null,
  until: string | null,
): [name: string, value: string][] => [...parts, ...withoutNull({ COUNT: count, UNTIL: until })];

export const formatRrule = (parts: Iterable<readonly [name: string, value: string]>): string =>
  [...parts].map((part) => part.join("=")).join(";");

const withoutNull = (values: Readonly<Record<string, string | number | null>>): Map<string, string> =>
  new Map(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])));

/** Splits an RRULE, with or without its name, into its parts, with names and values in upper case. */
export function splitRrule(text: string): { readonly part: string; readonly name: string; readonly value: string }[] {
  const parts = text
    .trim()
    .replace(/^RRULE:/i, "")
    .split(";");
  return parts.map((part) => {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(part.toUpperCase()) ?? [];
    return { part, name, value };
  });
}
