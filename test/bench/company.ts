import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { auth } from "../../src/contract/auth.ts";
import { peopleKey } from "../../src/core/conversations/recipients.ts";
import { spanOf } from "../../src/core/events/event-times.ts";
import { earliestTime } from "../../src/core/events/index-event.ts";
import { createService } from "../../src/core/service.ts";
import { placeInFeed } from "../../src/core/visibility/feed-index.ts";
import { insertRows } from "../../src/store/bulk.ts";
import type { Database, Db } from "../../src/store/database.ts";
import { isPostgres } from "../../src/store/dialect.ts";
import { openNewInstance } from "../support/new-instance.ts";

const day = 86_400;
export const size = { units: 5_376, users: 100_000, posts: 20_000, events: 20_000 } as const;
/** Users 2 and following belong to the root unit and may edit news and events there; the benchmarks ask as these. */
const editors = 50;
const talksEach = 60;
const messagesEach = 5;
const datesEach = 4;
const typeCount = 6;
const childrenEach = 5;

/** Returns a number below `below` that looks random and is the same for the same `id` and `salt`. */
export const drawn = (id: number, salt: number, below: number) =>
  (Math.imul(id * 31 + salt, 2_654_435_761) >>> 8) % below;

type Row = Record<string, string | number | null>;

