import { mostRules, type Rule } from "../../../contract/event-forms.ts";
import { distinct, tooMany } from "../repeat/expand.ts";
import { readRrule } from "../repeat/rrule.ts";
import type { Properties } from "./properties.ts";
import type { Surroundings } from "./reading.ts";
import type { Times } from "./times.ts";
import { dayOf, lastDay } from "./until.ts";
import type { Zone } from "./zones.ts";

/** How an event comes again, and what of that is not kept, by the name of the property. */
export interface Repeats {
  readonly rules: readonly Rule[];
  readonly without: Readonly<Record<string, readonly string[]>>;
}

/** The rules of a VEVENT. One that cannot be kept as it is, is not kept at all: it would name other days. */
export function repeatsOf(found: Properties, times: Times, { clock }: Surroundings): Repeats {
  const without: Record<string, string[]> = {};
  const lose = (name: string, reason: string) => {
    without[name] = [...(without[name] ?? []), reason];
  };
  const dates = { EXDATE: "days left out are not kept", RDATE: "further days are not kept", EXRULE: "is not kept" };
  for (const [name, reason] of Object.entries(dates)) if (found.count(name) > 0) lose(name, reason);
  let rules: Rule[] = [];
  for (const rrule of found.rrules) {
    const read = readRrule(rrule, (until) => lastDay(until, times, clock));
    if ("problems" in read) lose("RRULE", `is not kept, only the first occurrence: ${read.problems.join("; ")}`);
    else if (isShifted(times, clock) && read.rules.some(namesDays))
      lose(
        "RRULE",
        "is not kept, only the first occurrence: it names days of another time zone than that of the instance",
      );
    else rules.push(...read.rules);
  }
  rules = distinct(rules);
  if (rules.length > mostRules) {
    lose("RRULE", `is not kept, only the first occurrence: ${tooMany(rules)}`);
    rules = [];
  }
  if (rules.length > 0 && isElsewhere(times, clock))
    lose("RRULE", "comes at the time of day of the instance's time zone, which changes its clocks on other days");
  return { rules, without };
}

const namesDays = ({ byday, bymonthday, bymonth }: Rule) => byday.length > 0 || bymonthday !== null || bymonth !== null;

/** Whether it begins on another day by the clocks of the file than by those of the instance. */
function isShifted({ zone, start }: Times, clock: Zone): boolean {
  return zone !== null && start !== null && dayOf(zone.wall(start)) !== dayOf(clock.wall(start));
}

const halfYear = 182 * 86_400;

/** Whether both clocks differ by the same in summer and in winter. */
function isElsewhere({ zone, start }: Times, clock: Zone): boolean {
  if (zone === null || start === null) return false;
  const apart = (instant: number) => zone.wall(instant) - clock.wall(instant);
  return apart(start) !== apart(start + halfYear);
}
