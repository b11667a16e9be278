import type { Temporal } from "temporal-polyfill";
import { maxOccurrences } from "../../../contract/event-schemas.ts";
import { formatRrule, type RuleParts } from "../../../contract/rrule-text.ts";
import { takeTurn } from "../event-loop-turns.ts";

/** Yields the days of a rule by month, with empty lists: a turn of 31 days takes some milliseconds. Throws for an invalid rule. */
export async function* daysByRule(
  parts: RuleParts,
  first: Temporal.PlainDate,
  last: Temporal.PlainDate,
): AsyncGenerator<string[], undefined> {
  const [{ Temporal }, { RRuleTemporal }] = await Promise.all([import("temporal-polyfill"), import("rrule-temporal")]);
  // Calendar days are represented in UTC, which has no clock changes.
  const asTime = (day: Temporal.PlainDate) => day.toZonedDateTime("UTC");
  const rule = new RRuleTemporal({
    rruleString: formatRrule(parts),
    dtstart: asTime(first),
    until: asTime(last),
    strict: true,
    cache: false,
  });
  const written = (days: readonly { toPlainDate(): object }[]) => [
    ...new Set(days.map((day) => `${day.toPlainDate()}`)),
  ];
  if (parts.has("BYWEEKNO")) {
    // For BYWEEKNO, the library's between() selects another weekday than all(), so all() is used.
    await takeTurn();
    yield written(rule.all((_, found) => found < maxOccurrences));
    return;
  }
  for (let months = 0; ; months++) {
    const from = first.add({ months });
    if (Temporal.PlainDate.compare(from, last) > 0) return;
    const to = first.add({ months: months + 1 }).subtract({ days: 1 });
    await takeTurn();
    yield written(rule.between(asTime(from), asTime(to), true));
  }
}
