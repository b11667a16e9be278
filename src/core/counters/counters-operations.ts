import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type counters as contract, counterNames, maxCounted, maxLookedAt } from "../../contract/counters.ts";
import type { Db } from "../../store/database.ts";
import { lateralJoin, listed } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { muted } from "../pipeline/mutes.ts";
import { type Reader, readable } from "../visibility/audience.ts";
import { eventReader } from "../visibility/event-visibility.ts";
import { placesOfPosts } from "../visibility/feed-index.ts";
import { type PostReader, postReader, published, visible } from "../visibility/post-visibility.ts";

type Name = (typeof counterNames)[number];
/** The start of a counter's period: a time, and the newest item of each kind that was there, for others of the same second. */
interface Start {
  readonly since: number;
  readonly last_post: number;
  readonly last_event: number;
  readonly last_message: number;
}

const none = { count: 0 };

export const counters: Handlers<typeof contract> = {
  async list(ctx) {
    const starts = await loadCounterStarts(ctx);
    const { db, now, actor } = ctx;
    const posts = new Map<string, number>();
    const query = { ...postReader(actor), now, ...postStarts(starts) };
    const places = await placesOfPosts(ctx, "readable");
    const found = await (places ? newPostsIn(db, { ...query, places }) : newPosts(db, query));
    for (const { counter, count } of found) posts.set(counter, count);
    const [{ count: events } = none] = await newEvents(db, { ...eventReader(actor), ...starts.events });
    const [{ count: messages } = none] = await newMessages(db, { me: actor.id, now, ...starts.messages });
    const upTo = (count = 0) => Math.min(count, maxCounted);
    return {
      groups: upTo(posts.get("groups")),
      events: upTo((posts.get("events") ?? 0) + events),
      news: upTo(posts.get("news")),
      messages,
    };
  },

  async reset({ db, actor, now }, { type }) {
    const newest = (table: "posts" | "events" | "messages") =>
      db.selectFrom(table).select((eb) => eb.fn.coalesce(eb.fn.max("id"), eb.lit(0)).as("id"));
    const start = {
      since: now,
      last_post: newest("posts"),
      last_event: newest("events"),
      last_message: newest("messages"),
    };
    await db
      .insertInto("counter_marks")
      .values({ user_id: actor.id, counter: type, ...start })
      .onConflict((conflict) => conflict.columns(["user_id", "counter"]).doUpdateSet(start))
      .execute();
  },
};

const marksOf = prepared((db, p: { me: number }) =>
  db
    .selectFrom("users as u")
    .leftJoin("counter_marks as m", "m.user_id", "u.id")
    .select(["u.created_at", "m.counter", "m.since", "m.last_post", "m.last_event", "m.last_message"])
    .where("u.id", "=", p.me),
);

/** Returns the start of each counter: its last reset or, without one, the creation of the user. */
async function loadCounterStarts({ db, actor }: Ctx): Promise<Record<Name, Start>> {
  const rows = await marksOf(db, { me: actor.id });
  const startOf = (name: Name): Start => {
    const { since, last_post, last_event, last_message } = rows.find((row) => row.counter === name) ?? {};
    return {
      since: since ?? rows[0]?.created_at ?? 0,
      last_post: last_post ?? 0,
      last_event: last_event ?? 0,
      last_message: last_message ?? 0,
    };
  };
  return Object.fromEntries(counterNames.map((name) => [name, startOf(name)])) as Record<Name, Start>;
}

/** Returns the starts of the counters of posts; `since` is the earliest one. */
function postStarts({ groups, events, news }: Record<Name, Start>) {
  return {
    since: Math.min(groups.since, events.since, news.since),
    debatesSince: groups.since,
    lastDebate: groups.last_post,
    eventsSince: events.since,
    lastEvent: events.last_post,
    newsSince: news.since,
    lastNews: news.last_post,
  };
}

/** Returns a condition on the audience `a` of another author. As a value: PostgreSQL can turn joins and `exists` into a search of all audiences. */
function inAudience(thing: string, me: number, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  const id = sql.ref(`${thing}.audience_id`);
  return sql<SqlBool>`(select 1 from audiences a where a.id = ${id} and a.author_id <> ${me} and ${condition}) = 1`;
}

interface NewPosts extends PostReader, ReturnType<typeof postStarts> {
  readonly now: number;
}

/** Counts among all posts, for users for whom searching by place is slower. */
const newPosts = prepared((db, p: NewPosts) => {
  const newest = db
    .selectFrom("posts")
    .select("id")
    .where("deleted_at", "is", null)
    .where("listed_at", ">=", p.since)
    .where("listed_at", "<=", p.now)
    .orderBy("listed_at", "desc")
    .orderBy("id", "desc")
    .limit(sql.lit(maxLookedAt));
  return counted(db, p, sql`${newest}`);
});

