import { sql } from "kysely";
import { isAmong, truth } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import { addressed } from "../visibility/audience.ts";
import { type GroupReader, groupReader, isVisibleGroup } from "../visibility/group-visibility.ts";
import { editable, type PostReader, postReader } from "../visibility/post-visibility.ts";

/**
 * Returns posts with the reader's marks and permissions, including deleted posts. `reads` holds only while the post is
 * published. The name of a group that the reader may not see is null.
 */
const postRows = prepared((db, p: PostReader & GroupReader & { ids: readonly number[] }) =>
  db
    .selectFrom("posts as p")
    .innerJoin("audiences as a", "a.id", "p.audience_id")
    .innerJoin("units as owner", "owner.id", "a.owner_unit_id")
    .leftJoin("groups as g", (join) => join.onRef("g.id", "=", "a.group_id").on(isVisibleGroup("g", p)))
    .leftJoin("polls as poll", "poll.post_id", "p.id")
    .leftJoin("post_marks as m", (join) => join.onRef("m.post_id", "=", "p.id").on("m.user_id", "=", p.me))
    .selectAll("p")
    .select(["a.author_id", "a.everywhere", "a.group_id", "g.name as group_name", "poll.id as poll_id"])
    .select(["owner.id as owner_id", "owner.name as owner_name", "owner.level as owner_level"])
    .select(["owner.unit_type as owner_type", "owner.path as owner_path"])
    .select(["m.seen_at", "m.liked_at", "m.read_at", "m.bookmarked_at", "m.answer", "m.mute_rule", "m.muted_until"])
    .select([
      truth(editable(db, p)).as("edits"),
      truth(addressed(db, "a", p)).as("reads"),
      truth(mentionsUnseen(p.me)).as("mentions_unseen"),
      latestComment.as("latest_comment"),
    ])
    .where((eb) => isAmong(db, eb.ref("p.id"), p.ids)),
);

export type PostRow = Awaited<ReturnType<typeof postRows>>[number];

/** Returns the posts as loaded for the actor. */
export function loadPosts({ db, actor }: Ctx, ids: readonly number[]): Promise<PostRow[]> {
  return postRows(db, { ...postReader(actor), ...groupReader(actor), ids });
}

const mentionsUnseen = (me: number) =>
  sql`exists (select 1 from post_mentions pm where pm.post_id = p.id and pm.user_id = ${me} and pm.seen = 0)`;

const latestComment = sql<number | null>`(select c.id from comments c
  where c.post_id = p.id and c.deleted_at is null order by c.id desc limit 1)`;
