import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { NamedKind } from "../../contract/field-metadata.ts";
import { maxMatches, type NameMatch } from "../../contract/names.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { titleLookupKey, titleWordsKey } from "../directory/text-keys.ts";
import type { Ctx } from "../pipeline/context.ts";
import { readable } from "../visibility/audience.ts";
import { eventReader } from "../visibility/event-visibility.ts";
import { postReader, visible } from "../visibility/post-visibility.ts";
import { firstMatches, inEachRange, keySteps } from "./first-matches.ts";

/** Maximum number of posts or events with matching titles whose visibility is checked. */
const maxChecked = 200;

interface Titled {
  readonly id: number;
  readonly name: string;
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
  const titled = ctx.db
    .selectFrom(content.as("c"))
    .select("c.id")
    .where(sql<SqlBool>`c.deleted_at is null and c.title_key between asked.low and asked.high`)
    .orderBy("c.title_key")
    .orderBy("c.id", "desc")
    .limit(sql.lit(maxChecked));
  const query = ctx.db
    .selectFrom(titled.as("t"))
    .innerJoin(content.as("p"), "p.id", "t.id")
    .innerJoin("audiences as a", "a.id", "p.audience_id")
    .select(["p.id", "p.title as name", sql<number>`${sql.ref(`p.${at}`)}`.as("at")])
    .where(visible)
    .orderBy("p.title_key")
    .orderBy("p.id", "desc")
    .limit(maxMatches);
  return findByKeys(ctx, texts, { kind, keyOf: titleLookupKey, query });
}

export async function findConversationsByTitle(ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> {
  const query = ctx.db
    .selectFrom("conversation_participants as p")
    .innerJoin("conversations as c", "c.id", "p.conversation_id")
    .select(["c.id", "c.title as name", "c.created_at as at"])
    .where("p.user_id", "=", ctx.actor.id)
    .where("c.title", "<>", "")
    .where(sql<SqlBool>`c.title_key between asked.low and asked.high`)
    .orderBy("c.title_key")
    .orderBy("c.id", "desc")
    .limit(maxMatches);
  return findByKeys(ctx, texts, { kind: "conversations", keyOf: titleWordsKey, query });
}

interface TitleSearch {
  readonly kind: NamedKind;
  readonly keyOf: (title: string) => string;
  /** Selects the first things whose keys are in the range `asked`. */
  readonly query: Parameters<typeof inEachRange<Titled>>[2];
}

async function findByKeys(
  ctx: Ctx,
  texts: readonly string[],
  { kind, keyOf, query }: TitleSearch,
): Promise<NameMatch[]> {
  const steps = keySteps(keyOf, (ranges) => inEachRange<Titled>(ctx, ranges, query));
  const found = await firstMatches<Titled>(texts, steps);
  return found.map(({ text, id, name, at, match }) => ({ text, kind, id, name, detail: dateOf(at), match }));
}

const dateOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);
