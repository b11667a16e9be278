import { isDeepStrictEqual } from "node:util";
import { type FieldErrors, ServiceError } from "../../../../contract/errors.ts";
import { eventTypes } from "../../../../contract/event-schemas.ts";
import { events } from "../../../../contract/events.ts";
import type { Caller } from "../../../../contract/operation.ts";
import { type Outcome, skippedRow } from "../../../file-io/file-rows.ts";
import { walkItems } from "../../../kit/walk-list.ts";
import type { ListedEvent } from "../walk-events.ts";
import { plainText } from "./jcal.ts";
import type { ReadEvent } from "./read-ics.ts";

export interface EventTarget {
  readonly caller: Caller;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Type of the events; undefined changes events of any type, and takes the type of new ones from the file, else `user`. */
  readonly type: ListedEvent["type"] | undefined;
  readonly audience: { readonly units?: number[]; readonly userTypes?: number[] };
}

/** Creates an event, or changes the existing `event`. Returns what was done, or the reasons why the event is skipped. */
export async function saveEvent(
  read: ReadEvent,
  event: ListedEvent | undefined,
  target: EventTarget,
): Promise<Outcome> {
  const type = event?.type ?? target.type ?? eventTypes.find((name) => name === read.type) ?? "user";
  if (read.isPrivate && type !== "user") {
    return skippedRow({ CLASS: ["is private, but the event would not be; import it with --type user"] }, read.uid);
  }
  if (event && target.type !== undefined && type !== target.type && Object.keys(changesTo(event, read)).length > 0) {
    const reason = `is that of your ${type} event ${event.id}, which stays in its calendar; use --type ${type} or --keep-types to change it`;
    return skippedRow({ UID: [reason] }, read.uid);
  }
  try {
    const saved = event ? await change(event, read, target) : await create(read, type, target);
    const fields = Object.keys(read.notImported).length > 0 ? read.notImported : undefined;
    return { ...saved, reference: read.uid, fields };
  } catch (error) {
    const reasons = reasonsOf(error);
    if (!reasons) throw error;
    return skippedRow(reasons, read.uid);
  }
}

async function create(read: ReadEvent, type: ListedEvent["type"], { caller, audience, dryRun, signal }: EventTarget) {
  const input = { ...contentOf(read), uid: read.uid, type, ...(type !== "user" && audience) };
  const { id } = await caller.call(events.create, input, { dryRun, signal });
  // An event of a dry run has no ID.
  return { action: "created", id: dryRun ? null : id } as const;
}

async function change(event: ListedEvent, read: ReadEvent, { caller, dryRun, signal }: EventTarget) {
  const changes = changesTo(event, read);
  if (Object.keys(changes).length === 0) return { action: "unchanged", id: event.id } as const;
  await caller.call(events.update, { id: event.id, ...changes }, { dryRun, signal });
  return { action: "changed", id: event.id } as const;
}

/** Returns why this event cannot be imported; undefined for errors that are not about it, such as a lost connection. */
function reasonsOf(error: unknown): FieldErrors | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  if (error.code === "validation_failed" && error.fields) return error.fields;
  const isOwn = ["validation_failed", "forbidden", "conflict", "gone", "not_found"].includes(error.code);
  return isOwn ? { event: [error.message] } : undefined;
}

/**
 * Finds existing events by UID that the user can edit: the user's own, else one of the type that the events get. Otherwise a
 * file for the personal calendar could change events that others read, or be written into the event of somebody else.
 */
export async function findByUid({ caller, type }: EventTarget, uids: readonly string[], me: number) {
  const found = new Map<string, ListedEvent>();
  for await (const event of walkItems(caller, events.list, { uid: uids })) {
    const isOwn = event.author.id === me;
    const fits = event.permissions.edit && (isOwn || type === undefined || event.type === type);
    if (fits && (isOwn || !found.has(event.uid))) found.set(event.uid, event);
  }
  return found;
}

export function contentOf({ title, body, location, link, date, start, end, recurrence }: ReadEvent) {
  const time = date === null ? { all_day: false, date, start, end } : { all_day: true, date, start: null, end: null };
  return { title, body, location, link, ...time, recurrence: [...recurrence] };
}

type Content = ReturnType<typeof contentOf>;

/** Returns the fields in which the event differs from the file, with the values of the file. */
export function changesTo(event: ListedEvent, read: ReadEvent): Partial<Content> {
  const wanted = contentOf(read);
  const stored = {
    title: plainText(event.title),
    body: plainText(event.body),
    location: event.location === null ? null : plainText(event.location) || null,
    link: event.link,
    all_day: event.all_day,
    date: event.date,
    start: event.dates[0]?.start ?? null,
    end: event.dates[0]?.end ?? null,
    recurrence: event.recurrence,
  };
  const differs = (name: keyof Content) => !isSame(stored[name], wanted[name]);
  const times = ["all_day", "date", "start", "end", "recurrence"] as const;
  // Times and recurrence are valid only together, so all of them are sent when one differs.
  const timing = times.some(differs) ? times : [];
  const changed = [...(["title", "body", "location", "link"] as const).filter(differs), ...timing];
  return Object.fromEntries(changed.map((name) => [name, wanted[name]]));
}

/** Compares two values; rules may be in another order. */
const isSame = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? isDeepStrictEqual(new Set(one), new Set(other))
    : isDeepStrictEqual(one, other);
