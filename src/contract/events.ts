import { z } from "zod";
import { cursorInput, cursorPage, id, idOf, line, noContent, nothing, pageInput, unixTime } from "./common-schemas.ts";
import {
  answers,
  event,
  eventFields,
  eventTypes,
  hits,
  mostOccurrences,
  mostYears,
  occurrence,
  participant,
  title,
  type,
  uid,
} from "./event-schemas.ts";
import { fileItems, uploadLimit } from "./file-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

const one = () => z.strictObject({ id: id("events") });
const newFiles = () =>
  z.strictObject({ id: id("events").meta({ description: "The event" }), files: fileItems().min(1) });
const change = ["forbidden", "gone"] as const;

/** Maximum number of events that a list shows over all its pages. */
export const furthestEvent = 10_000;
/** Maximum number of events after the page that the total counts. */
export const countedBeyond = 100;

const limits = `An event has at most ${mostOccurrences} occurrences within ${mostYears} years of its start, however long its rules go on; times of day and whole days are those of the instance's time zone at the time of the change.`;

export const events = operationGroup("events", {
  list: operation({
    method: "GET",
    path: "/events",
    summary: "Events that you can read, by their first occurrence",
    description: `With start or end only events that occur in between, by their first occurrence there; each comes once, with all its dates. meta.pagination.total counts at most ${countedBeyond} beyond the page, so a later page may tell of more; it ends at ${furthestEvent} events: narrow start and end to see more.`,
    access: "signed_in",
    input: () =>
      z.strictObject({
        type: z.enum(eventTypes).optional().meta({ description: "Only this calendar" }),
        start: unixTime().optional().meta({ description: "Earliest start of an occurrence" }),
        end: unixTime().optional().meta({ description: "Latest start of an occurrence" }),
        uid: z.array(line(255, 1)).max(100).optional().meta({ description: "Only events with these UIDs" }),
        ...pageInput(),
      }),
    output: () => hits(event()),
    status: 200,
    list: { items: "hits", paging: "hits" },
  }),
  get: operation({
    method: "GET",
    path: "/events/{id}",
    summary: "One event",
    description:
      "Can be read by its author, by users it is shared with, and, unless it is personal, by members of its units with one of its user types and by those who may edit it.",
    access: "signed_in",
    input: one,
    output: event,
    status: 200,
    errors: ["gone"],
  }),
  create: operation({
    method: "POST",
    path: "/events",
    summary: "Create an event",
    description: `chain needs the ability calendar in every unit named, or in your own unit when none is; it is for those units and all below them. unit needs it in the one unit named, or in your own, and is for that unit alone. user is for you and whom you share it with, and takes neither units nor userTypes. start and end are required, but not for the whole day: that needs date instead. ${limits}`,
    access: "signed_in",
    input: () => z.strictObject({ title: title(), type: type(), ...eventFields(), uid: uid().optional() }),
    output: () => z.object({ message: z.string(), id: idOf("events") }),
    status: 201,
    location: "/events/{id}",
    errors: ["forbidden"],
    bodyLimit: uploadLimit,
    transaction: "own",
  }),
  update: operation({
    method: "PATCH",
    path: "/events/{id}",
    summary: "Change an event",
    description: `Only what is named changes, lists as a whole; files replaces those that are there. By its author, or with the ability calendar in the unit that owns it; a personal one by its author only. Another type or other units need the permission for these, too. ${limits}`,
    access: "signed_in",
    input: () =>
      z.strictObject({ id: id("events"), title: title().optional(), type: type().optional(), ...eventFields() }),
    output: noContent,
    status: 204,
    errors: change,
    bodyLimit: uploadLimit,
    transaction: "own",
  }),
  delete: operation({
    method: "DELETE",
    path: "/events/{id}",
    summary: "Delete an event with its files",
    description: "By those who may change it.",
    access: "signed_in",
    input: one,
    output: noContent,
    status: 204,
    errors: change,
  }),
  seen: operation({
    method: "POST",
    path: "/events/{id}/seen",
    summary: "Mark an event as seen by you",
    access: "signed_in",
    input: one,
    output: noContent,
    status: 204,
    private: true,
    errors: ["gone"],
  }),
  upcoming: operation({
    method: "GET",
    path: "/events/upcoming",
    summary: "The next three occurrences, running ones included",
    description:
      "By their start. An event that occurs more than once may come more than once; dates, or date and days, show that occurrence.",
    access: "signed_in",
    input: nothing,
    output: () => hits(occurrence()),
    status: 200,
    list: { items: "hits" },
  }),
  filesAdd: operation({
    method: "POST",
    path: "/events/files",
    summary: "Add files to an event",
    access: "signed_in",
    input: newFiles,
    output: noContent,
    status: 204,
    errors: change,
    bodyLimit: uploadLimit,
  }),
  filesAddTo: operation({
    method: "POST",
    path: "/events/{id}/files",
    summary: "Add files to the event of the path",
    access: "signed_in",
    input: newFiles,
    output: noContent,
    status: 204,
    errors: change,
    bodyLimit: uploadLimit,
  }),
  fileDelete: operation({
    method: "DELETE",
    path: "/events/{EventID=id}/files/{FileID=file}",
    summary: "Delete a file of an event",
    access: "signed_in",
    input: () => z.strictObject({ id: id("events").meta({ description: "The event" }), file: id("files") }),
    output: noContent,
    status: 204,
    errors: change,
  }),
  participants: operation({
    method: "GET",
    path: "/events/{id}/participants",
    summary: "Who answered the invitation to an event, and what",
    access: "signed_in",
    input: () =>
      z.strictObject({
        id: id("events"),
        answer: z.enum(answers).optional().meta({ description: "Only who answered so" }),
        ...cursorInput(),
      }),
    output: () => cursorPage(participant()),
    status: 200,
    list: { items: "data", paging: "cursor" },
    errors: ["gone"],
  }),
  accept: operation({
    method: "POST",
    path: "/events/{id}/participants",
    summary: "Answer the invitation to an event",
    description: "Once more: changes the answer.",
    access: "signed_in",
    input: () => z.strictObject({ id: id("events"), answer: z.enum(answers).default("accepted") }),
    output: noContent,
    status: 204,
    private: true,
    errors: ["gone"],
  }),
  withdraw: operation({
    method: "DELETE",
    path: "/events/{id}/participants",
    summary: "Take your answer back",
    access: "signed_in",
    input: one,
    output: noContent,
    status: 204,
    private: true,
    errors: ["gone"],
  }),
});
