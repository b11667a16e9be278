import type { z } from "zod";
import type { postEvent as contract } from "../../contract/post-event-forms.ts";
import type { PostRow } from "./rows.ts";

export type PostEvent = z.infer<ReturnType<typeof contract>>;

/** What is kept of an event, as JSON: all that is shown, but who takes part. */
export type StoredEvent = Omit<PostEvent, "participation"> & { readonly participation: boolean };

export function storedEvent({ event }: Pick<PostRow, "event">): StoredEvent | null {
  return event === null ? null : JSON.parse(event);
}

/** The event of a post as the API shows it. */
export function presentEvent(row: PostRow): PostEvent | null {
  const stored = storedEvent(row);
  if (stored === null) return null;
  return {
    ...stored,
    participation: {
      enabled: stored.participation,
      rsvp: row.answer,
      invited: stored.participation ? (row.reader_count ?? 0) : 0,
      accepted: row.accepted_count,
      rejected: row.rejected_count,
    },
  };
}
