import { z } from "zod";
import { created, cursorInput, cursorList, id, line, nullable, pageInput, periodEnd, time } from "./common-schemas.ts";
import {
  answer,
  countedBeyond,
  createdEvent,
  event,
  eventFields,
  eventParticipant,
  eventTypes,
  hits,
  maxEventEntries,
  maxOccurrences,
  maxYears,
  occurrence,
  title,
  type,
  uid,
} from "./event-schemas.ts";
import { fileItems, uploadLimit } from "./file-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

const one = () => ({ id: id("events") });
const newFiles = () => ({ id: id("events"), files: fileItems().min(1) });
/** Common to the operations that change the caller's own relation to an event. */
const mark = { access: "signed_in", private: true } as const;
const ignored = { if: "all_day", fields: ["start", "end"] };

/** Maximum number of events that a list shows over all its pages. */
export const maxListedEvents = 10_000;

const limits = `An event has at most ${maxOccurrences} occurrences within ${maxYears} years of its start, even if its rules go on; a single one cannot be left out or moved. Its occurrences times its units and shares are at most ${maxEventEntries}. Recurrence and whole days follow the time zone of the instance at the time of the change.`;

export const events = operationGroup("events", {
  list: operation("GET", "/events", "List events", {
    description: `Lists events that you can read, sorted by first occurrence; with start or end, only events that occur in this period, sorted by their first occurrence in it. Each event is listed once, with all its dates. The total counts at most ${countedBeyond.toLocaleString("en")} events after the page. A list ends after ${maxListedEvents.toLocaleString("en")} events; narrow start and end to see others.`,
    access: "signed_in",
    input: () => ({
      type: z.enum(eventTypes).optional().describe("Only events of this calendar"),
      start: time().optional().describe("Only occurrences that start at or after this time"),
      end: periodEnd().optional().describe("Only occurrences that start at or before this time"),
      uid: z
        .array(line(255, 1))
        .max(100)
        .optional()
        .meta({ placeholder: "uid", description: "Only events with these UIDs" }),
      ...pageInput(),
    }),
    output: () => hits(event()),
    list: { items: "hits", paging: "hits" },
  }),
  get: operation("GET", "/events/{id}", "Get an event", {
    description:
      "An event can be read by its author, by users it is shared with and, unless it is personal, by members of its units with one of its user types and by users who can edit it.",
    access: "signed_in",
    input: one,
    output: event,
  }),
  create: operation("POST", "/events", "Create an event", {
    description: `Type chain publishes the event to the given units and everything below them, type unit to exactly these units; both need the ability calendar in these units, by default your own unit. The first of the given units owns an event of type unit; your own unit, or without the ability there the first one, owns an event of type chain. Type user is a personal event for you and the users it is shared with, without units and user types. Start and end are required, except for an all-day event, which needs a date. ${limits}`,
    access: "signed_in",
    input: () => ({ title: title(), type: type(), ...eventFields(), uid: nullable(uid()) }),
    ignored,
    ...created(createdEvent, "/events/{id}"),
    bodyLimit: uploadLimit,
    transaction: "own",
  }),
  update: operation("PATCH", "/events/{id}", "Update an event", {
    description: `Only the given fields change; lists, including files, are replaced. A personal event can be updated by its author only, any other event by users with the ability calendar in the unit that owns it: its author cannot update it without that ability. An empty list of units stands for that unit. A new type, other units, and other or more user types need the ability there as well. Only the author can make an event personal. ${limits}`,
    access: "signed_in",
    input: () => ({ id: id("events"), title: title().optional(), type: type().optional(), ...eventFields() }),
    ignored,
    bodyLimit: uploadLimit,
    transaction: "own",
  }),
  delete: operation("DELETE", "/events/{id}", "Delete an event with its files", {
    description: "Can be done by users who can update it.",
    access: "signed_in",
    input: one,
  }),
  seen: operation("POST", "/events/{id}/seen", "Mark an event as seen", { ...mark, input: one }),
  upcoming: operation("GET", "/events/upcoming", "List the next three occurrences of events", {
    description:
      "Includes occurrences that are in progress, sorted by start. A recurring event can be listed more than once; its dates, or date and days, have only this occurrence.",
    access: "signed_in",
    output: () => hits(occurrence()),
    list: { items: "hits" },
  }),
  filesAdd: operation("POST", "/events/files", "Add files to an event", {
    access: "signed_in",
    input: newFiles,
    bodyLimit: uploadLimit,
    errors: ["gone", "not_found"],
  }),
  filesAddTo: operation("POST", "/events/{id}/files", "Add files to an event (ID in the path)", {
    access: "signed_in",
    input: newFiles,
    bodyLimit: uploadLimit,
  }),
  fileDelete: operation("DELETE", "/events/{EventID=id}/files/{FileID=file}", "Delete a file from an event", {
    access: "signed_in",
    input: () => ({ id: id("events"), file: id("files") }),
  }),
  participants: operation("GET", "/events/{id}/participants", "List the answers to the invitation of an event", {
    access: "signed_in",
    input: () => ({
      id: id("events"),
      answer: answer().optional().describe("Only participants with this answer"),
      ...cursorInput(),
    }),
    ...cursorList(eventParticipant),
  }),
  accept: operation("POST", "/events/{id}/participants", "Answer the invitation to an event", {
    description: "A later answer replaces the earlier one.",
    ...mark,
    input: () => ({ id: id("events"), answer: answer().default("accepted") }),
  }),
  withdraw: operation("DELETE", "/events/{id}/participants", "Withdraw your answer to an invitation", {
    ...mark,
    input: one,
  }),
});
