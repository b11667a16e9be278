import { z } from "zod";
import {
  component,
  date,
  dateText,
  dateTime,
  fieldsNamed,
  inputComponent,
  line,
  nullable,
  timezone,
  unixTime,
  url,
} from "./common-schemas.ts";
import { answers, frequencies, frequency, interval } from "./event-schemas.ts";
import { shortUser } from "./user-schemas.ts";

/** A time of an event: RFC 3339 with an offset, local time in the event's time zone, or a date. */
const moment = () =>
  dateTime("must be a time that exists, as 2026-12-31T14:00 in the event's time zone or with an offset").meta({
    placeholder: "time",
    description: "Time like 2026-12-31T14:00 in the event's time zone, or RFC 3339 with an offset",
  });

const recurrence = inputComponent("PostRecurrenceInput", () => ({
  freq: frequency(),
  until: moment().nullish().describe("Last time at which it can occur; excludes count"),
  count: z.int().min(1).max(100_000).nullish().describe("Number of occurrences, including the first; excludes until"),
  interval: interval(),
  bymonthday: z.int().min(1).max(31).nullish().describe("Day of the month, 1 to 31"),
  bymonth: z.int().min(1).max(12).nullish().describe("Month, 1 to 12"),
  bysetpos: z
    .int()
    .min(-366)
    .max(366)
    .refine((value) => value !== 0, "must not be 0")
    .nullish()
    .describe("Position within the period, counted from its end if negative; needs bymonthday or bymonth"),
}));

export const postEventFields = inputComponent("PostEventInput", () => ({
  location: nullable(line(1000)).describe("Place where the event happens"),
  link: nullable(url()).describe("Link to an online meeting or a page (http or https)"),
  all_day: z.boolean().optional().describe("Make it an all-day event; start and end are dates"),
  datetime_start: moment()
    .optional()
    .describe("Start, like 2026-12-31T14:00 in the event's time zone, or RFC 3339 with an offset"),
  datetime_end: moment().optional().describe("End, in the same form as the start (default the start)"),
  participation: z
    .strictObject({ enabled: z.boolean().optional().describe("Ask readers to accept or decline") })
    .optional()
    .describe("Invitation of the readers"),
  recurrence: recurrence().nullish().describe("Recurrence rule, replaced as a whole"),
  repeat_rules: nullable(line(1000, 1)).meta({
    placeholder: "rrule",
    description: "Recurrence rule as an RRULE (RFC 5545), instead of recurrence",
  }),
  end_date: nullable(date()).describe("Last day on which a recurring event can occur"),
  timezone: nullable(timezone()).describe("IANA time zone of the event (default that of the instance)"),
}));
export type PostEventFields = z.infer<ReturnType<typeof postEventFields>>;

export const eventParticipation = component("Participation", () => ({
  enabled: z.boolean(),
  rsvp: z.enum(answers).nullable().describe("Your answer to the invitation"),
  invited: z
    .int()
    .describe(
      "Number of active users, without service accounts, that it was addressed to when it was last published or its readers changed",
    ),
  accepted: z.int(),
  rejected: z.int(),
}));

export const postEvent = component("PostEvent", () => ({
  location: z.string().nullable(),
  link: z.string().nullable(),
  all_day: z.boolean(),
  datetime_start: z.string().describe("RFC 3339 with the offset of the time zone; a date if all_day"),
  datetime_end: z.string(),
  dates: z
    .array(z.object({ start: unixTime(), end: unixTime() }))
    .describe("Occurrences; at most 730 within five years"),
  recurrence: z
    .object({
      freq: z.enum(frequencies),
      until: z.string().nullable(),
      ...fieldsNamed(["count", "interval", "bymonthday", "bymonth", "bysetpos"], () => z.int().nullable()),
    })
    .nullable(),
  rrule: z.string().nullable().describe("Recurrence as an RRULE (RFC 5545)"),
  end_date: dateText().nullable(),
  timezone: z.string(),
  participation: eventParticipation(),
}));

export const postParticipant = component("PostParticipant", () => ({
  user: shortUser(),
  answer: z.enum(answers).nullable().describe("Null: no answer"),
}));
