import { Temporal } from "temporal-polyfill";
import type { FieldIssues } from "../../contract/errors.ts";
import type { PostEventFields } from "../../contract/post-event-schemas.ts";
import { formatRrule, withEnd } from "../../contract/rrule-text.ts";
import { hasIssues } from "../pipeline/field-issues.ts";
import { occurrencesOn } from "../pipeline/recurrence/place-occurrences.ts";
import {
  BadRule,
  daysOf,
  fullRecurrence,
  parseRule,
  type RecurrenceSpec,
  recurrenceIssues,
  ruleOf,
} from "./post-recurrence.ts";
import type { StoredEvent } from "./stored-event.ts";

type Zoned = Temporal.ZonedDateTime;
interface Span {
  readonly start: Zoned;
  readonly end: Zoned;
  readonly all_day: boolean;
  readonly timezone: string;
}

const lacksStart: FieldIssues = { "event.datetime_start": [{ code: "required" }] };

/** Returns the event with these fields changed, or their validation errors. `zone` is the instance's time zone. */
export async function changePostEvent(before: StoredEvent | null, fields: PostEventFields, zone: string) {
  const fieldAfter = (name: "location" | "link" | "timezone" | "end_date") =>
    (fields[name] === undefined ? before?.[name] : fields[name]) ?? null;
  const span = spanAfter(before, fields, fieldAfter("timezone") ?? zone);
  const { rule, recurrence, issues: ruleIssues } = recurrenceAfter(before, fields);
  if (span === undefined) return { event: null, issues: { ...lacksStart, ...ruleIssues } };
  const end_date = fieldAfter("end_date");
  const last = lastDays(span, { rule, recurrence, end_date });
  const issues = { ...spanIssues(span, fields), ...last.issues, ...ruleIssues };
  if (hasIssues(issues)) return { event: null, issues };
  const { start, end, all_day, timezone } = span;
  try {
    const { dates, rrule } = await planOccurrences(span, rule, last);
    const event: StoredEvent = {
      location: fieldAfter("location"),
      link: fieldAfter("link"),
      all_day,
      datetime_start: formatMoment(start, all_day),
      datetime_end: formatMoment(end, all_day),
      dates,
      recurrence,
      rrule,
      end_date,
      timezone,
      participation: fields.participation?.enabled ?? before?.participation ?? false,
    };
    return { event, issues: {} };
  } catch (error) {
    if (!(error instanceof BadRule)) throw error;
    return { event: null, issues: { [ruleField(recurrence)]: [error.message] } };
  }
}

/** Returns the first occurrence after a change; undefined without a start. The local time stays when the time zone changes. */
function spanAfter(before: StoredEvent | null, fields: PostEventFields, timezone: string): Span | undefined {
  const readStored = before?.timezone === timezone ? readTime : readByClock;
  const read = (given: string | undefined, stored: string | undefined) =>
    given ? readTime(given, timezone) : stored && readStored(stored, timezone);
  const start = read(fields.datetime_start, before?.datetime_start);
  if (!start) return undefined;
  const moves = fields.datetime_start !== undefined && before?.datetime_end === before?.datetime_start;
  const end = read(fields.datetime_end, moves ? undefined : before?.datetime_end) || start;
  return { start, end, all_day: fields.all_day ?? before?.all_day ?? false, timezone };
}

/** Reads a time with an offset, or else by the clock of the time zone. */
const readTime = (text: string, timezone: string): Zoned =>
  /[Z+]|T.*-/.test(text) ? Temporal.Instant.from(text).toZonedDateTimeISO(timezone) : readByClock(text, timezone);

const readByClock = (text: string, timezone: string) => Temporal.PlainDateTime.from(text).toZonedDateTime(timezone);

function spanIssues({ start, end, all_day }: Span, fields: PostEventFields): FieldIssues {
  const issues: FieldIssues = {};
  for (const [name, moment] of Object.entries({ start, end })) {
    if (moment.year < 1970 || moment.year > 8999) {
      issues[`event.datetime_${name}`] = ["must be between the years 1970 and 8999"];
    }
  }
  const early = all_day
    ? end.toPlainDate().toString() < start.toPlainDate().toString()
    : end.epochMilliseconds < start.epochMilliseconds;
  if (early) {
    const [name, message] =
      fields.datetime_end === undefined && fields.datetime_start !== undefined
        ? ["event.datetime_start", "must not be after datetime_end"]
        : ["event.datetime_end", "must not be before datetime_start"];
    issues[name] ??= [message];
  }
  return issues;
}

/** How an event recurs: `rule` is that of `recurrence` or, without it, of an RRULE. */
interface Recurring {
  readonly recurrence: StoredEvent["recurrence"];
  readonly rule: RecurrenceSpec | null;
}

