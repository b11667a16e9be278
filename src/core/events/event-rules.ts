import { isDeepStrictEqual } from "node:util";
import type { FieldErrors } from "../../contract/errors.ts";
import { mostRules, type Rule, type RuleInput, weekdays } from "../../contract/event-schemas.ts";
import { rulePartsOf } from "../../contract/rrule-text.ts";
import { expandRules, isPossible, neverHappens } from "../pipeline/recurrence/expand-rules.ts";
import { type FirstOccurrence, type Occurrence, occurrencesOn } from "../pipeline/recurrence/place-occurrences.ts";

/** Returns the rule with all parts filled in. */
export function fullRule({ freq, until, count, interval, byday, bymonthday, bymonth, bysetpos }: RuleInput): Rule {
  const named = [byday ?? []].flat().flatMap((days) => days.split(/[+,]/));
  const number = (value: string | number | null | undefined) => (value == null ? null : Number(value));
  return {
    freq,
    until: until ?? null,
    count: count ?? null,
    interval: interval ?? 1,
    byday: weekdays.filter((day) => named.includes(day)),
    bymonthday: number(bymonthday),
    bymonth: number(bymonth),
    bysetpos: number(bysetpos),
  };
}

/** Returns at most 730 occurrences within five years, always with the first, or the validation errors of the rules. */
export async function expand(
  first: FirstOccurrence,
  rules: readonly Rule[],
): Promise<{ occurrences: Occurrence[]; issues: FieldErrors }> {
  const { start, end, day, timezone } = first;
  if (rules.length === 0 && day === null) return { occurrences: [{ start, end, day }], issues: {} };
  const { Temporal } = await import("temporal-polyfill");
  const zoned = Temporal.Instant.fromEpochMilliseconds(start * 1000).toZonedDateTimeISO(timezone);
  const { days, issues } = await daysOf(day ?? zoned.toPlainDate().toString(), rules);
  return { occurrences: Object.keys(issues).length > 0 ? [] : await occurrencesOn(days, first), issues };
}

/** Returns the first day and all days that any rule selects, in order, and the validation errors of the rules. */
async function daysOf(first: string, rules: readonly Rule[]): Promise<{ days: string[]; issues: FieldErrors }> {
  const issues = ruleIssues(rules, first);
  if (rules.length > mostRules) return { days: [], issues };
  const hasIssue = (index: number) => Object.keys(issues).some((field) => field.startsWith(`recurrence.${index}`));
  const good = [...rules.entries()].filter(([index]) => !hasIssue(index));
  const expanded = good.map(([, rule]) => ({ parts: rulePartsOf(rule), count: rule.count, last: rule.until }));
  const { days, never } = await expandRules(first, expanded);
  for (const at of never) issues[`recurrence.${good[at]?.[0]}`] = [neverHappens];
  const inOrder = Object.entries(issues).sort(([a], [b]) => (a < b ? -1 : 1));
  return { days, issues: Object.fromEntries(inOrder) };
}

/** Returns the validation errors of rules that contradict each other, themselves or, if it is known, the first day. */
export function ruleIssues(rules: readonly Rule[], first = ""): FieldErrors {
  if (rules.length > mostRules) return { recurrence: [`must have at most ${mostRules} rules`] };
  const issues: FieldErrors = {};
  for (const [index, rule] of rules.entries()) {
    const add = (field: string, message: string) => {
      issues[`recurrence.${index}${field}`] = [message];
    };
    const { freq, until, count, byday, bymonthday, bysetpos } = rule;
    if (until !== null && count !== null) add(".until", "must not be given together with count");
    else if (until !== null && until < first) add(".until", `must not be before the first day, ${first}`);
    const [isUnset, isUnknown] = [bysetpos !== null && byday.length === 0, freq === "weekly" && bymonthday !== null];
    if (isUnset) add(".bysetpos", "needs byday");
    if (isUnknown) add(".bymonthday", "must not be given with weekly");
    if (!isUnset && !isUnknown && !isPossible(rulePartsOf(rule))) add("", neverHappens);
    const same = rules.findIndex((other) => isDeepStrictEqual(other, rule));
    if (same < index) issues.recurrence = [`must not contain the same rule twice: ${same} and ${index}`];
  }
  return issues;
}
