import { z } from "zod";
import {
  clearable,
  component,
  date,
  dateText,
  firstDate,
  flag,
  id,
  idOf,
  inputComponent,
  lastDate,
  line,
  multiline,
  name,
  nullable,
  time,
  unixTime,
  url,
  userTypeBrief,
} from "./common-schemas.ts";
import { file, fileItems } from "./file-schemas.ts";
import { once } from "./once.ts";
import { shortUser } from "./user-schemas.ts";

export const eventTypes = ["chain", "unit", "user"] as const;
export const answers = ["accepted", "rejected"] as const;
export const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
/** Maximum numbers of days in the months. */
export const monthLengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
export const frequencies = ["daily", "weekly", "monthly", "yearly"] as const;

/** Limits on the occurrences of an event and the years after its start, even if its rules continue. */
export const maxOccurrences = 730;
export const maxYears = 5;
export const maxRules = 4;

/** Limit on the occurrences of an event times its units and shares. */
export const maxEventEntries = 20_000;

const day = () =>
  date().refine((value) => value >= firstDate && value <= lastDate, "must be between the years 1900 and 9000");

const weekday = `(${weekdays.join("|")})`;
const someDays = () =>
  z
    .string()
    .regex(new RegExp(`^${weekday}([+,]${weekday})*$`), `must be weekdays (${weekdays.join(", ")}), as in MO+TU`);

/** An integer, also accepted as text. */
const written = (pattern: RegExp, message: string) =>
  z.union([z.number().refine((value) => pattern.test(String(value)), message), z.string().regex(pattern, message)]);

export const frequency = () => z.enum(frequencies).describe("Unit of the recurrence interval");
export const interval = () =>
  z
    .int()
    .min(1)
    .max(1000)
    .nullish()
    .describe("Number of days, weeks, months or years from one occurrence to the next (default 1)");

/** A recurrence rule in a request: one RRULE (RFC 5545, 3.3.10). null and [] count as absent, so a rule of a response is accepted. */
const ruleInput = inputComponent("RecurrenceRuleInput", () => ({
  freq: frequency(),
  until: nullable(day()).describe("Last day on which it can occur; excludes count"),
  count: z.int().min(1).max(100_000).nullish().describe("Number of occurrences; excludes until"),
  interval: interval(),
  byday: z
    .union([someDays(), z.array(someDays()).max(7)])
    .nullish()
    .describe("Weekdays: MO, MO+TU or a list"),
  bymonthday: written(/^([1-9]|[12]\d|3[01])$/, "must be 1 to 31")
    .nullish()
    .describe("Day of the month, 1 to 31; not with weekly"),
  bymonth: written(/^([1-9]|1[0-2])$/, "must be 1 to 12")
    .nullish()
    .describe("Month, 1 to 12"),
  bysetpos: written(/^([1-5]|-1)$/, "must be 1 to 5, or -1 for the last")
    .nullish()
    .describe("Position among the days of byday in each interval: 1 to 5, or -1 for the last"),
}));
export type RuleInput = z.infer<ReturnType<typeof ruleInput>>;

const rule = component("RecurrenceRule", () => ({
  freq: z.enum(frequencies),
  until: dateText().nullable(),
  count: z.int().nullable(),
  interval: z.int(),
  byday: z.array(z.enum(weekdays)),
  bymonthday: z.int().nullable(),
  bymonth: z.int().nullable(),
  bysetpos: z.int().nullable(),
}));
export type Rule = z.infer<ReturnType<typeof rule>>;

export const eventFields = () => ({
  body: clearable(multiline(20_000)).describe("Text of the event"),
  location: nullable(line(1000)).describe("Place where the event happens"),
  link: clearable(url()).describe("Link to an online meeting or a page (http or https)"),
  start: time().nullish().describe("Start of the first occurrence; not for all-day events"),
  end: time().nullish().describe("End of the first occurrence; not for all-day events"),
  all_day: flag().optional().describe("Make it an all-day event; needs date"),
  date: nullable(day()).describe("Day of an all-day event"),
  recurrence: z
    .array(ruleInput())
    .max(maxRules)
    .optional()
    .describe("Recurrence rules, all different; occurrences of all rules are combined"),
  units: z.array(id("units")).max(500).optional().describe("Units to publish to; not for personal events"),
  userTypes: z
    .array(id("usertypes"))
    .max(500)
    .optional()
    .describe("User types that can read it (default all); not for personal events"),
  shares: z.array(id("users")).max(500).optional().describe("Further users who can read it"),
  fileCount: z.int().min(0).max(200).optional().describe("Number of files that will be uploaded in all"),
  files: fileItems().optional(),
});

export const title = () => name().describe("Title of the event");
export const type = () =>
  z
    .enum(eventTypes)
    .meta({
      description: "Calendar of the event",
      values: { chain: "units and everything below them", unit: "units without those below", user: "personal" },
    });
export const answer = () => z.enum(answers).describe("Answer to the invitation");

export const uid = () => line(255, 1).describe("UID in iCalendar files, unique among your events (default a new one)");

/** The fields of an event in get, list and upcoming. `shared` is absent from upcoming. */
const shown = once(() => ({
  id: idOf("events"),
  content_type: z.literal("event"),
  permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
  title: z.string(),
  dates: z
    .array(z.object({ start: unixTime(), end: unixTime() }))
    .describe("Occurrences; empty for an all-day event, which has days"),
  all_day: z.boolean(),
  date: dateText().nullable().describe("First day of an all-day event"),
  days: z.array(dateText()).describe("Days of an all-day event"),
  timezone: z.string().describe("Time zone of the recurrence and of whole days"),
  recurrence: z.array(rule()),
  location: z.string().nullable(),
  link: z.string(),
  type: z.enum(eventTypes),
  files: z.array(file()),
  uploading_files: z.int().describe("Number of announced uploads that have not arrived yet"),
  body: z.string(),
  userTypes: z.array(userTypeBrief()),
  units: z.array(z.object({ content_type: z.literal("unit"), id: idOf("units"), name: z.string(), url: z.string() })),
  author: z.object({ content_type: z.literal("user"), id: idOf("users"), name: z.string(), url: z.string() }),
  seen: z.boolean().describe("True if you have seen it, or are its author"),
  participation: z.object({
    accepted: z.int(),
    rejected: z.int(),
    answer: z.enum(answers).nullable().describe("Your answer"),
  }),
  uid: z.string(),
  created_at: unixTime(),
  updated_at: unixTime(),
  url: z.string(),
}));

export const event = component("Event", () => ({ ...shown(), shared: z.boolean() }));
export const createdEvent = component("CreatedEvent", () => ({
  ...event().shape,
  message: z.string().describe("Says that the event was created"),
}));
export const occurrence = component("EventOccurrence", shown);

/** Maximum number of events after the page that the total counts. */
export const countedBeyond = 1000;

const pagination = component("Pagination", () => ({
  total: z
    .int()
    .describe(
      `Number of events in the list, of which at most ${countedBeyond.toLocaleString("en")} after this page are counted`,
    ),
  count: z.int(),
  per_page: z.int(),
  current_page: z.int(),
  total_pages: z.int(),
  links: z.array(z.never()),
}));

/** A page of events. Its shape differs from the other numbered pages for compatibility. */
export const hits = <T extends z.ZodType>(item: T) =>
  z.object({ hits: z.array(item), meta: z.object({ pagination: pagination() }) });

export const eventParticipant = component("EventParticipant", () => ({
  user: shortUser(),
  answer: z.enum(answers),
  answered_at: unixTime(),
}));
