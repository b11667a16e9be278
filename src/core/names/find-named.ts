import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { NamedKind } from "../../contract/field-metadata.ts";
import { fold } from "../../contract/fold-text.ts";
import { maxMatches, type NameMatch } from "../../contract/names.ts";
import { isAmong } from "../../store/dialect.ts";
import type { Ctx } from "../pipeline/context.ts";
import { groupReader, isVisibleGroup } from "../visibility/group-visibility.ts";
import { byValue, findOnce, firstMatches, inEachRange, type KeyRange, keySteps, referenceIn } from "./first-matches.ts";

/** A table of things with a folded name, as `t`. */
interface NamedTable {
  readonly kind: NamedKind;
  readonly table: "units" | "user_types" | "groups";
  readonly hasReferences?: true;
  /** Selects what distinguishes equal names. */
  readonly detail?: RawBuilder<string | null>;
  /** Limits the rows to what the actor can see. */
  readonly visible?: RawBuilder<SqlBool>;
}

interface Named {
  readonly id: number;
  readonly name: string;
  readonly detail: string | null;
}

export const findUnits = (ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> =>
  findIn(ctx, texts, {
    kind: "units",
    table: "units",
    hasReferences: true,
    detail: sql`(select p.name from units p where p.id = t.parent_id)`,
  });

export const findUserTypes = (ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> =>
  findIn(ctx, texts, { kind: "usertypes", table: "user_types", hasReferences: true });

export const findGroups = (ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> =>
  findIn(ctx, texts, { kind: "groups", table: "groups", visible: isVisibleGroup("t", groupReader(ctx.actor)) });

const noDetail = sql<string | null>`cast(null as text)`;
const anyRow = sql<SqlBool>`1 = 1`;

async function findIn(ctx: Ctx, texts: readonly string[], source: NamedTable): Promise<NameMatch[]> {
  const found = await firstMatches<Named>(texts, [
    {
      match: "reference",
      find: async (open) =>
        source.hasReferences ? byValue(open, referenceIn, (some) => withReferences(ctx, some, source)) : [],
    },
    ...keySteps(fold, (ranges) => findOnce(ranges, (parts) => inRanges(ctx, parts, source))),
  ]);
  return found.map(({ text, id, name, detail, match }) => ({ text, kind: source.kind, id, name, detail, match }));
}

async function withReferences({ db }: Ctx, references: readonly string[], source: NamedTable) {
  const { table, detail = noDetail, visible = anyRow } = source;
  const { rows } = await sql<Named & { value: string }>`
    select t.id, t.name, ${detail} as detail, t.reference as value from ${sql.table(table)} t
    where ${isAmong("t.reference", references)} and ${visible}`.execute(db);
  return rows;
}

async function inRanges(ctx: Ctx, ranges: readonly KeyRange[], source: NamedTable) {
  const { table, detail = noDetail, visible = anyRow } = source;
  const things = ctx.db
    .selectFrom(sql<Omit<Named, "detail"> & { name_key: string }>`${sql.table(table)}`.as("t"))
    .select(["t.id", "t.name", detail.as("detail")])
    .where(sql<SqlBool>`t.name_key between asked.low and asked.high`)
    .where(visible)
    .orderBy("t.name_key")
    .orderBy("t.id")
    .limit(maxMatches);
  return inEachRange<Named>(ctx, ranges, things);
}

export async function findWebhooks(ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> {
  if (!ctx.actor.admin) return [];
  const rows = ctx.db.selectFrom("webhooks").select(["id", "name", "uri as detail"]);
  return findAmong("webhooks", await rows.where("deleted_at", "is", null).orderBy("id").execute(), texts);
}

/** Finds the API tokens that `tokens.list` returns without an owner: all for administrators, else those of the actor. */
export async function findTokens({ db, actor }: Ctx, texts: readonly string[]): Promise<NameMatch[]> {
  let query = db
    .selectFrom("api_tokens as t")
    .innerJoin("users as u", "u.id", "t.user_id")
    .select(["t.id", "t.name", sql<string>`u.first_name || ' ' || u.last_name`.as("detail")]);
  if (!actor.admin) query = query.where("t.user_id", "=", actor.id);
  return findAmong("tokens", await query.orderBy("t.id").execute(), texts);
}

/** Finds things without references that are few in an instance. */
function findAmong(kind: NamedKind, rows: readonly Named[], texts: readonly string[]): NameMatch[] {
  const things = rows.map((row) => ({ key: fold(row.name), ...row }));
  return texts.flatMap((text) => {
    const key = fold(text);
    const same = things.filter((thing) => thing.key === key);
    const matching = same.length > 0 ? same : things.filter((thing) => thing.key.startsWith(key));
    const match = same.length > 0 ? ("name" as const) : ("similar" as const);
    return matching.slice(0, maxMatches).map(({ key: _, ...thing }) => ({ text, kind, ...thing, match }));
  });
}
