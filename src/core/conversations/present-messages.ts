import type { z } from "zod";
import type { message as contract, serviceEvents } from "../../contract/conversation-schemas.ts";
import type { File } from "../../contract/file-schemas.ts";
import { prepared } from "../../store/prepared.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { presentMessageFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { onlyItem } from "../pipeline/only-item.ts";
import { loadPeople, type ParticipantRow, type People, participantsAmong } from "./present-participants.ts";

export type Message = z.infer<ReturnType<typeof contract>>;
export type MessageRow = RowOf<"messages">;

export interface ServiceMeta {
  readonly event: (typeof serviceEvents)[number];
  readonly users: readonly number[];
  readonly title: string | null;
}

export const messagesById = prepared((db, p: { ids: number[] }) =>
  db.selectFrom("messages").selectAll().where("id", "in", p.ids),
);

const reactionsTo = prepared((db, p: { ids: number[] }) =>
  db
    .selectFrom("message_reactions")
    .selectAll()
    .where("message_id", "in", p.ids)
    .orderBy("created_at")
    .orderBy("user_id")
    .orderBy("emoji"),
);

/** Returns messages of one conversation for a participant who deleted it up to `cleared_position`. */
export async function presentMessages(
  ctx: Ctx,
  { id, cleared_position }: { id: number; cleared_position: number },
  rows: readonly MessageRow[],
): Promise<Message[]> {
  if (rows.length === 0) return [];
  const parents = await parentsOf(ctx, rows, cleared_position);
  const all = [...rows, ...parents.values()];
  const [parts, authors] = await Promise.all([
    loadMessageParts(ctx, all),
    participantsAmong(ctx.db, { conversation: id, users: [...new Set(all.map((row) => row.author_id))] }),
  ]);
  const byUser = new Map(authors.map((author) => [author.user_id, author]));
  const present = (row: MessageRow) => presentMessage(row, parts, byUser.get(row.author_id));
  return rows.map((row) => {
    const parent = parents.get(row.parent_id ?? 0);
    return { ...present(row), parent: parent ? { ...present(parent), parent: null } : null };
  });
}

export async function presentOneMessage(
  ctx: Ctx,
  conversation: { id: number; cleared_position: number },
  row: MessageRow,
): Promise<Message> {
  return onlyItem(await presentMessages(ctx, conversation, [row]));
}

async function parentsOf(ctx: Ctx, rows: readonly MessageRow[], cleared: number): Promise<Map<number, MessageRow>> {
  const ids = new Set(rows.flatMap((row) => row.parent_id ?? []));
  if (ids.size === 0) return new Map();
  const parents = await messagesById(ctx.db, { ids: [...ids] });
  return new Map(parents.filter((row) => row.position > cleared).map((row) => [row.id, row]));
}

interface MessageParts {
  readonly people: People;
  readonly reactions: ReadonlyMap<number, Awaited<ReturnType<typeof reactionsTo>>>;
  readonly files: ReadonlyMap<number, File[]>;
}

/** Loads the data that messages refer to, and the people in `users`, with a constant number of queries. */
export async function loadMessageParts(
  ctx: Ctx,
  rows: readonly MessageRow[],
  users: readonly number[] = [],
): Promise<MessageParts> {
  const ids = rows.filter((row) => row.type === "normal" && row.deleted_at === null).map((row) => row.id);
  const [reactions, files] = await Promise.all([
    ids.length === 0 ? [] : reactionsTo(ctx.db, { ids }),
    presentMessageFiles(ctx, ids),
  ]);
  const shown = [...users, ...reactions.map((reaction) => reaction.user_id)];
  for (const row of rows) shown.push(row.author_id, ...(metaOf(row)?.users ?? []));
  return {
    people: await loadPeople(ctx, shown),
    reactions: Map.groupBy(reactions, (reaction) => reaction.message_id),
    files,
  };
}

/** Returns the API's representation of a message without its parent. */
export function presentMessage(
  row: MessageRow,
  { people, reactions, files }: MessageParts,
  author: ParticipantRow | undefined,
) {
  const meta = metaOf(row);
  const person = (id: number) => ({ id, name: people.name(id) });
  return {
    id: row.id,
    type: row.type,
    conversationId: row.conversation_id,
    is_reply: row.parent_id !== null,
    deleted: row.deleted_at !== null,
    message: row.message,
    date: row.created_at,
    edited_at: row.edited_at,
    reactions: (reactions.get(row.id) ?? []).map(({ emoji, user_id, created_at }) => {
      return { emoji, user: person(user_id), created_at };
    }),
    author: people.participant(row.author_id, author),
    files: files.get(row.id) ?? [],
    voice: null,
    meta: meta && { ...meta, users: meta.users.map(person) },
  };
}

function metaOf({ meta }: MessageRow): ServiceMeta | null {
  return meta === null ? null : JSON.parse(meta);
}
