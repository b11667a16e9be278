import { type FieldErrors, ServiceError } from "../../../../contract/errors.ts";
import { eventTypes } from "../../../../contract/event-schemas.ts";
import { events } from "../../../../contract/events.ts";
import type { Caller } from "../../../../contract/operation.ts";
import { type Outcome, skippedRow } from "../../../file-io/row-outcome.ts";
import type { ListedEvent } from "../calendar/walk-events.ts";
import { changesTo, contentOf } from "./match-event.ts";
import type { ReadEvent } from "./read-ics.ts";

/** The instance and settings that the events of a file are imported with. */
export interface EventTarget {
  readonly caller: Caller;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Type of new events; undefined takes the type in the file, else `user`. */
  readonly type: ListedEvent["type"] | undefined;
  readonly audience: { readonly units?: number[]; readonly userTypes?: number[] };
}

export async function putIn(read: ReadEvent, event: ListedEvent | undefined, target: EventTarget): Promise<Outcome> {
  const type = event?.type ?? target.type ?? eventTypes.find((name) => name === read.type) ?? "user";
  if (read.isPrivate && type !== "user") {
    return skippedRow({ CLASS: ["is private, but the event would not be; import it with --type user"] }, read.uid);
  }
  try {
    const done = event ? await change(event, read, target) : await create(read, type, target);
    const fields = Object.keys(read.without).length > 0 ? (read.without as FieldErrors) : undefined;
    return { ...done, reference: read.uid, fields };
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
