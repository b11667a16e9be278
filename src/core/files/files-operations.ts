import { type RawBuilder, type SqlBool, sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { files as contract } from "../../contract/files.ts";
import type { FileOwner } from "../../store/schema/column-types.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { readable } from "../visibility/audience.ts";
import { eventReader } from "../visibility/event-visibility.ts";
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
  const isReadable = Object.entries(readableOwners(ctx)).map(
    ([owner, rows]) => sql`(f.owner = ${sql.lit(owner)} and exists (select 1 from ${rows}))`,
  );
  return ctx.db
    .selectFrom("files as f")
    .select(["f.name", "f.mime", "f.size", "f.source", "f.sha256"])
    .where("f.id", "=", id)
    .where(sql<SqlBool>`(${sql.join(isReadable, sql` or `)})`)
    .executeTakeFirstOrThrow(() => new ServiceError("not_found", `There is no file ${id}.`));
}

/** Returns the rows that may have the file `f`. Every signed-in user can read all units, and users that are not deleted. */
const readableOwners = ({ db, actor, now }: Ctx): Record<FileOwner, RawBuilder<unknown>> => ({
  event: sql`events e join audiences a on a.id = e.audience_id
    where e.id = f.owner_id and e.deleted_at is null and ${readable(db, eventReader(actor))}`,
  post: sql`posts p join audiences a on a.id = p.audience_id
    where p.id = f.owner_id and ${visible(db, postReader(actor), now)}`,
  message: sql`messages m join conversation_participants c on c.conversation_id = m.conversation_id
    where m.id = f.owner_id and m.deleted_at is null and c.user_id = ${actor.id} and m.position > c.cleared_position`,
  user: sql`users u where u.id = f.owner_id and u.deleted_at is null`,
  unit: sql`units n where n.id = f.owner_id`,
  group: sql`groups g where g.id = f.owner_id and ${isVisibleGroup("g", groupReader(actor))}`,
});