const newPostsIn = prepared((db, p: NewPosts & { readonly places: readonly string[] }) => {
  const one = db
    .selectFrom("post_places as pp")
    .select(["pp.place", "pp.listed_at", "pp.post_id"])
    .where(sql<SqlBool>`pp.place = place.value`)
    .where("pp.listed_at", ">=", p.since)
    .where("pp.listed_at", "<=", p.now)
    .orderBy("pp.listed_at", "desc")
    .orderBy("pp.post_id", "desc")
    .limit(sql.lit(maxLookedAt));
  const key = ["place", "listed_at", "post_id"];
  const newest = sql`(select distinct found.post_id as id, found.listed_at
    from ${lateralJoin(db, listed(db, "place", p.places), one, { table: "post_places", key })}
    order by found.listed_at desc, found.post_id desc limit ${sql.lit(maxLookedAt)})`;
  return counted(db, p, newest);
});

/** Counts, among the newest posts, those that are new to the actor, by counter; debates only of the actor's groups. */
function counted(db: Db, p: NewPosts, newest: RawBuilder<unknown>) {
  const counter = sql<Name>`case p.content_type when 'debate' then 'groups' when 'event' then 'events' else 'news' end`;
  const mine = sql<SqlBool>`(p.content_type <> 'debate' or exists (
    select 1 from group_members mine where mine.group_id = a.group_id and mine.user_id = ${p.me}))`;
  return db
    .selectFrom(sql<{ id: number }>`${newest}`.as("newest"))
    .innerJoin("posts as p", "p.id", "newest.id")
    .select([counter.as("counter"), (eb) => eb.fn.countAll<number>().as("count")])
    .where(published(p.now))
    .where(
      sql<SqlBool>`((p.content_type = 'debate' and (p.listed_at, p.id) > (${p.debatesSince}, ${p.lastDebate}))
        or (p.content_type = 'event' and (p.listed_at, p.id) > (${p.eventsSince}, ${p.lastEvent}))
        or (p.content_type = 'news' and (p.listed_at, p.id) > (${p.newsSince}, ${p.lastNews})))`,
    )
    .where(
      sql<SqlBool>`not exists (
        select 1 from post_marks k where k.post_id = p.id and k.user_id = ${p.me} and (k.seen_at is not null or ${muted("k", p.now)}))`,
    )
    .where(inAudience("p", p.me, sql<SqlBool>`${mine} and ${visible(db, p, p.now)}`))
    .groupBy(counter);
}

const newEvents = prepared((db, p: Reader & Start) => {
  const newest = db
    .selectFrom("events")
    .select(["id", "audience_id"])
    .where("deleted_at", "is", null)
    .where(sql<SqlBool>`(created_at, id) > (${p.since}, ${p.last_event})`)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(sql.lit(maxLookedAt));
  // The limit ends the search early for users who can read most events.
  const found = db
    .selectFrom(newest.as("e"))
    .select("e.id")
    .where(
      sql<SqlBool>`not exists (
        select 1 from event_marks k where k.event_id = e.id and k.user_id = ${p.me} and k.seen_at is not null)`,
    )
    .where(inAudience("e", p.me, readable(db, p)))
    .limit(sql.lit(maxCounted));
  return db.selectFrom(found.as("found")).select((eb) => eb.fn.countAll<number>().as("count"));
});

/** Counts the newest messages in the newest unread conversations that are not muted. Those with an older latest message are left out at once. */
const newMessages = prepared((db, p: Start & { me: number; now: number }) => {
  const unread = db
    .selectFrom("conversation_participants as c")
    .innerJoin("messages as latest", "latest.id", "c.latest_message_id")
    .select(["c.conversation_id", "c.seen_position", "latest.position as last_position"])
    .where("c.user_id", "=", p.me)
    .where("c.archived_at", "is", null)
    .where("c.unread_count", ">", sql.lit(0))
    .where(sql<SqlBool>`not ${muted("c", p.now)}`)
    .where("c.latest_message_id", "is not", null)
    .where(sql<SqlBool>`(latest.created_at, latest.id) > (${p.since}, ${p.last_message})`)
    .orderBy("c.latest_message_id", "desc")
    .limit(sql.lit(maxLookedAt));
  const found = db
    .selectFrom(unread.as("c"))
    .innerJoin("messages as m", "m.conversation_id", "c.conversation_id")
    .select("m.id")
    .whereRef("m.position", ">", "c.seen_position")
    .where(sql<SqlBool>`m.position > c.last_position - ${sql.lit(maxCounted)}`)
    .where("m.type", "=", "normal")
    .where("m.deleted_at", "is", null)
    .where("m.author_id", "<>", p.me)
    .where(sql<SqlBool>`(m.created_at, m.id) > (${p.since}, ${p.last_message})`)
    .limit(sql.lit(maxCounted));
  return db.selectFrom(found.as("found")).select((eb) => eb.fn.countAll<number>().as("count"));
});
