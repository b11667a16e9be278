import { type Kysely, type RawBuilder, sql } from "kysely";
import { rowsAs } from "./bulk.ts";
import { isPostgres } from "./dialect.ts";
import { runText, runTextLater } from "./prepared.ts";
import type { Schema } from "./schema/schema.ts";

/** Index entries contain the conversation, so a search reads only entries of its conversation, however many others exist. */
const within = (conversation: number, word: string) => `${conversation}_${word}`;

/**
 * Index entry on PostgreSQL. Its index is not ordered, so entries also contain a range of positions (stretch): a search
 * reads one stretch after the other until it has enough results.
 */
const withinStretch = (conversation: number, stretch: number, word: string) => `${conversation}.${stretch}_${word}`;
/** Positions in a stretch. The migration that introduced stretches uses the same number. */
const stretchLength = 4096;
const stretchOf = (position: number) => Math.floor(position / stretchLength);
/** Stretches in the first query, and in any query at most. */
const fewStretches = 4;
const mostStretches = 256;

/** A message whose words are indexed. */
interface Indexed {
  readonly id: number;
  readonly conversation_id: number;
  readonly position: number;
}

/**
 * Adds a message to the index under `words`, which consist of letters and digits. The message must not be in the index yet.
 * The entry may appear only with the commit.
 */
export async function indexWords(db: Kysely<Schema>, message: Indexed, words: readonly string[]): Promise<void> {
  if (words.length > 0) await runTextLater(db, ...insertion(db, message, words));
}

function insertion(
  db: Kysely<Schema>,
  { id, conversation_id, position }: Indexed,
  words: readonly string[],
): [text: string, parameters: unknown[]] {
  if (!isPostgres(db)) {
    const entries = words.map((word) => within(conversation_id, word));
    return ["insert into message_words (rowid, words) values (?, ?)", [id, entries.join(" ")]];
  }
  const entries = words.map((word) => withinStretch(conversation_id, stretchOf(position), word));
  const text = "insert into message_words (message_id, position, words) values ($1, $2, array_to_tsvector($3::text[]))";
  return [text, [id, position, entries]];
}

/** Adds many messages to the index, as `indexWords` does, but at once, because their words may need much memory. */
export async function indexMessages(
  db: Kysely<Schema>,
  entries: readonly { readonly message: Indexed; readonly words: readonly string[] }[],
): Promise<void> {
  const filled = entries.filter(({ words }) => words.length > 0);
  if (!isPostgres(db)) {
    for (const { message, words } of filled) await runText(db, ...insertion(db, message, words));
    return;
  }
  const rows = filled.map(({ message: { id, conversation_id, position }, words }) => ({
    id,
    position,
    words: words.map((word) => withinStretch(conversation_id, stretchOf(position), word)).join(" "),
  }));
  await sql`insert into message_words (message_id, position, words)
    select id, position, array_to_tsvector(string_to_array(words, ' '))
    from ${rowsAs(db, "entry", { id: "bigint", position: "bigint", words: "text" }, rows)}`.execute(db);
}

/** Removes a message from the index, at the latest with the commit. */
export async function unindexWords(db: Kysely<Schema>, id: number): Promise<void> {
  const [column, value] = isPostgres(db) ? ["message_id", "$1"] : ["rowid", "?"];
  await runTextLater(db, `delete from message_words where ${column} = ${value}`, [id]);
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

/** Returns the IDs of messages with all the words, in the order of their positions. */
export async function messagesWithWords(db: Kysely<Schema>, search: Search): Promise<number[]> {
  if (isPostgres(db)) return stretchByStretch(db, search);
  const { rows } = await inFts5(search).execute(db);
  return rows.map((row) => row.id);
}

/** Queries more stretches with each step, from the end at which the search begins. */
async function stretchByStretch(db: Kysely<Schema>, search: Search): Promise<number[]> {
  const { after, before, newestFirst, limit } = search;
  const [first, last] = [stretchOf(after + 1), stretchOf(before - 1)];
  const found: number[] = [];
  for (let done = 0, size = fewStretches; first + done <= last && found.length < limit; done += size, size *= 4) {
    size = Math.min(size, mostStretches, last - first + 1 - done);
    const stretches = Array.from({ length: size }, (_, at) => (newestFirst ? last - done - at : first + done + at));
    const { rows } = await inTsvector({ ...search, limit: limit - found.length }, stretches).execute(db);
    for (const row of rows) found.push(row.id);
  }
  return found;
}

/**
 * Joins stretch by stretch: for all of them at once the planner expects so many rows that it would start parallel workers.
 */
function inTsvector(
  { conversation, words, after, before, newestFirst, limit }: Search,
  stretches: readonly number[],
): RawBuilder<{ id: number }> {
  const queries = stretches.map((stretch) => {
    const terms = words.map((word) => `'${withinStretch(conversation, stretch, word)}'`);
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

/** Reads rows in the order of IDs, which is the order of positions because SQLite has one writer, and stops at the limit. */
function inFts5({ conversation, words, after, before, newestFirst, limit }: Search): RawBuilder<{ id: number }> {
  const query = words.map((word, at) => `"${within(conversation, word)}"${at === words.length - 1 ? "*" : ""}`);
  const idAt = (position: number, otherwise: number) =>
    sql`coalesce((select id from messages where conversation_id = ${conversation} and position = ${position}), ${otherwise})`;
  return sql<{ id: number }>`
    select rowid as id from message_words
    where message_words match ${query.join(" AND ")}
      and rowid > ${idAt(after, 0)} and rowid < ${idAt(before, Number.MAX_SAFE_INTEGER)}
    order by rowid ${direction(newestFirst)} limit ${limit}`;
}

const direction = (newestFirst: boolean) => sql.raw(newestFirst ? "desc" : "asc");
