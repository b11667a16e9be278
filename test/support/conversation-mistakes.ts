import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../../src/store/database.ts";
import { isPostgres } from "../../src/store/dialect.ts";

/** Returns the counts of conversations that differ from a recount. */
export async function conversationMistakes({ reader }: Database): Promise<string[]> {
  const found: string[] = [];
  const check = (what: string, kept: unknown, counted: unknown) => {
    if (kept !== counted) found.push(`${what} is ${kept}, not ${counted}`);
  };
  const conversations = await reader.selectFrom("conversations").selectAll().execute();
  const participants = await reader.selectFrom("conversation_participants").selectAll().execute();
  const messages = await reader.selectFrom("messages").selectAll().orderBy("position").execute();
  for (const { id, type, people_key, last_position } of conversations) {
    const inside = participants.filter((each) => each.conversation_id === id);
    const people = inside.map((each) => each.user_id).sort((a, b) => a - b);
    const own = messages.filter((message) => message.conversation_id === id);
    check(`conversation ${id}: people_key`, people_key, createHash("sha256").update(people.join()).digest("base64url"));
    check(`conversation ${id}: last_position`, last_position, own.length);
    const isGroup = type === "group" && inside.length > 0;
    if (isGroup && !inside.some((each) => each.role === "administrator")) found.push(`group ${id}: no administrator`);
    if (type === "direct") check(`direct conversation ${id}: number of people`, inside.length, 2);
    for (const [at, message] of own.entries()) check(`message ${message.id}: position`, message.position, at + 1);
    for (const each of inside) {
      const what = `conversation ${id}, user ${each.user_id}`;
      const unread = own.filter(
        ({ type: kind, author_id, deleted_at, position }) =>
          kind === "normal" && author_id !== each.user_id && deleted_at === null && position > each.seen_position,
      );
      check(`${what}: unread_count`, each.unread_count, unread.length);
      check(`${what}: what is cleared was seen`, each.cleared_position <= each.seen_position, true);
      const latest = own.at(-1);
      const shown = own.some(({ type: kind, position }) => kind === "normal" && position > each.cleared_position);
      if (shown) check(`${what}: latest_message_id`, each.latest_message_id, latest?.id);
    }
  }
  const gone = messages.filter((message) => message.deleted_at !== null).map((message) => message.id);
  for (const { message_id } of await reader.selectFrom("message_reactions").select("message_id").execute()) {
    if (gone.includes(message_id)) found.push(`message ${message_id}: deleted, with reactions`);
  }
  const files = await reader.selectFrom("files").select("owner_id").where("owner", "=", "message").execute();
  for (const { owner_id } of files) if (gone.includes(owner_id)) found.push(`message ${owner_id}: deleted, with files`);
  const indexed = await wordsIndexed(reader);
  const findable = messages.filter(
    ({ type, deleted_at, message }) => type === "normal" && deleted_at === null && /[\p{L}\p{N}]/u.test(message),
  );
  check(
    "messages indexed",
    indexed.join(),
    findable
      .map((message) => message.id)
      .sort((a, b) => a - b)
      .join(),
  );
  return found;
}

async function wordsIndexed(db: Database["reader"]): Promise<number[]> {
  const { rows } = await (isPostgres(db)
    ? sql<{ id: number }>`select message_id as id from message_words order by 1`
    : sql<{ id: number }>`select rowid as id from message_words order by 1`
  ).execute(db);
  return rows.map((row) => row.id);
}