/** Returns the rule after a change. `recurrence` and `repeat_rules` replace each other. */
function recurrenceAfter(
  before: StoredEvent | null,
  { recurrence: given, repeat_rules: text }: PostEventFields,
): Recurring & { readonly issues: FieldIssues } {
  const none = { recurrence: null, rule: null, issues: {} };
  if (given && text) {
    return { ...none, issues: { "event.repeat_rules": ["cannot be used together with recurrence"] } };
  }
  const base = text === null || (given === null && before?.recurrence) ? null : before;
  const recurrence = given ? fullRecurrence(given) : text ? null : (base?.recurrence ?? null);
  if (recurrence !== null) return { recurrence, rule: ruleOf(recurrence), issues: recurrenceIssues(recurrence) };
  try {
    const rrule = text ?? base?.rrule;
    return { ...none, rule: rrule ? parseRule(rrule) : null };
  } catch (error) {
    if (!(error instanceof BadRule)) throw error;
    return { ...none, issues: { [ruleField(null)]: [error.message] } };
  }
}

const ruleField = (recurrence: StoredEvent["recurrence"]) =>
  recurrence === null ? "event.repeat_rules" : "event.recurrence";

/** Returns the last days on which an event can occur, by its end date and by its rule, and issues of those before the start. */
function lastDays(span: Span, { rule, recurrence, end_date }: Recurring & Pick<StoredEvent, "end_date">) {
  const isEarly = (day: Temporal.PlainDate | undefined) =>
    day !== undefined && Temporal.PlainDate.compare(day, span.start.toPlainDate()) < 0;
  const endDay = end_date === null ? undefined : Temporal.PlainDate.from(end_date);
  const untilDay = lastDay(rule?.until ?? null, span);
  const issues: FieldIssues = {};
  if (isEarly(endDay)) issues["event.end_date"] = ["must not be before the start"];
  const untilField = recurrence === null ? "event.repeat_rules" : "event.recurrence.until";
  if (isEarly(untilDay)) issues[untilField] = ["must not be before the start"];
  return { endDay, untilDay, issues };
}

/** Returns the occurrences and the complete rule as text. Throws `BadRule`. */
async function planOccurrences(
  span: Span,
  rule: RecurrenceSpec | null,
  { endDay, untilDay }: ReturnType<typeof lastDays>,
): Promise<Pick<StoredEvent, "dates" | "rrule">> {
  const first = span.start.toPlainDate().toString();
  if (rule === null) return { dates: await datesOn([first], span), rrule: null };
  const [last] = [endDay, untilDay].flatMap((day) => day ?? []).sort(Temporal.PlainDate.compare);
  const { parts, count } = rule;
  const days = await daysOf({ parts, count, last: last?.toString() ?? null }, first);
  return {
    dates: await datesOn(days, span),
    rrule: formatRrule(withEnd(parts, count, untilDay ? formatUntil(untilDay, span) : null)),
  };
}

/** Returns the last day on which an occurrence may start without starting after `until`. */
function lastDay(until: string | null, { start, all_day, timezone }: Span) {
  if (until === null) return undefined;
  if (!until.includes("T")) return Temporal.PlainDate.from(until);
  const moment = readTime(until, timezone);
  const isInTime = all_day || Temporal.PlainTime.compare(moment.toPlainTime(), start.toPlainTime()) >= 0;
  return isInTime ? moment.toPlainDate() : moment.toPlainDate().subtract({ days: 1 });
}

/** Returns UNTIL (RFC 5545): a day such as 20261231 for an all-day event, else the start time on that day in UTC. */
function formatUntil(day: Temporal.PlainDate, { start, all_day, timezone }: Span): string {
  if (all_day) return day.toString().replaceAll("-", "");
  const moment = day.toZonedDateTime({ timeZone: timezone, plainTime: start.toPlainTime() });
  return moment.toInstant().toString({ smallestUnit: "second" }).replace(/[-:]/g, "");
}

const seconds = (moment: Zoned) => Math.floor(moment.epochMilliseconds / 1000);

async function datesOn(days: readonly string[], { start, end, all_day, timezone }: Span) {
  const first = start.toPlainDate();
  const occurrences = await occurrencesOn(days, {
    start: seconds(start),
    end: seconds(end),
    day: all_day ? first.toString() : null,
    timezone,
    wholeDays: first.until(end.toPlainDate(), { largestUnit: "days" }).days + 1,
  });
  return occurrences.map(({ start, end }) => ({ start, end }));
}

function formatMoment(moment: Zoned, all_day: boolean): string {
  if (all_day) return moment.toPlainDate().toString();
  return moment.toString({ timeZoneName: "never", smallestUnit: "second" });
}
