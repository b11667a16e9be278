import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { NamedKind } from "../../contract/field-metadata.ts";
import { maxMatches, type NameMatch } from "../../contract/names.ts";
import { truth } from "../../store/dialect.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { titleLookupKey, titleWordsKey } from "../directory/text-keys.ts";
import type { Ctx } from "../pipeline/context.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import { readable } from "../visibility/audience.ts";
import { eventReader } from "../visibility/event-visibility.ts";
import { postReader, visible } from "../visibility/post-visibility.ts";
import { findOnce, firstMatches, inEachRange, type KeyRange, keySteps, type Matched } from "./first-matches.ts";

/**
 * Entries of the title index that the first statement of a search looks at, and any at most: 8,192 take about 20 ms of CPU time, when no
 * other request can run on SQLite. There is no limit for all statements together, which would show how many titles are hidden.
 */
const slice = { first: 512, max: 8192 };

interface Titled {
  readonly id: number;
  readonly name: string;
  readonly title_key: string;
  /** Unix time that distinguishes equal titles. */
  readonly at: number;
}

export const findPostsByTitle = (ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> =>
  findContent(ctx, texts, { kind: "posts", at: "listed_at", visible: visible(ctx.db, postReader(ctx.actor), ctx.now) });

export const findEventsByTitle = (ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> =>
  findContent(ctx, texts, { kind: "events", at: "start_at", visible: readable(ctx.db, eventReader(ctx.actor)) });

interface Content {
  readonly kind: "posts" | "events";
  readonly at: "listed_at" | "start_at";
  /** Limits the rows `p` with the audiences `a` to those that the actor can read. */
  readonly visible: RawBuilder<SqlBool>;
}

function findContent(ctx: Ctx, texts: readonly string[], { kind, at, visible }: Content): Promise<NameMatch[]> {
  const content = sql<RowOf<"posts", "id" | "audience_id" | "title" | "title_key">>`${sql.table(kind)}`;
  const entries = (condition: RawBuilder<SqlBool>, length: number) =>
    ctx.db
      .selectFrom(content.as("c"))
      .select(["c.id", "c.title_key"])
      .where(sql<SqlBool>`c.deleted_at is null and ${condition}`)
      .orderBy("c.title_key")
      .orderBy("c.id")
      .limit(length);
  // SQLite searches the index by both columns only when one is equal; else it would read all equal titles again for each slice.
  const same = sql<SqlBool>`c.title_key = asked.low and c.id > asked.after`;
  const above = sql<SqlBool>`c.title_key > asked.low and c.title_key < asked.high`;
  const numbered = (length: number) =>
    ctx.db
      .selectFrom(
        ctx.db
          .selectFrom(entries(same, length).as("s"))
          .selectAll()
          .unionAll(ctx.db.selectFrom(entries(above, length).as("h")).selectAll())
          .as("e"),
      )
      .select(["e.id", sql<number>`row_number() over (order by e.title_key, e.id)`.as("place")])
      .orderBy("place")
      .limit(length);
  const findParts = findInSlices((ranges, length) => {
    const isLast = sql<SqlBool>`t.place = ${sql.lit(length)}`;
    const query = ctx.db
      .selectFrom(numbered(length).as("t"))
      .innerJoin(content.as("p"), "p.id", "t.id")
      .innerJoin("audiences as a", "a.id", "p.audience_id")
      .select(["p.id", "p.title as name", "p.title_key", sql<number>`${sql.ref(`p.${at}`)}`.as("at")])
      .select([truth(visible).as("matches"), truth(isLast).as("last")])
      .where(sql<SqlBool>`(${isLast} or ${visible})`)
      .orderBy(isLast, "desc")
      .orderBy("p.title_key")
      .orderBy("p.id", "desc")
      .limit(maxMatches + 1);
    return inEachRange<Entry>(ctx, ranges, query);
  });
  return findByKeys(texts, { kind, keyOf: titleLookupKey, find: (ranges) => findOnce(ranges, findParts) });
}

/** An entry of the title index: a match, or the last one of a slice, or both. */
interface Entry extends Titled {
  readonly matches: 0 | 1;
  readonly last: 0 | 1;
}

/**
 * Returns a function that reads one slice of each range after the other until there are enough matches. A search that stops
 * after a number of entries tells how many titles that the actor may not read come first. Other requests can run in between.
 */
function findInSlices(read: (ranges: readonly KeyRange[], length: number) => Promise<Matched<Entry>[]>) {
  return async (ranges: readonly KeyRange[]): Promise<Matched<Titled>[]> => {
    const found = new Map<string, Matched<Entry>[]>();
    let open = ranges;
    for (let size = slice.first; open.length > 0; size = Math.min(4 * size, slice.max)) {
      const rows = Map.groupBy(await read(open, Math.ceil(size / open.length)), ({ text }) => text);
      open = open.flatMap((range) => {
        const entries = rows.get(range.text) ?? [];
        // The last entry is the first of the rows.
        const matching = entries.filter((entry) => entry.matches === 1).sort((a, b) => a.last - b.last);
        const matches = firstOf([...(found.get(range.text) ?? []), ...matching]);
        found.set(range.text, matches);
        const end = entries.find(({ last }) => last === 1);
        // Newer things with the title of the last match can be in the next slice.
        const isDone = end === undefined || (matches[maxMatches - 1]?.title_key ?? end.title_key) !== end.title_key;
        return isDone ? [] : [{ ...range, low: end.title_key, after: end.id }];
      });
      if (open.length > 0) await takeTurn();
    }
    return [...found.values()].flat();
  };
}

/** Returns the first matches of slices in their order; of equal titles, the newest come first. */
function firstOf(matches: readonly Matched<Entry>[]): Matched<Entry>[] {
  const byTitle = [...Map.groupBy(matches, ({ title_key }) => title_key).values()];
  return byTitle.flatMap((same) => same.toSorted((a, b) => b.id - a.id)).slice(0, maxMatches);
}

export const findConversationsByTitle = (ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> =>
  findByKeys(texts, {
    kind: "conversations",
    keyOf: titleWordsKey,
    find: (ranges) => findOwnConversations(ctx, ranges),
  });

/** Conversations of the actor whose titles are compared with up to 100 texts, for up to 10 ms, before other requests can run. */
const ownSlice = 2048;

/** Compares the titles of the actor's conversations here: a statement would look all of them up again for each text. */
async function findOwnConversations(ctx: Ctx, ranges: readonly KeyRange[]): Promise<Matched<Titled>[]> {
  if (ranges.length === 0) return [];
  const found = new Map<string, Matched<Titled>[]>();
  for (let after = 0; ; await takeTurn()) {
    const own = await ownConversations(ctx, after);
    for (const { text, low, high } of ranges) {
      const matching = own.filter(
        ({ name, title_key }) => name !== "" && (low === high ? title_key === low : title_key.startsWith(low)),
      );
      const matches = [...(found.get(text) ?? []), ...matching.slice(0, maxMatches).map((each) => ({ ...each, text }))];
      found.set(text, matches.sort(compareTitles).slice(0, maxMatches));
    }
    if (own.length < ownSlice) return [...found.values()].flat();
    after = Math.max(...own.map(({ id }) => id));
  }
}

/** Returns the next slice of the actor's conversations, sorted by their titles. */
async function ownConversations({ db, actor }: Ctx, after: number): Promise<Titled[]> {
  const own = await db
    .selectFrom("conversation_participants as p")
    .innerJoin("conversations as c", "c.id", "p.conversation_id")
    .select(["c.id", "c.title as name", "c.title_key", "c.created_at as at"])
    .where("p.user_id", "=", actor.id)
    .where("p.conversation_id", ">", after)
    .orderBy("p.conversation_id")
    .limit(ownSlice)
    .execute();
  return own.sort(compareTitles);
}

const compareTitles = (a: Titled, b: Titled): number =>
  a.title_key === b.title_key ? b.id - a.id : a.title_key < b.title_key ? -1 : 1;

interface TitleSearch {
  readonly kind: NamedKind;
  readonly keyOf: (title: string) => string;
  /** Returns the first things whose keys are in each of the ranges. */
  find(ranges: readonly KeyRange[]): Promise<readonly Matched<Titled>[]>;
}

async function findByKeys(texts: readonly string[], { kind, keyOf, find }: TitleSearch): Promise<NameMatch[]> {
  const found = await firstMatches<Titled>(texts, keySteps(keyOf, find));
  return found.map(({ text, id, name, at, match }) => ({ text, kind, id, name, detail: dateOf(at), match }));
}

const dateOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);
