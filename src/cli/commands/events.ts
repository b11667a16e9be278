import { answers, eventTypes } from "../../contract/event-forms.ts";
import { events as ops } from "../../contract/events.ts";
import type { FieldFlag, Group, OperationLeaf, OwnFlag, OwnLeaf } from "../tree.ts";
import { getFile } from "./files.ts";

const id = { field: "id", completes: "events" } as const;
const eventList = async () => (await import("../events/forms.ts")).eventList;
const eventForm = async () => (await import("../events/forms.ts")).eventForm;

/** How an event is planned on a line. */
const planned: Pick<OperationLeaf, "ahead" | "flags" | "hidden" | "people" | "fill"> = {
  ahead: { start: null, end: "start" },
  people: ["shares"],
  hidden: ["recurrence"],
  flags: [
    {
      flags: "--repeat <words>",
      field: "recurrence",
      description: "How it comes again, as in 'every tuesday until 2026-12-31'; never",
      repeat: true,
    },
    {
      flags: "--rrule <rule>",
      field: "recurrence",
      description: "The same as RFC 5545 writes it: 'FREQ=WEEKLY;BYDAY=TU'",
      repeat: true,
    },
  ] satisfies readonly FieldFlag[],
  fill: async (input, flags) => (await import("../events/planning.ts")).plan(input, flags),
};

const typeFlag: OwnFlag = { flags: "--type <type>", description: "Only this calendar", completes: eventTypes };

const calendar: OwnLeaf = {
  summary: "Draw a month, a week or the days between two, with what takes place",
  description: `Without flags this month; weeks begin on Monday, and times are those of your zone, or that of --tz. Where there is no
terminal: a row for each occurrence. What lasts longer than 31 days is shown on its first ones.`,
  flags: [
    { flags: "--month <month>", description: "As in 2026-12, december or 'next month'" },
    { flags: "--week", description: "A week: this one, or that of --from" },
    { flags: "--from <day>", description: "First day, as in 2026-12-24 or tomorrow" },
    { flags: "--to <day>", description: "Last day (default four weeks)" },
    typeFlag,
  ],
  examples: [
    "wcs events calendar",
    "wcs events calendar --week --from 2026-12-24",
    "wcs events calendar --month 2026-12 --json",
  ],
  prints: true,
  run: async (context) => (await import("../events/calendar/command.ts")).calendar(context),
};

const exportEvents: OwnLeaf = {
  summary: "Write events as an iCalendar file that other calendars read",
  description: `RFC 5545: each event once, with the rules by which it comes again and a UID that stays; times are local in the time
zone of the event. Files and answers are not in it. events import reads it again.`,
  args: [{ name: "ids", optional: true, many: true, description: "Only these events", completes: "events" }],
  flags: [
    { flags: "--ics", description: "iCalendar, the one format there is" },
    { flags: "-o, --output <file>", description: "File to write to (default stdout)", completes: "file" },
    { flags: "--from <day>", description: "Only events that take place then or later" },
    { flags: "--to <day>", description: "Only events that take place then or earlier" },
    typeFlag,
  ],
  examples: [
    "wcs events export --ics -o events.ics",
    "wcs events export 12 | less",
    "wcs events export --from today --type chain",
  ],
  run: async (context) => (await import("../events/ics/export.ts")).exportEvents(context),
};

const importEvents: OwnLeaf = {
  summary: "Create and change events from an iCalendar file",
  description: `An event is known by its UID among those that you may change, so the same file can be imported again at any time. What
an event here cannot hold (EXDATE, RDATE, ATTENDEE, VALARM, ATTACH, changes of single occurrences, rules with parts that
are not kept) is left out and named with the line of the event (exit 3). Several whole days become the time from midnight
to midnight; times without a zone are those of your zone, or that of --tz.`,
  args: [{ name: "file", description: "iCalendar file (RFC 5545), - for stdin", completes: "file" }],
  flags: [
    { flags: "--type <type>", description: "Calendar of new events (default user)", completes: eventTypes },
    { flags: "--keep-types", description: "New events go where they were, as events export wrote it" },
    { flags: "--units <id,...>", description: "Units of new events", repeat: true, completes: "units" },
    { flags: "--user-types <id,...>", description: "Who can read new events", repeat: true, completes: "usertypes" },
    {
      flags: "--results <file>",
      description: "Write what became of each event: line, UID, action, id, errors",
      completes: "file",
    },
    { flags: "-n, --dry-run", description: "Check everything, change nothing" },
  ],
  examples: [
    "wcs events import holidays.ics --type chain --dry-run",
    "curl -s https://example.com/team.ics | wcs events import -",
  ],
  run: async (context) => (await import("../events/ics/import.ts")).importEvents(context),
};

