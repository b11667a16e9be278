import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Ability } from "../../contract/operation.ts";
import type { ContentType } from "../../contract/post-schemas.ts";
import type { Db } from "../../store/database.ts";
import type { Actor } from "../pipeline/actor.ts";
import { addressed, type Reader, reached, readerOf } from "./audience.ts";
import { type GroupReader, groupReader } from "./group-visibility.ts";

export function abilityFor(type: ContentType): Ability {
  return type === "event" ? "calendar" : "news";
}

/** The properties of a reader that the visibility rules for posts and their groups need. */
export interface PostReader extends Omit<Reader, "reach">, GroupReader {
  /** `news`, `calendar`: paths of the units in which, and below which, the reader has that ability. */
  readonly news: readonly string[];
  readonly calendar: readonly string[];
}

export function postReader(actor: Actor): PostReader {
  const { reach: news, ...reader } = readerOf(actor, "news");
  return { ...reader, ...groupReader(actor), news, calendar: readerOf(actor, "calendar").reach };
}

/** Returns the condition that the reader may edit the post. Posts have the alias `p` and their audiences `a`. */
export function editable(db: Db, { me, everything, news, calendar }: PostReader): RawBuilder<SqlBool> {
  return sql<SqlBool>`(a.author_id = ${me} or ${everything} = 1
    or (p.content_type <> 'event' and ${reached(db, news)})
    or (p.content_type = 'event' and ${reached(db, calendar)}))`;
}

/** Returns the condition that a post is published at that time; `isPublished` does the same for a loaded row. */
export function published(now: number, listedAt: RawBuilder<unknown> = sql`p.listed_at`): RawBuilder<SqlBool> {
  return sql`(p.draft = 0 and ${listedAt} <= ${now} and (p.unpublish_on is null or p.unpublish_on > ${now}))`;
}

export function isPublished(
  post: { draft: number; listed_at: number; unpublish_on: number | null },
  now: number,
): boolean {
  return post.draft === 0 && post.listed_at <= now && (post.unpublish_on === null || post.unpublish_on > now);
}

/** Returns the only visibility rule for posts: published ones are read by their audience, all by their editors. */
export function visible(db: Db, reader: PostReader, now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`(p.deleted_at is null
    and (${editable(db, reader)} or (${published(now)} and ${addressed(reader)})))`;
}
