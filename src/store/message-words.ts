import { setImmediate as nextTurn } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { rowsAs } from "./bulk.ts";
import type { Db } from "./database.ts";
import { isPostgres } from "./dialect.ts";
import { runText, runTextLater } from "./prepared.ts";
import type { RowOf } from "./schema/schema.ts";

/**
 * Index entries contain the conversation and a range of positions in it (stretch), so a search reads only entries of its
 * conversation, one stretch after the other until it has enough results. Without stretches the index of PostgreSQL, which is
 * not ordered, would give all results, and FTS5 would read all entries that begin with the last word before it gave the first.
 */
const entry = (conversation: number, stretch: number, word: string) => `${conversation}_${stretch}_${word}`;

const stretchLength = 4096;
const stretchOf = (position: number) => Math.floor(position / stretchLength);

const entriesOf = ({ conversation_id, position }: Indexed, words: readonly string[]) =>
  words.map((word) => entry(conversation_id, stretchOf(position), word));

type Indexed = RowOf<"messages", "id" | "conversation_id" | "position">;

/** Adds a new message under `words` of letters and digits to the index, at the latest with the commit. */
export async function indexWords(db: Db, message: Indexed, words: readonly string[]): Promise<void> {
  if (words.length > 0) await runTextLater(db, ...insertion(db, message, words));
}

function insertion(db: Db, message: Indexed, words: readonly string[]): [text: string, parameters: unknown[]] {
  const { id, position } = message;
  const entries = entriesOf(message, words);
  if (!isPostgres(db)) return ["insert into message_words (rowid, words) values (?, ?)", [id, entries.join(" ")]];
  const text = "insert into message_words (message_id, position, words) values ($1, $2, array_to_tsvector($3::text[]))";
  return [text, [id, position, entries]];
}

/** Adds many messages to the index, as `indexWords` does, but at once, because their words may need much memory. */
export async function indexMessages(
  db: Db,
  entries: readonly { readonly message: Indexed; readonly words: readonly string[] }[],
): Promise<void> {
  const filled = entries.filter(({ words }) => words.length > 0);
  if (!isPostgres(db)) {
    for (const { message, words } of filled) await runText(db, ...insertion(db, message, words));
    return;
  }
  const rows = filled.map(({ message, words }) => {
    return { id: message.id, position: message.position, words: entriesOf(message, words).join(" ") };
  });
  await sql`insert into message_words (message_id, position, words)
    select id, position, array_to_tsvector(string_to_array(words, ' '))
    from ${rowsAs(db, "entry", { id: "bigint", position: "bigint", words: "text" }, rows)}`.execute(db);
}

/** Removes a message from the index, at the latest with the commit. */
export async function unindexWords(db: Db, id: number): Promise<void> {
  const condition = isPostgres(db) ? "message_id = $1" : "rowid = ?";
  await runTextLater(db, `delete from message_words where ${condition}`, [id]);
}

interface Search {
  readonly conversation: number;
  /** All words must occur; the last one may be the beginning of a word. Not empty. */
  readonly words: readonly string[];
  /** Range of positions, both exclusive. `before` must be close to the last position, because its distance costs time. */
  readonly after: number;
  readonly before: number;
  readonly newestFirst: boolean;
  readonly limit: number;
}

/** Numbers of stretches in the first statement, and at most. FTS5 reads all entries with the last word first, up to 8 ms for a stretch. */
const stretchesAtOnce = { sqlite: { first: 1, max: 4 }, postgres: { first: 4, max: 256 } };

/** Returns the IDs of messages with all the words, in the order of their positions. Other requests can run between its statements. */
export async function messagesWithWords(db: Db, search: Search): Promise<number[]> {
  const { after, before, newestFirst, limit } = search;
  const { sizes, find } = isPostgres(db)
    ? { sizes: stretchesAtOnce.postgres, find: inTsvector }
    : { sizes: stretchesAtOnce.sqlite, find: inFts5 };
  const first = stretchOf(after + 1);
  const last = stretchOf(before - 1);
  const count = last - first + 1;
  const found: number[] = [];
  let done = 0;
  let size = sizes.first;
  while (done < count && found.length < limit) {
    if (done > 0) await nextTurn();
    const stretches = Array.from({ length: Math.min(size, count - done) }, (_, at) =>
      newestFirst ? last - done - at : first + done + at,
    );
    const { rows } = await find({ ...search, limit: limit - found.length }, stretches).execute(db);
    for (const row of rows) found.push(row.id);
    done += stretches.length;
    size = Math.min(size * 4, sizes.max);
  }
  return found;
}

/** Joins stretch by stretch: for all at once the planner would start parallel workers. */
function inTsvector(
  { conversation, words, after, before, newestFirst, limit }: Search,
  stretches: readonly number[],
): RawBuilder<{ id: number }> {
  const queries = stretches.map((stretch) => {
    const terms = words.map((word) => `'${entry(conversation, stretch, word)}'`);
    return `${terms.join(" & ")}:*`;
  });
  const order = direction(newestFirst);
  return sql<{ id: number }>`
    select found.id from unnest(${queries}::text[]) as stretch(query) cross join lateral (
      select message_id as id, position from message_words
      where words @@ stretch.query::tsquery and position > ${after} and position < ${before}
      order by position ${order} limit ${limit}) as found
    order by found.position ${order} limit ${limit}`;
}

/** Reads rows by ID, which is by position, up to the limit. Looks first whether the other words occur: only the last one takes long. */
function inFts5(
  { conversation, words, after, before, newestFirst, limit }: Search,
  stretches: readonly number[],
): RawBuilder<{ id: number }> {
  const queryOf = (some: readonly string[], end: "" | "*") => {
    const inStretch = (stretch: number) => some.map((word) => `"${entry(conversation, stretch, word)}"`).join(" AND ");
    return stretches.map((stretch) => `(${inStretch(stretch)}${end})`).join(" OR ");
  };
  const others = words.slice(0, -1);
  const occurring =
    others.length === 0
      ? sql``
      : sql`(select 1 from message_words where message_words match ${queryOf(others, "")} limit 1) cross join`;
  const idAt = (position: number, otherwise: number) =>
    sql`coalesce((select id from messages where conversation_id = ${conversation} and position = ${position}), ${otherwise})`;
  return sql<{ id: number }>`
    select rowid as id from ${occurring} message_words
    where message_words match ${queryOf(words, "*")}
      and rowid > ${idAt(after, 0)} and rowid < ${idAt(before, Number.MAX_SAFE_INTEGER)}
    order by rowid ${direction(newestFirst)} limit ${limit}`;
}

const direction = (newestFirst: boolean) => sql.raw(newestFirst ? "desc" : "asc");