/** Returns the path of a SQLite file with the company; creates it once for all runs on this machine. */
export async function companyFile(): Promise<string> {
  const folder = join(tmpdir(), "wcs-bench-company");
  const file = join(folder, `${versionOfCompany()}.db`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const draft = `${file}.${process.pid}`;
  await fillCompany(draft);
  renameSync(draft, file);
  for (const end of ["-wal", "-shm"]) rmSync(draft + end, { force: true });
  return file;
}

/** Returns a hash of what makes the company: this file and the schema. */
function versionOfCompany(): string {
  const schema = join(import.meta.dirname, "../../src/store/migrations");
  const files = readdirSync(schema, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => join(schema, name));
  const hash = createHash("sha256");
  for (const file of [import.meta.filename, ...files]) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}

/** Creates an instance with 100,000 users, and rows of everything that the benchmarks read. */
export async function fillCompany(target: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const database = await openNewInstance(target, now);
  await database.writeLocking(async (db) => {
    await addUnits(db, now);
    await addUsers(db, now);
    await addPosts(db, now);
    await addEvents(db, now);
    await addConversations(db, now);
    if (isPostgres(db)) await moveSequences(db);
  });
  if (isPostgres(database.reader)) await sql`vacuum analyze`.execute(database.reader);
  await database.close();
}

/** Returns tokens of the editors. */
export async function editorTokens(database: Database): Promise<string[]> {
  const service = createService({ database });
  const tokens: string[] = [];
  for (let userId = 2; userId < 2 + editors; userId += 1) {
    const [{ jwt }] = await service.caller({ userId }).call(auth.renew, {});
    tokens.push(jwt);
  }
  return tokens;
}

async function insertAll(db: Db, table: Parameters<typeof insertRows>[1], count: number, row: (n: number) => Row[]) {
  const portion = 10_000;
  for (let from = 1; from <= count; from += portion) {
    const numbers = Array.from({ length: Math.min(portion, count - from + 1) }, (_, at) => from + at);
    await insertRows(db, table, numbers.flatMap(row));
  }
}

/** The root has ID 1; every unit has up to `childrenEach` children. */
const parentOf = (unit: number) => Math.floor((unit - 2) / childrenEach) + 1;
const pathOf = (unit: number): string => (unit === 1 ? "/1/" : `${pathOf(parentOf(unit))}${unit}/`);

async function addUnits(db: Db, now: number): Promise<void> {
  const children = new Map<number, number>();
  const descendants = new Map<number, number>();
  for (let id = size.units; id > 1; id -= 1) {
    const parent = parentOf(id);
    children.set(parent, (children.get(parent) ?? 0) + 1);
    descendants.set(parent, (descendants.get(parent) ?? 0) + (descendants.get(id) ?? 0) + 1);
  }
  const counts = (id: number) => ({ child_count: children.get(id) ?? 0, descendant_count: descendants.get(id) ?? 0 });
  await insertAll(db, "units", size.units, (id) => {
    if (id === 1) return [];
    const path = pathOf(id);
    const names = { reference: `U${id}`, name: `Unit ${id}`, name_key: `unit ${id}` };
    const place = { parent_id: parentOf(id), path, level: path.split("/").length - 3 };
    return [{ id, ...names, ...place, ...counts(id), created_at: now, updated_at: now }];
  });
  await db.updateTable("units").set(counts(1)).where("id", "=", 1).execute();
}

const lastUser = size.users + 1;
const isEditor = (id: number) => id < 2 + editors;
const unitOf = (id: number) => (isEditor(id) ? 1 : 1 + drawn(id, 1, size.units));

async function addUsers(db: Db, now: number): Promise<void> {
  const abilities = (id: number) => (id === 1 ? '["news","calendar","user"]' : "[]");
  await insertAll(db, "user_types", typeCount, (id) => [
    { id, name: `Type ${id}`, name_key: `type ${id}`, abilities: abilities(id) },
  ]);
  const all = (row: (id: number) => Row[]) => (n: number) => row(n + 1);
  await insertAll(
    db,
    "users",
    size.users,
    all((id) => {
      const email = `person${id}@example.com`;
      const names = { first_name: `Given${id % 97}`, last_name: `Family${id}`, title: `Engineer ${id % 13}` };
      const name_key = `given${id % 97} family${id}`;
      const contact = { email, email_key: email, reference: `P${id}`, phone: `+47 ${id}` };
      const birthday = { birthday: "1980-05-17", birthday_key: 517 };
      return [
        { id, ...names, name_key, ...contact, ...birthday, unit_id: unitOf(id), created_at: now, updated_at: now },
      ];
    }),
  );
  // The bootstrap used the ID 1.
  await insertAll(
    db,
    "memberships",
    size.users,
    all((id) => {
      const first = { id: id * 2, user_id: id, unit_id: unitOf(id) };
      const other = 1 + drawn(id, 2, size.units);
      return id % 10 === 0 && other !== first.unit_id
        ? [first, { id: id * 2 + 1, user_id: id, unit_id: other }]
        : [first];
    }),
  );
  await insertAll(
    db,
    "membership_user_types",
    size.users,
    all((id) => {
      if (isEditor(id)) return [{ membership_id: id * 2, user_type_id: 1 }];
      return id % 2 === 0 ? [] : [{ membership_id: id * 2, user_type_id: 2 + drawn(id, 3, typeCount - 1) }];
    }),
  );
  await insertAll(
    db,
    "user_words",
    size.users,
    all((id) => [
      { kind: 0, word: `given${id % 97}`, user_id: id },
      { kind: 0, word: `family${id}`, user_id: id },
      { kind: 1, word: "engineer", user_id: id },
      { kind: 1, word: `${id % 13}`, user_id: id },
      { kind: 2, word: `person${id}`, user_id: id },
      { kind: 2, word: "example", user_id: id },
      { kind: 2, word: "com", user_id: id },
    ]),
  );
  await sql`update units set user_count = (select count(*) from memberships m where m.unit_id = units.id)`.execute(db);
}

/** Posts and events share the table of audiences, in this order. */
const audienceOfEvent = (id: number) => size.posts + id;

const audience = (id: number, seed: number) => {
  const unit = 1 + drawn(seed, 4, size.units);
  return {
    id,
    author_id: 2 + drawn(seed, 5, size.users),
    owner_unit_id: unit,
    everywhere: drawn(seed, 6, 10) < 3 ? 1 : 0,
  };
};
const isDown = (seed: number) => drawn(seed, 7, 10) < 7;

async function addAudiences(db: Db, count: number, idOf: (n: number) => number): Promise<void> {
  await insertAll(db, "audiences", count, (n) => [audience(idOf(n), n)]);
  await insertAll(db, "audience_units", count, (n) => {
    const { id, everywhere, owner_unit_id } = audience(idOf(n), n);
    return everywhere === 1 ? [] : [{ audience_id: id, unit_id: owner_unit_id, falldown: isDown(n) ? 1 : 0 }];
  });
}

function placesOf(id: number, seed: number): string[] {
  const { author_id, owner_unit_id, everywhere } = audience(id, seed);
  const unit = isDown(seed) ? placeInFeed.branch(owner_unit_id) : placeInFeed.unit(owner_unit_id);
  return [
    placeInFeed.author(author_id),
    placeInFeed.owner(owner_unit_id),
    everywhere === 1 ? placeInFeed.everywhere : unit,
  ];
}

async function addPosts(db: Db, now: number): Promise<void> {
  await addAudiences(db, size.posts, (id) => id);
  const time = (id: number) => now - (size.posts - id) * 60;
  const hasComment = (id: number) => id % 5 === 0;
  await insertAll(db, "posts", size.posts, (id) => [
    {
      id,
      audience_id: id,
      content_type: id % 5 === 1 ? "debate" : "news",
      title: `Post ${id}`,
      body: "Now with soup. ".repeat(20),
      important: id % 50 === 0 ? 1 : 0,
      comment_count: hasComment(id) ? 1 : 0,
      published_at: time(id),
      listed_at: time(id),
      created_at: time(id),
      updated_at: time(id),
    },
  ]);
  await insertAll(db, "post_places", size.posts, (id) =>
    placesOf(id, id).map((place) => ({ place, post_id: id, listed_at: time(id), updated_at: time(id) })),
  );
  await insertAll(db, "comments", size.posts, (id) =>
    hasComment(id) ? [{ post_id: id, author_id: 2 + (id % 1000), body: "Thanks.", created_at: time(id) }] : [],
  );
}

async function addEvents(db: Db, now: number): Promise<void> {
  await addAudiences(db, size.events, audienceOfEvent);
  const start = (id: number) => now - 180 * day + drawn(id, 8, 360 * 24) * 3600;
  const dates = (id: number) => Array.from({ length: datesEach }, (_, at) => start(id) + at * 7 * day);
  const length = 3600;
  await insertAll(db, "events", size.events, (id) => [
    {
      id,
      audience_id: audienceOfEvent(id),
      type: isDown(id) ? "chain" : "unit",
      title: `Event ${id}`,
      body: "Bring your own cup. ".repeat(5),
      start_at: start(id),
      end_at: start(id) + length,
      last_at: dates(id).at(-1)! + length,
      timezone: "UTC",
      uid: `${id}@bench`,
      recurrence: JSON.stringify([{ freq: "weekly", count: datesEach }]),
      created_at: now,
      updated_at: now,
    },
  ]);
  await insertAll(db, "event_dates", size.events, (id) =>
    dates(id).map((at) => ({ event_id: id, start_at: at, end_at: at + length, span: spanOf(length) })),
  );
  await insertAll(db, "event_places", size.events, (id) =>
    // Events are never for everybody.
    [placeInFeed.common, ...placesOf(audienceOfEvent(id), id)].flatMap((place) =>
      (place === placeInFeed.everywhere ? [] : dates(id)).map((at, index) => ({
        place,
        event_id: id,
        start_at: at,
        end_at: at + length,
        span: spanOf(length),
        previous_at: dates(id)[index - 1] ?? earliestTime,
        limited: 0,
      })),
    ),
  );
}

/** Each editor talks with `talksEach` others. */
async function addConversations(db: Db, now: number): Promise<void> {
  const count = editors * talksEach;
  const pair = (n: number) => [2 + (n % editors), 2 + editors + n] as const;
  const last = (n: number) => n * messagesEach;
  await insertAll(db, "conversations", count, (id) => [
    {
      id,
      type: "direct",
      people_key: peopleKey(pair(id)),
      last_position: messagesEach,
      created_at: now,
      updated_at: now,
    },
  ]);
  await insertAll(db, "messages", count * messagesEach, (id) => {
    const conversation_id = Math.ceil(id / messagesEach);
    const position = ((id - 1) % messagesEach) + 1;
    const message = "The ship comes in at noon; please have the crane ready.";
    return [
      { id, conversation_id, position, type: "normal", author_id: pair(conversation_id)[1], message, created_at: now },
    ];
  });
  await insertAll(db, "conversation_participants", count, (id) =>
    pair(id).map((user_id) => ({
      conversation_id: id,
      user_id,
      joined_position: 0,
      seen_position: messagesEach - 1,
      unread_count: isEditor(user_id) ? 1 : 0,
      latest_message_id: last(id),
    })),
  );
}

/** PostgreSQL does not notice IDs that were given explicitly. */
async function moveSequences(db: Db): Promise<void> {
  const tables = "units users memberships user_types audiences posts events conversations messages".split(" ");
  for (const table of tables) {
    await sql
      .raw(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`)
      .execute(db);
  }
}

/** A user of the company that the benchmarks may change. */
export const anyUser = (n: number) => 2 + editors + drawn(n, 9, lastUser - editors - 2);
