import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Ability } from "../contract/operation.ts";
import type { ContentType } from "../contract/post-forms.ts";
import type { Db } from "../store/database.ts";
import { addressed, type Reader, reached, readerOf } from "./audience.ts";
import type { Actor } from "./permissions.ts";

/** The ability of those who edit posts of that kind. */
export function abilityFor(type: ContentType): Ability {
  return type === "event" ? "calendar" : "news";
}

/** What the rule for posts asks of whoever reads; plain values, so that they can be parameters of a prepared query. */
export interface PostReader extends Omit<Reader, "reach"> {
  /** Paths of the units from which the abilities to edit reach down. */
  readonly news: readonly string[];
  readonly calendar: readonly string[];
}

export function postReader(actor: Actor): PostReader {
  const { reach: news, ...reader } = readerOf(actor, "news");
  return { ...reader, news, calendar: readerOf(actor, "calendar").reach };
}

/** Whether the reader may edit a post. Of posts the alias is `p`, of their audiences `a`, here and below. */
export function editable(db: Db, { me, everything, news, calendar }: PostReader): RawBuilder<SqlBool> {
  return sql<SqlBool>`(a.author_id = ${me} or ${everything} = 1
    or (p.content_type <> 'event' and ${reached(db, "a", news)})
    or (p.content_type = 'event' and ${reached(db, "a", calendar)}))`;
}

/** Whether a post is published at that time; `isPublished` says the same of one that was read. */
export function published(now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`(p.draft = 0 and p.listed_at <= ${now} and (p.unpublish_on is null or p.unpublish_on > ${now}))`;
}

export function isPublished(
  post: { draft: number; listed_at: number; unpublish_on: number | null },
  now: number,
): boolean {
  return post.draft === 0 && post.listed_at <= now && (post.unpublish_on === null || post.unpublish_on > now);
}

/** The one rule of who may read a post: whoever it is addressed to while it is published, and always whoever may edit it. */
export function visible(db: Db, reader: PostReader, now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`(p.deleted_at is null
    and (${editable(db, reader)} or (${published(now)} and ${addressed(db, "a", reader)})))`;
}
