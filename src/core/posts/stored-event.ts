import type { z } from "zod";
import { ServiceError } from "../../contract/errors.ts";
import type { postEvent as contract } from "../../contract/post-event-schemas.ts";
import type { PostRow } from "./find-post.ts";

type PostEvent = z.infer<ReturnType<typeof contract>>;

/** The stored form of an event (JSON): everything that is presented, except its participants. */
export type StoredEvent = Omit<PostEvent, "participation"> & { readonly participation: boolean };

export function storedEvent({ event }: Pick<PostRow, "event">): StoredEvent | null {
  return event === null ? null : JSON.parse(event);
}

/** Throws `conflict` when a post does not invite its readers to an event. */
export function requireInvitation(post: PostRow): void {
  if (!storedEvent(post)?.participation)
    throw new ServiceError("conflict", `Participation is not enabled for post ${post.id}.`);
}

export function presentPostEvent(row: PostRow): PostEvent | null {
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
