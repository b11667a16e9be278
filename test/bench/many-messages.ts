import { type RawBuilder, sql } from "kysely";
import { peopleKey } from "../../src/core/conversations/recipients.ts";
import { wordKinds } from "../../src/core/directory/user-words.ts";
import { insertRows } from "../../src/store/bulk.ts";
import type { Database, Db } from "../../src/store/database.ts";
import { isPostgres } from "../../src/store/dialect.ts";
import { openNewInstance } from "../support/new-instance.ts";

/** Messages in each direct conversation, conversations of each user, words of each message. */
const perConversation = 100;
const perUser = 20;
const wordsEach = 12;
const vocabulary = 5000;
const portion = 50_000;

/** Which part of all messages stands in one large conversation, that of users 1 and 2. */
const share = 5;

export interface Filled {
  readonly database: Database;
  readonly users: number;
  readonly conversations: number;
  /** A user in one of the small ones. */
  userOf(conversation: number): number;
  /** The one with a fifth of all messages, its first message, and how many it has; of users 1 and 2. */
  readonly large: number;
  readonly largeFirst: number;
  readonly largeCount: number;
}

/**
 * A database with so many messages: a fifth of them in one conversation, the others in conversations of 100 of users with 20
 * each. Rows go straight into the tables.
 */
export async function fillMessages(target: string, messages: number): Promise<Filled> {
  const database = await openNewInstance(target);
  const conversations = (messages - messages / share) / perConversation;
  const users = (conversations * 2) / perUser;
  await database.writeLocking(async (db) => {
    await addUsers(db, users);
    await addConversations(db, conversations, users);
  });
  const small = conversations * perConversation;
  const large = conversations + 1;
  await addMessages(database, 1, small, inTurn);
  await addMessages(database, small + 1, messages, inOne(large, small));
  await database.writeLocking((db) => settle(db, large, messages));
  // As the database would do by itself in time.
  if (isPostgres(database.reader)) await sql`vacuum analyze`.execute(database.reader);
  const userOf = (conversation: number) => pairOf(conversation, users)[0];
  return { database, users, conversations, userOf, large, largeFirst: small + 1, largeCount: messages / share };
}

const person = (n: number) => ({ id: n + 1, first_name: `Given${n % 97}`, last_name: `Family${n}` });

async function addUsers(db: Db, count: number): Promise<void> {
  const people = Array.from({ length: count }, (_, n) => ({
    ...person(n + 1),
    unit_id: 1,
    created_at: 1,
    updated_at: 1,
  }));
  await insertRows(db, "users", people);
  const words = people.flatMap(({ id, first_name, last_name }) =>
    [first_name, last_name].map((name) => ({ word: name.toLowerCase(), user_id: id, kind: wordKinds.name })),
  );
  await insertRows(db, "user_words", words);
}

/** The two in conversation `n`: users beside each other, then those two apart, and so on, counted around. */
function pairOf(n: number, users: number): [number, number] {
  return [2 + (n % users), 2 + ((n + 1 + Math.floor(n / users)) % users)];
}

async function addConversations(db: Db, count: number, users: number): Promise<void> {
  const pair = (n: number) => (n > count ? [1, 2] : pairOf(n, users));
  const numbers = Array.from({ length: count + 1 }, (_, n) => n + 1);
  await insertRows(
    db,
    "conversations",
    numbers.map((id) => ({ id, type: "direct", people_key: peopleKey(pair(id)), created_at: 1, updated_at: 1 })),
  );
  const standing = { joined_position: 0, seen_position: 0 };
  await insertRows(
    db,
    "conversation_participants",
    numbers.flatMap((id) => pair(id).map((user_id) => ({ conversation_id: id, user_id, ...standing }))),
  );
}

/** Where message `n` stands. */
interface Place {
  readonly conversation: RawBuilder<number>;
  readonly position: RawBuilder<number>;
}
const inTurn: Place = {
  conversation: sql`((n - 1) / ${sql.lit(perConversation)} + 1)`,
  position: sql`((n - 1) % ${sql.lit(perConversation)} + 1)`,
};
const inOne = (conversation: number, before: number): Place => ({
  conversation: sql`${sql.lit(conversation)}`,
  position: sql`(n - ${sql.lit(before)})`,
});

async function addMessages(database: Database, from: number, to: number, place: Place): Promise<void> {
  for (let first = from; first <= to; first += portion) {
    await database.writeLocking((db) => addPortion(db, first, Math.min(first + portion - 1, to), place));
  }
}

async function addPortion(db: Db, first: number, last: number, { conversation, position }: Place): Promise<void> {
  const postgres = isPostgres(db);
  // Literals, because node:sqlite binds numbers as reals, whose division is another.
  const [from, to] = [sql.lit(first), sql.lit(last)];
  const numbers = postgres
    ? sql`(select n from generate_series(${from}::bigint, ${to}::bigint) as n) as numbers`
    : sql`(with recursive r(n) as (select ${from} union all select n + 1 from r where n < ${to}) select n from r) as numbers`;
  const words = Array.from(
    { length: wordsEach },
    (_, k) => sql`'w' || ((n * ${sql.lit(k * 31 + 7)} + n / ${sql.lit(k + 3)}) % ${sql.lit(vocabulary)})`,
  );
  const text = sql.join(words, sql` || ' ' || `);
  await sql`insert into messages (id, conversation_id, position, type, author_id, message, created_at)
    select n, ${conversation}, ${position}, 'normal', 1, ${text}, n from ${numbers}`.execute(db);
  const terms = words.map((word) => sql`${conversation} || '_' || (${position} / 4096) || '_' || ${word}`);
  await (postgres
    ? sql`insert into message_words (message_id, position, words)
        select n, ${position}, array_to_tsvector(array[${sql.join(terms)}]) from ${numbers}`
    : sql`insert into message_words (rowid, words)
        select n, ${sql.join(terms, sql` || ' ' || `)} from ${numbers}`
  ).execute(db);
}

/** Everybody has seen all but the last message of each of their conversations. */
async function settle(db: Db, large: number, messages: number): Promise<void> {
  const [last, all] = [sql.lit(perConversation), sql.lit(messages / share)];
  await sql`update conversations set last_position = case when id = ${sql.lit(large)} then ${all} else ${last} end`.execute(
    db,
  );
  await sql`update conversation_participants set unread_count = 1, seen_position = ${last} - 1,
    latest_message_id = conversation_id * ${last} where conversation_id <> ${sql.lit(large)}`.execute(db);
  await sql`update conversation_participants set latest_message_id = ${sql.lit(messages)}, seen_position = ${all}
    where conversation_id = ${sql.lit(large)}`.execute(db);
}
