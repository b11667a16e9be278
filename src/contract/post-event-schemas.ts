import { z } from "zod";
import { date, dateText, line, timezone, unixTime, url } from "./common-schemas.ts";
import { frequencies } from "./event-schemas.ts";
import { once } from "./operation.ts";

const local = /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/** Returns true when the text is an existing date or time in one of the accepted forms. */
export function isMoment(value: string): boolean {
  const day = local.exec(value)?.[1];
  return day !== undefined && z.safeParse(date(), day).success;
}

/** A time of an event: RFC 3339 with an offset, local time in the event's time zone, or a date. */
const moment = () =>
  z
    .string()
    .refine(isMoment, "must be a time that exists, as 2026-12-31T14:00 in the event's time zone or with an offset")
    .meta({
      description: "As 2026-12-31T14:00 in the event's time zone, or RFC 3339 with an offset; a day if all_day",
    });

const recurrence = once(() =>
  z.strictObject({
    freq: z.enum(frequencies),
    until: moment().nullable().optional().meta({ description: "The last time, included; not together with count" }),
    count: z
      .int()
      .min(1)
      .max(100_000)
      .nullable()
      .optional()
      .meta({ description: "How often, the first time included" }),
    interval: z
      .int()
      .min(1)
      .max(1000)
      .nullable()
      .optional()
      .meta({ description: "Every so many days, weeks, months or years" }),
    bymonthday: z.int().min(1).max(31).nullable().optional(),
    bymonth: z.int().min(1).max(12).nullable().optional(),
    bysetpos: z
      .int()
      .min(-366)
      .max(366)
      .refine((value) => value !== 0, "must not be 0")
      .nullable()
      .optional()
      .meta({ description: "Which of those in a period, from its end if negative; with bymonthday or bymonth" }),
  }),
);

/** The event fields of an event post. */
export const postEventFields = once(() =>
  z.strictObject({
    location: line(1000).nullable().optional(),
    link: url().nullable().optional(),
    all_day: z.boolean().optional(),
    datetime_start: moment().optional(),
    datetime_end: moment().optional(),
    participation: z.strictObject({ enabled: z.boolean().optional() }).optional(),
    recurrence: recurrence().nullable().optional(),
    repeat_rules: line(1000, 1)
      .nullable()
      .optional()
      .meta({ description: "An RRULE (RFC 5545), instead of recurrence" }),
    end_date: date().nullable().optional().meta({ description: "The last day on which it takes place again" }),
    timezone: timezone().optional().meta({ description: "Of the event; default that of the instance" }),
  }),
);
export type PostEventFields = z.infer<ReturnType<typeof postEventFields>>;

export const participation = once(() =>
  z
    .object({
      enabled: z.boolean(),
      rsvp: z.enum(["accepted", "rejected"]).nullable().meta({ description: "What the current user answered" }),
      invited: z
        .int()
        .meta({ description: "How many users it was for when it was last published or its readers changed" }),
      accepted: z.int(),
      rejected: z.int(),
    })
    .meta({ id: "Participation" }),
);

export const postEvent = once(() =>
  z
    .object({
      location: z.string().nullable(),
      link: z.string().nullable(),
      all_day: z.boolean(),
      datetime_start: z.string().meta({ description: "RFC 3339 with the offset of the time zone; a day if all_day" }),
      datetime_end: z.string(),
      dates: z
        .array(z.object({ start: unixTime(), end: unixTime() }))
        .meta({ description: "When it takes place; if it recurs, at most 730 times within five years" }),
      recurrence: z
        .object({
          freq: z.enum(frequencies),
          until: z.string().nullable(),
          count: z.int().nullable(),
          interval: z.int().nullable(),
          bymonthday: z.int().nullable(),
          bymonth: z.int().nullable(),
          bysetpos: z.int().nullable(),
        })
        .nullable(),
      rrule: z.string().nullable().meta({ description: "The same as an RRULE (RFC 5545)" }),
      end_date: dateText().nullable(),
      timezone: z.string(),
      participation: participation(),
    })
    .meta({ id: "PostEvent" }),
);
