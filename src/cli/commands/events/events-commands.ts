import { eventTypes } from "../../../contract/event-schemas.ts";
import { events as ops } from "../../../contract/events.ts";
import type { Caller } from "../../../contract/operation.ts";
import { selectingFlags } from "../../kit/build-command.ts";
import {
  askAbout,
  type CommandFlag,
  type Commands,
  type Context,
  type CustomCommand,
  command,
  dryRunFlag,
} from "../../kit/command-spec.ts";
import type { Input } from "../../kit/read-input.ts";
import { fileCommands } from "../files/file-list-commands.ts";

const eventList = async (_caller: Caller, { start }: { readonly start?: number }) =>
  (await import("./render-events.ts")).eventList(start);
const eventForm = async () => (await import("./render-events.ts")).eventForm;

const eventRows = {
  columns: ["id", "title", "type", "start", "end", "date", "repeats", "location"],
  formats: { start: "unix-time", end: "unix-time" },
  load: async ({ start }: Input = {}) => (await import("./render-events.ts")).eventRow(start as number | undefined),
} as const;
/** Rows of a single event, which may have hundreds of occurrences. */
const singleRows = { ...eventRows, load: async () => (await import("./render-events.ts")).singleEventRow() } as const;

const planned = {
  ahead: { start: null, end: "start" },
  flags: [
    {
      flags: "--repeat <phrase>",
      field: "recurrence",
      description: "Repeat the event (for example 'every tuesday until 2026-12-31'), or never; can be repeated",
      repeat: true,
    },
    {
      flags: "--rrule <rule>",
      field: "recurrence",
      description: "Repeat the event by an RRULE of RFC 5545 (for example 'FREQ=WEEKLY;BYDAY=TU'); can be repeated",
      repeat: true,
    },
  ],
  complete: async (input: Input, flags: Context["flags"]) =>
    (await import("./complete-event.ts")).completeEvent(input, flags),
} as const;

const calendars = eventTypes.join("|");
const typeFlag: CommandFlag = {
  flags: `--type <${calendars}>`,
  description: "Only events of this calendar",
  choices: eventTypes,
};

const calendar: CustomCommand = {
  summary: "Draw a calendar of a month, a week or a range of days",
  description: `Without flags it draws the current month. Weeks begin on Monday; times are in your time zone or that of --tz. When
stdout is not a terminal, it prints a row per occurrence. Events longer than 31 days are shown on their first 31 days.`,
  flags: [
    { flags: "--month <month>", description: "Month to draw (for example 2026-12, december or 'next month')" },
    { flags: "--week", description: "Draw the current week, or the week of --from" },
    { flags: "--from <date>", description: "First day (for example 2026-12-24 or tomorrow)" },
    { flags: "--to <date>", description: "Last day (default four weeks from the first)" },
    typeFlag,
  ],
  examples: [
    "wcs events calendar",
    "wcs events calendar --week --from 2026-12-24",
    "wcs events calendar --month 2026-12 --json",
  ],
  prints: true,
  watchable: true,
  run: async (context) => (await import("./calendar/calendar-command.ts")).calendar(context),
};

const exportEvents: CustomCommand = {
  summary: "Export events as an iCalendar file for other calendars",
  description: `Writes each event once (RFC 5545), with its recurrence rules and a UID that never changes. Times are local in the time
zone of the event. Files and answers are not exported. wcs events import --keep-types reads the file again.`,
  args: [{ name: "ids", optional: true, many: true, description: "Export only these events", completes: "events" }],
  flags: [
    { flags: "--ics", description: "Write iCalendar, the only format (default)" },
    { flags: "-o, --output <path>", description: "File to write, replaced if it exists; - for stdout (default -)" },
    {
      flags: "--from <date>",
      description: "Export only events on or after this day (for example 2026-12-24 or today)",
    },
    { flags: "--to <date>", description: "Export only events on or before this day" },
    typeFlag,
  ],
  examples: [
    "wcs events export --ics -o events.ics",
    "wcs events export 12 | less",
    "wcs events export --from today --type chain",
  ],
  without: selectingFlags,
  run: async (context) => (await import("./ics/export-ics.ts")).exportEvents(context),
};