const files: Group = {
  summary: "Files of events",
  commands: {
    list: {
      op: { ...ops.get, list: { items: "files" } },
      summary: "Files of an event",
      args: [id],
      columns: ["id", "name", "mime", "size", "created_at"],
      examples: ["wcs events files list 12"],
    },
    add: {
      op: ops.filesAddTo,
      args: [id],
      done: "Added to event {id}.",
      examples: ["wcs events files add 12 --file agenda.pdf --file https://vimeo.com/76979871"],
    },
    delete: {
      op: ops.fileDelete,
      args: [id, { field: "file" }],
      confirm: { ask: "Delete file {file} of event {id}?" },
      done: "Deleted file {file} of event {id}.",
    },
    get: { ...getFile, examples: ["wcs events files get 7", "wcs events files get 7 -o minutes.pdf"] },
  },
};

export const events: Group = {
  summary: "Calendar events, their files and participants",
  commands: {
    list: {
      op: ops.list,
      columns: ["id", "title", "type", "date", "location"],
      form: eventList,
      ahead: { start: null, end: null },
      examples: ["wcs events list --start now --end +7d", "wcs events list --type chain --all -o ndjson"],
    },
    get: { op: ops.get, args: [id], form: eventForm, examples: ["wcs events get 12", "wcs events get 12 --json"] },
    create: {
      op: ops.create,
      ...planned,
      written: { field: "body", file: "event.md", optional: true },
      examples: [
        "wcs events create --type chain --title 'All hands' --start 'friday 14:00' --end +90m --repeat 'every month on the last friday'",
        "wcs events create --type user --title 'Christmas Eve' --all-day --date 2026-12-24",
        "wcs events create --type unit --title Standup --start 'tomorrow 9:00' --end 9:15 --rrule 'FREQ=DAILY;COUNT=10' --body @agenda.md",
      ],
    },
    update: {
      op: ops.update,
      ...planned,
      args: [id],
      written: { field: "body", file: "event.md", from: ops.get },
      done: "Changed event {id}.",
      examples: [
        "wcs events update 12 --start 'monday 10:00' --end +1h",
        "wcs events update 12 --repeat never --unset location",
      ],
    },
    delete: {
      op: ops.delete,
      args: [id],
      confirm: { ask: "Delete event {title}, with its files?", about: ops.get },
      done: "Deleted event {id}.",
    },
    seen: { op: ops.seen, args: [id], done: "Marked event {id} as seen." },
    upcoming: {
      op: ops.upcoming,
      columns: ["id", "title", "type", "date", "dates.start", "dates.end", "location"],
      form: eventList,
    },
    calendar,
    accept: {
      op: ops.accept,
      summary: "Accept the invitation to an event",
      args: [id],
      hidden: ["answer"],
      fill: (input) => ({ ...input, answer: answers[0] }),
      done: "Accepted event {id}.",
    },
    decline: {
      op: ops.accept,
      summary: "Decline the invitation to an event",
      args: [id],
      hidden: ["answer"],
      fill: (input) => ({ ...input, answer: answers[1] }),
      done: "Declined event {id}.",
    },
    withdraw: { op: ops.withdraw, args: [id], done: "Took your answer to event {id} back." },
    participants: {
      op: ops.participants,
      args: [id],
      columns: ["user.id", "user.name", "user.title", "user.unit.name", "answer", "answered_at"],
      examples: ["wcs events participants 12 --answer accepted --all"],
    },
    files,
    export: exportEvents,
    import: importEvents,
  },
};
