import { maxRules, type Rule } from "../../../../contract/event-schemas.ts";
import { describeTooManyRules, distinct, readRrule } from "../../../time/recurrence/read-rrule.ts";
import { dayOf } from "../../../time/zone-clock.ts";
import type { Properties } from "./ics-properties.ts";
import { type IcsTimes, lastDay } from "./ics-times.ts";
import type { IcsContext, Zone } from "./ics-zones.ts";

/**
 * Returns the recurrence rules and, by property, the reasons for what is not imported. A rule with an unsupported part is left out,
 * because without that part it would select other days.
 */
export function readRecurrence(found: Properties, times: IcsTimes, { clock }: IcsContext) {
  const notImported: Record<string, string[]> = {};
  const report = (name: string, reason: string) => {
    notImported[name] = [...(notImported[name] ?? []), reason];
  };
  const reportRule = (reason: string) => report("RRULE", `is not kept, only the first occurrence: ${reason}`);
  const dates = { EXDATE: "excluded days are not kept", RDATE: "additional days are not kept", EXRULE: "is not kept" };
  for (const [name, reason] of Object.entries(dates)) if (found.count(name) > 0) report(name, reason);
  let rules: Rule[] = [];
  for (const rrule of found.rrules) {
    const read = readRrule(rrule, (until) => lastDay(until, times, clock));
    if ("issues" in read) reportRule(read.issues.join("; "));
    else if (beginsOnOtherDay(times, clock) && read.rules.some(namesDays))
      reportRule("it names days in another time zone than that of the instance");
    else rules.push(...read.rules);
  }
  rules = distinct(rules);
  if (rules.length > maxRules) {
    reportRule(describeTooManyRules(rules));
    rules = [];
  }
  if (rules.length > 0 && offsetsDiverge(times, clock))
    report("RRULE", "repeats at the time of day in the instance's time zone, whose daylight saving time differs");
  return { rules, notImported };
}

const namesDays = ({ byday, bymonthday, bymonth }: Rule) => byday.length > 0 || bymonthday !== null || bymonth !== null;

/** Tests whether the event begins on another day in the file's time zone than in the instance's. */
function beginsOnOtherDay({ zone, start }: IcsTimes, clock: Zone): boolean {
  return zone !== null && start !== null && dayOf(zone.wall(start)) !== dayOf(clock.wall(start));
}

const halfYear = 182 * 86_400;

/** Tests whether the difference between both time zones changes within half a year. */
function offsetsDiverge({ zone, start }: IcsTimes, clock: Zone): boolean {
  if (zone === null || start === null) return false;
  const difference = (instant: number) => zone.wall(instant) - clock.wall(instant);
  return difference(start) !== difference(start + halfYear);
}