const importEvents: CustomCommand = {
  summary: "Create and change events from an iCalendar file",
  description: `An event whose UID is that of an existing event changes it, so the same file can be imported again at any time.
Existing events are your own, and those of others that you can edit in the calendar of --type, or in any with
--keep-types. None moves to another calendar: one of yours in another calendar changes only with --type of that
calendar or with --keep-types.

Properties that wcs does not support (EXDATE, RDATE, ATTENDEE, VALARM, ATTACH, changes of single occurrences, some
parts of rules) are not imported; each is reported with the line of its event (exit 3). An event of several whole days
becomes a time from midnight to midnight. Times without a zone are in your time zone or that of --tz.`,
  args: [{ name: "file", description: "File in iCalendar format (RFC 5545), - for stdin" }],
  flags: [
    {
      flags: `--type <${calendars}>`,
      description: "Calendar of the events (default user); existing ones stay in theirs",
      choices: eventTypes,
    },
    {
      flags: "--keep-types",
      description: "Change events of all calendars; new ones keep the calendar from which wcs events export wrote them",
    },
    { flags: "--units <unit,...>", description: "Units of new events", repeat: true, completes: "units" },
    {
      flags: "--user-types <user-type,...>",
      description: "User types that can read new events",
      repeat: true,
      completes: "usertypes",
    },
    {
      flags: "--results <path>",
      description: "Write the result of each event to a file: line, UID, action, ID, errors",
    },
    dryRunFlag,
  ],
  examples: [
    "wcs events import holidays.ics --type chain --dry-run",
    "curl -s https://example.com/team.ics | wcs events import -",
  ],
  run: async (context) => (await import("./ics/import-ics.ts")).importEvents(context),
};

const files = fileCommands("event", { get: ops.get, add: ops.filesAddTo, delete: ops.fileDelete });

export const events: Commands = {
  list: command(ops.list, {
    rows: eventRows,
    renderer: eventList,
    ahead: { start: null, end: null },
    examples: ["wcs events list --start now --end +7d", "wcs events list --type chain --all -o ndjson"],
  }),
  get: command(ops.get, {
    rows: singleRows,
    renderer: eventForm,
    examples: ["wcs events get 12", "wcs events get 12 --json"],
  }),
  create: command(ops.create, {
    ...planned,
    written: { field: "body", file: "event.md", optional: true },
    rows: singleRows,
    renderer: eventForm,
    wizard: {
      ask: async (run) => (await import("./ask-for-event.ts")).askForEvent(run),
      missing: ({ start, end, date, all_day }) => {
        const lacks = all_day || date !== undefined ? { date } : { start, end };
        return Object.entries(lacks).flatMap(([name, value]) => (value === undefined ? [`--${name}`] : []));
      },
    },
    examples: [
      "wcs events create --type chain --title 'All hands' --start 'friday 14:00' --end +90m --repeat 'every month on the last friday'",
      "wcs events create --type user --title 'Christmas Eve' --all-day --date 2026-12-24",
      "wcs events create --type unit --title Standup --start 'tomorrow 9:00' --end 9:15 --rrule 'FREQ=DAILY;COUNT=10' --body @agenda.md",
    ],
  }),
  update: command(ops.update, {
    ...planned,
    written: { field: "body", file: "event.md", from: ops.get },
    description: `${ops.update.description}

--start without --end keeps the duration of the event. A time of day alone is on its day. Of an event that repeats, both
are those of the first occurrence. With both, an all-day event becomes one with times; move an all-day event with --date.`,
    perform: async (run) => (await import("./update-event.ts")).updateEvent(run),
    done: ({ id }) => `Updated event ${id}.`,
    examples: [
      "wcs events update 12 --start 'monday 10:00' --end +1h",
      "wcs events update Standup --start 9:30",
      "wcs events update 12 --repeat never --unset location",
    ],
  }),
  delete: command(ops.delete, {
    args: [{ field: "id", many: true }],
    confirm: askAbout(ops.get, ({ title }) => `Delete event ${title} and its files?`),
    done: ({ id }) => `Deleted event ${id}.`,
  }),
  seen: command(ops.seen, { args: [{ field: "id", many: true }], done: ({ id }) => `Marked event ${id} as seen.` }),
  upcoming: command(ops.upcoming, { rows: eventRows, renderer: (caller) => eventList(caller, {}) }),
  calendar,
  accept: command(ops.accept, {
    summary: "Accept the invitation to an event",
    hidden: ["answer"],
    complete: (input) => ({ ...input, answer: "accepted" }),
    done: ({ id }) => `Accepted event ${id}.`,
  }),
  decline: command(ops.accept, {
    summary: "Decline the invitation to an event",
    hidden: ["answer"],
    complete: (input) => ({ ...input, answer: "rejected" }),
    done: ({ id }) => `Declined event ${id}.`,
  }),
  withdraw: command(ops.withdraw, { done: ({ id }) => `Withdrew your answer to event ${id}.` }),
  participants: command(ops.participants, {
    items: "participants",
    columns: ["user.id", "user.name", "user.title", "user.unit.name", "answer", "answered_at"],
    examples: ["wcs events participants 12 --answer accepted --all"],
  }),
  files,
  export: exportEvents,
  import: importEvents,
};
