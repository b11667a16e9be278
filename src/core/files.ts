import { type RawBuilder, type SqlBool, sql } from "kysely";
import { ServiceError } from "../contract/errors.ts";
import type { files as contract } from "../contract/files.ts";
import type { FileOwner } from "../store/schema-content.ts";
import { readable, readerOf } from "./audience.ts";
import type { Ctx, Handlers } from "./context.ts";
import { readContent } from "./file-contents.ts";
import { postReader, visible } from "./post-visibility.ts";

export const files: Handlers<typeof contract> = {
  async get(ctx, { id }) {
    const file = await ctx.db
      .selectFrom("files")
      .select(["owner", "owner_id", "name", "mime", "size", "source", "sha256"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (file === undefined) throw new ServiceError("not_found", `There is no file ${id}.`);
    await permitted[file.owner](ctx, file.owner_id);
    const { name, mime, size, sha256, source } = file;
    if (sha256 === null) throw new ServiceError("not_found", `File ${id} is a video elsewhere, at ${source}`);
    const { db } = ctx;
    return { name, mime, size, sha256, read: (from, to) => readContent(db, { sha256, size }, from, to) };
  },
};

/** Throws unless the actor may read the thing that a file belongs to. */
const permitted: Record<FileOwner, (ctx: Ctx, id: number) => Promise<void>> = {
  async event({ db, actor }, id) {
    const event = await db
      .selectFrom("events as e")
      .innerJoin("audiences as a", "a.id", "e.audience_id")
      .select("e.deleted_at")
      .select(whether(readable(db, "a", readerOf(actor, "calendar"))).as("readable"))
      .where("e.id", "=", id)
      .executeTakeFirst();
    requireThere(event, `Event ${id}`);
    if (event.readable === 0) throw refusal();
  },

  async post(ctx, id) {
    const { db, actor, now } = ctx;
    const post = await db
      .selectFrom("posts as p")
      .innerJoin("audiences as a", "a.id", "p.audience_id")
      .select("p.deleted_at")
      .select(whether(visible(db, postReader(actor), now)).as("visible"))
      .where("p.id", "=", id)
      .executeTakeFirst();
    requireThere(post, `Post ${id}`);
    if (post.visible === 0) throw refusal();
  },

  async message({ db, actor }, id) {
    const message = await db
      .selectFrom("messages as m")
      .leftJoin("conversation_participants as p", (join) =>
        join
          .onRef("p.conversation_id", "=", "m.conversation_id")
          .on("p.user_id", "=", actor.id)
          .onRef("p.cleared_position", "<", "m.position"),
      )
      .select(["m.deleted_at", "p.user_id"])
      .where("m.id", "=", id)
      .executeTakeFirst();
    requireThere(message, `Message ${id}`);
    if (message.user_id === null) throw refusal();
  },
};

/** The databases differ in how they show truth. */
const whether = (condition: RawBuilder<SqlBool>) => sql<0 | 1>`case when ${condition} then 1 else 0 end`;

const refusal = () => new ServiceError("forbidden", "You may not read what this file belongs to.");

function requireThere<T extends { deleted_at: number | null }>(row: T | undefined, what: string): asserts row is T {
  if (row === undefined || row.deleted_at !== null) throw new ServiceError("gone", `${what} was deleted.`);
}
