import { type RawBuilder, type SqlBool, sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { files as contract } from "../../contract/files.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { readable, readerOf } from "../visibility/audience.ts";
import { groupReader, isVisibleGroup } from "../visibility/group-visibility.ts";
import { postReader, visible } from "../visibility/post-visibility.ts";
import { readContent } from "./file-contents.ts";

export const files: Handlers<typeof contract> = {
  async get(ctx, { id }) {
    const { name, mime, size, sha256, source } = await findFile(ctx, id);
    if (sha256 === null) throw new ServiceError("not_found", `File ${id} is an external video: ${source}`);
    const { db } = ctx;
    return { name, mime, size, sha256, read: (from, to) => readContent(db, { sha256, size }, from, to) };
  },
};

/** Returns a file whose owner the actor may read. Throws `not_found` otherwise, whether or not the file exists. */
async function findFile(ctx: Ctx, id: number) {
  return ctx.db
    .selectFrom("files as f")
    .select(["f.name", "f.mime", "f.size", "f.source", "f.sha256"])
    .where("f.id", "=", id)
    .where(
      sql<SqlBool>`(${ofEvent(ctx)} or ${ofPost(ctx)} or ${ofMessage(ctx)} or ${ofUser} or ${ofUnit} or ${ofGroup(ctx)})`,
    )
    .executeTakeFirstOrThrow(() => new ServiceError("not_found", `There is no file ${id}.`));
}

function ofEvent({ db, actor }: Ctx): RawBuilder<SqlBool> {
  return sql`(f.owner = 'event' and exists (
    select 1 from events e join audiences a on a.id = e.audience_id
    where e.id = f.owner_id and e.deleted_at is null and ${readable(db, "a", readerOf(actor, "calendar"))}))`;
}

function ofPost({ db, actor, now }: Ctx): RawBuilder<SqlBool> {
  return sql`(f.owner = 'post' and exists (
    select 1 from posts p join audiences a on a.id = p.audience_id
    where p.id = f.owner_id and ${visible(db, postReader(actor), now)}))`;
}

function ofMessage({ actor }: Ctx): RawBuilder<SqlBool> {
  return sql`(f.owner = 'message' and exists (
    select 1 from messages m join conversation_participants c on c.conversation_id = m.conversation_id
    where m.id = f.owner_id and m.deleted_at is null and c.user_id = ${actor.id} and m.position > c.cleared_position))`;
}

/** Every signed-in user can read all users that are not deleted. */
const ofUser: RawBuilder<SqlBool> = sql`(f.owner = 'user' and exists (
  select 1 from users u where u.id = f.owner_id and u.deleted_at is null))`;

/** Every signed-in user can read all units. */
const ofUnit: RawBuilder<SqlBool> = sql`(f.owner = 'unit' and exists (select 1 from units n where n.id = f.owner_id))`;

function ofGroup({ actor }: Ctx): RawBuilder<SqlBool> {
  return sql`(f.owner = 'group' and exists (
    select 1 from groups g where g.id = f.owner_id and ${isVisibleGroup("g", groupReader(actor))}))`;
}
