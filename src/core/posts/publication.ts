import type { FieldIssues } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { posts } from "../../contract/posts.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { isPublished } from "../visibility/post-visibility.ts";

/** The state of a post's publication; `publish_on` is the requested time. */
type Publication = RowOf<"posts", "draft" | "publish_on" | "unpublish_on" | "published_at">;

type PublicationChange = NonNullable<InputOf<typeof posts.update>["publish"]>;

export const unpublished: Publication = { draft: 1, publish_on: null, unpublish_on: null, published_at: null };

/**
 * Returns the publication after a change. A future `publish_on` schedules the post, regardless of `status`; a past one
 * sets an earlier publication time. Otherwise, `status` true publishes a post that is not published now, and false makes
 * it a draft, also when it is scheduled or was unpublished. Removing a schedule makes the post a draft. Publishing now
 * clears an `unpublish_on` that has passed.
 */
export function changePublication(
  before: Publication,
  { status, publish_on, unpublish_on }: PublicationChange,
  now: number,
): Publication {
  const current = statusOf(before, now);
  const ends = unpublish_on === undefined ? before.unpublish_on : unpublish_on;
  if (typeof publish_on === "number" && (publish_on > now || status !== false)) {
    return { draft: 0, publish_on, unpublish_on: ends, published_at: publish_on };
  }
  if (status === true && current !== "published") {
    const isOver = unpublish_on === undefined && ends !== null && ends <= now;
    return { draft: 0, publish_on: null, unpublish_on: isOver ? null : ends, published_at: now };
  }
  const withdrawn = status === false || (publish_on !== undefined && current === "scheduled");
  if (withdrawn && current !== "draft")
    return { draft: 1, publish_on: null, unpublish_on: ends, published_at: pastPublication(before, now) };
  return { ...before, publish_on: publish_on === null ? null : before.publish_on, unpublish_on: ends };
}

export function publicationIssues(after: Publication, { unpublish_on }: PublicationChange): FieldIssues {
  const { published_at, unpublish_on: end } = after;
  if (after.draft === 1 || published_at === null || end === null || end > published_at) return {};
  return typeof unpublish_on === "number"
    ? { "publish.unpublish_on": ["must be after the post is published"] }
    : { "publish.publish_on": [`must be before it is unpublished, at ${end}`] };
}

type Status = "draft" | "scheduled" | "published" | "unpublished";

function statusOf(post: Publication, now: number): Status {
  const { draft, published_at, unpublish_on } = post;
  if (draft === 1 || published_at === null) return "draft";
  if (published_at > now) return "scheduled";
  return isPublished({ draft, unpublish_on, listed_at: published_at }, now) ? "published" : "unpublished";
}

/** Returns the time of the publication, unless it is in the future. */
export function pastPublication({ published_at }: Pick<Publication, "published_at">, now: number): number | null {
  return published_at !== null && published_at <= now ? published_at : null;
}
