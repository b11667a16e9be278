import { type RawBuilder, type SqlBool, sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { lastId } from "../../store/bulk.ts";
import { presentAuthors } from "../directory/present-authors.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { type AskedPage, decodeCursor, makeCursorPage, type Position } from "../pipeline/cursor.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import { findEditable, type PostRow } from "./find-post.ts";
import { rangeLength, readersIn } from "./recount-post.ts";
import { requireInvitation } from "./stored-event.ts";

type Condition = RawBuilder<SqlBool>;

const withStatus: Record<NonNullable<InputOf<typeof contract.readers>["status"]>, Condition> = {
  confirmed: sql`m.read_at is not null`,
  unconfirmed: sql`m.read_at is null`,
  seen: sql`m.seen_at is not null`,
  unseen: sql`m.seen_at is null`,
};

const withAnswer: Record<NonNullable<InputOf<typeof contract.participants>["answer"]>, Condition> = {
  accepted: sql`m.answer = 'accepted'`,
  rejected: sql`m.answer = 'rejected'`,
  none: sql`m.answer is null`,
};

export const readerListHandlers = {
  async readers(ctx, { id, status, limit, cursor }) {
    const post = await findWithReaders(ctx, id, "list the readers of");
    const condition = status && withStatus[status];
    const list = `readers ${id} ${status}`;
    const { rows, meta } = await readReaders(ctx, post, condition, { list, limit, cursor });
    return { data: rows.map(({ user, seen_at, read_at }) => ({ user, seen_at, read_at })), meta };
  },

  async participants(ctx, { id, answer, limit, cursor }) {
    const post = await findWithReaders(ctx, id, "list the answers to");
    requireInvitation(post);
    const condition = answer && withAnswer[answer];
    const list = `participants ${id} ${answer}`;
    const { rows, meta } = await readReaders(ctx, post, condition, { list, limit, cursor });
    return { data: rows.map(({ user, answer }) => ({ user, answer })), meta };
  },
} satisfies Partial<Handlers<typeof contract>>;

/** Returns a post. Throws like `findEditable`, and `forbidden` when its readers are members of a group that is hidden from the actor. */
async function findWithReaders(ctx: Ctx, id: number, action: string): Promise<PostRow> {
  const post = await findEditable(ctx, id, action);
  if (post.group_id === null || post.group_name !== null) return post;
  throw new ServiceError("forbidden", `Only members of its private group can ${action} post ${id}.`);
}

/** Reads a page of the readers of a post, sorted by ID, with their marks `m`. */
async function readReaders(ctx: Ctx, post: PostRow, condition: Condition | undefined, { list, ...page }: AskedPage) {
  const { limit, cursor } = page;
  const position = decodeCursor<[number]>(ctx, list, cursor);
  const found = await findReaders(ctx, post, condition, { position, limit: limit + 1 });
  const { rows, meta } = makeCursorPage(ctx, list, found, { limit, position, keyOf: ({ id }) => [id] });
  const user = await presentAuthors(
    ctx,
    rows.map(({ id }) => id),
  );
  return { rows: rows.map((row) => ({ ...row, user: user(row.id) })), meta };
}

/** A reader of a post with its marks. */
type Reading = { readonly id: number } & Pick<PostRow, "seen_at" | "read_at" | "answer">;

interface Search {
  readonly position: Position<[number]> | undefined;
  readonly limit: number;
}

/** Looks for readers in ranges of IDs until there are enough. The first range suffices when most users are readers. */
async function findReaders({ db }: Ctx, post: PostRow, condition: Condition | undefined, { position, limit }: Search) {
  const { id, audience_id } = post;
  const [key = 0] = position?.key ?? [];
  const back = position?.direction === "before";
  const end = back ? 0 : await lastId(db, "users");
  const found: Reading[] = [];
  let at = back ? key - 1 : key;
  let length = 2 * limit;
  while (found.length < limit && (back ? at > end : at < end)) {
    const next = back ? at - length : at + length;
    const range = { from: Math.min(at, next), to: Math.max(at, next) };
    const query = db
      .selectFrom(sql<{ id: number }>`(${readersIn(audience_id, range)})`.as("r"))
      .leftJoin("post_marks as m", (join) => join.onRef("m.user_id", "=", "r.id").on("m.post_id", "=", id))
      .select(["r.id", "m.seen_at", "m.read_at", "m.answer"])
      .orderBy("r.id", back ? "desc" : "asc")
      .limit(limit - found.length);
    found.push(...(await (condition ? query.where(condition) : query).execute()));
    at = next;
    length = Math.min(4 * length, rangeLength);
    await takeTurn();
  }
  return found;
}
