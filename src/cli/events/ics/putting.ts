import { type FieldErrors, ServiceError } from "../../../contract/errors.ts";
import { eventTypes } from "../../../contract/event-forms.ts";
import { events } from "../../../contract/events.ts";
import type { Caller, CallOptions } from "../../../contract/operation.ts";
import { leftOut, type Outcome } from "../../transfer/outcome.ts";
import type { Event } from "../walking.ts";
import { changesTo, contentOf } from "./matching.ts";
import type { ReadEvent } from "./reading.ts";

/** Where events of a file go. */
export interface Target {
  readonly caller: Caller;
  readonly options: CallOptions;
  /** Of new events; undefined: as the file says, else personal. */
  readonly type: Event["type"] | undefined;
  /** For whom new events are, unless they are personal. */
  readonly audience: { readonly units?: number[]; readonly userTypes?: number[] };
}

/** Creates an event, or changes the one that is in already; what became of it. */
export async function putIn(read: ReadEvent, event: Event | undefined, target: Target): Promise<Outcome> {
  const type = event?.type ?? target.type ?? eventTypes.find((name) => name === read.type) ?? "user";
  if (read.isPrivate && type !== "user") {
    return leftOut({ CLASS: ["is private, and the event is not: --type user imports it for you alone"] }, read.uid);
  }
  try {
    const done = event ? await change(event, read, target) : await create(read, type, target);
    const fields = Object.keys(read.without).length > 0 ? (read.without as FieldErrors) : undefined;
    return { ...done, reference: read.uid, fields };
  } catch (error) {
    const reasons = reasonsOf(error);
    if (!reasons) throw error;
    return leftOut(reasons, read.uid);
  }
}

async function create(read: ReadEvent, type: Event["type"], { caller, options, audience }: Target) {
  const input = { ...contentOf(read), uid: read.uid, type, ...(type !== "user" && audience) };
  const { id } = await caller.call(events.create, input, options);
  // What a dry run would have created has no ID.
  return { action: "created", id: options.dryRun ? null : id } as const;
}

async function change(event: Event, read: ReadEvent, { caller, options }: Target) {
  const changes = changesTo(event, read);
  if (Object.keys(changes).length === 0) return { action: "unchanged", id: event.id } as const;
  await caller.call(events.update, { id: event.id, ...changes }, options);
  return { action: "changed", id: event.id } as const;
}

/** Why this one event cannot go in; nothing when the reason is another. */
function reasonsOf(error: unknown): FieldErrors | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  if (error.code === "validation_failed" && error.fields) return error.fields;
  const isOwn = ["validation_failed", "forbidden", "conflict", "gone", "not_found"].includes(error.code);
  return isOwn ? { event: [error.message] } : undefined;
}
