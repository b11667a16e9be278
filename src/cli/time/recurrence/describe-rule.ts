import { listAll } from "../../../contract/count-text.ts";
import { type Rule, weekdays } from "../../../contract/event-schemas.ts";
import {
  dayNames,
  isSame,
  monthNames,
  ordinal,
  unitNames,
  type Weekday,
  weekend,
  workdays,
} from "./recurrence-words.ts";

/** Describes rules in words that `readPhrase` can parse: `every 2 weeks on Tuesday and Thursday until 2026-12-31`. */
export function phraseOf(rules: readonly Rule[]): string {
  return rules.length === 0 ? "never" : rules.map(phraseOfOne).join("; ");
}

function phraseOfOne(rule: Rule): string {
  const { freq, interval, byday, bysetpos, bymonthday, until, count } = rule;
  const isPlainWeek = freq === "weekly" && interval === 1 && byday.length > 0 && !bysetpos && !bymonthday;
  const unit = interval === 1 ? unitNames[freq] : `${interval} ${unitNames[freq]}s`;
  const head = isPlainWeek ? allOf(byday, "") + inMonth(rule) : unit + when(rule);
  const limit = until !== null ? ` until ${until}` : count === null ? "" : count === 1 ? " 1 time" : ` ${count} times`;
  return `every ${head}${limit}`;
}

function when(rule: Rule): string {
  const { byday, bysetpos, bymonthday, bymonth } = rule;
  if (byday.length === 0 && bymonthday && bymonth) return ` on ${bymonthday} ${monthNames[bymonth - 1]}`;
  const date = bymonthday ? `the ${ordinal(bymonthday)}` : "";
  const days = bysetpos ? `the ${ordinal(bysetpos)} ${oneOf(byday)}` : allOf(byday, "s");
  const on = [days, date].filter(Boolean).join(" ");
  return (on && ` on ${on}`) + inMonth(rule);
}

const inMonth = ({ bymonth }: Rule) => (bymonth ? ` in ${monthNames[bymonth - 1]}` : "");
// Both lists have the seven days.
const nameOf = (day: Weekday) => dayNames[weekdays.indexOf(day)]!;

function allOf(days: readonly Weekday[], ending: string): string {
  if (isSame(days, workdays)) return `weekday${ending}`;
  return isSame(days, weekend) ? `weekend${ending}` : listAll(days.map(nameOf));
}

function oneOf(days: readonly Weekday[]): string {
  if (isSame(days, weekdays)) return "day";
  if (isSame(days, workdays)) return "weekday";
  return isSame(days, weekend) ? "weekend day" : listAll(days.map(nameOf), "or");
}
