import { maxRules, type Rule } from "../../../../contract/event-schemas.ts";
import { describeTooManyRules, distinct, readRrule } from "../../../time/recurrence/read-rrule.ts";
import { dayOf } from "../../../time/zone-clock.ts";
import type { Properties } from "./ics-properties.ts";
import { type IcsTimes, lastDay } from "./ics-times.ts";
import type { IcsContext, Zone } from "./ics-zones.ts";

/** Returns the rules, and what is not imported, by property: rules that are not fully supported would name other days. */
export function repeatsOf(found: Properties, times: IcsTimes, { clock }: IcsContext) {
  const without: Record<string, string[]> = {};
  const lose = (name: string, reason: string) => {
    without[name] = [...(without[name] ?? []), reason];
  };
  const dates = { EXDATE: "excluded days are not kept", RDATE: "additional days are not kept", EXRULE: "is not kept" };
  for (const [name, reason] of Object.entries(dates)) if (found.count(name) > 0) lose(name, reason);
  let rules: Rule[] = [];
  for (const rrule of found.rrules) {
    const read = readRrule(rrule, (until) => lastDay(until, times, clock));
    if ("issues" in read) lose("RRULE", `is not kept, only the first occurrence: ${read.issues.join("; ")}`);
    else if (isShifted(times, clock) && read.rules.some(namesDays))
      lose(
        "RRULE",
        "is not kept, only the first occurrence: it names days in another time zone than that of the instance",
      );
    else rules.push(...read.rules);
  }
  rules = distinct(rules);
  if (rules.length > maxRules) {
    lose("RRULE", `is not kept, only the first occurrence: ${describeTooManyRules(rules)}`);
    rules = [];
  }
  if (rules.length > 0 && isElsewhere(times, clock))
    lose("RRULE", "repeats at the time of day in the instance's time zone, whose daylight saving time differs");
  return { rules, without };
}

const namesDays = ({ byday, bymonthday, bymonth }: Rule) => byday.length > 0 || bymonthday !== null || bymonth !== null;

/** Tests whether the event begins on another day in the file's time zone than in the instance's. */
function isShifted({ zone, start }: IcsTimes, clock: Zone): boolean {
  return zone !== null && start !== null && dayOf(zone.wall(start)) !== dayOf(clock.wall(start));
}

const halfYear = 182 * 86_400;

/** Tests whether the difference between both time zones changes within half a year. */
function isElsewhere({ zone, start }: IcsTimes, clock: Zone): boolean {
  if (zone === null || start === null) return false;
  const apart = (instant: number) => zone.wall(instant) - clock.wall(instant);
  return apart(start) !== apart(start + halfYear);
}
