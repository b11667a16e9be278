import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { NamedKind } from "../../contract/field-metadata.ts";
import { mostMatches, type NameMatch } from "../../contract/names.ts";
import { afterPrefix } from "../../store/dialect.ts";
import { fold } from "../directory/text-keys.ts";
import type { Ctx } from "../pipeline/context.ts";
import { groupReader, known } from "../visibility/group-visibility.ts";

/** A table of things with a folded name, as `t`. */
interface NamedTable {
  readonly kind: NamedKind;
  readonly table: "units" | "user_types" | "groups";
  readonly hasReferences: boolean;
  /** Selects what distinguishes equal names. */
  readonly detail: RawBuilder<string | null>;
  /** Limits the rows to those that the actor can see. */
  readonly visible: RawBuilder<SqlBool>;
}

/** Returns the text of `ref:TEXT`, which stands for a reference only. */
export const forcedReference = (text: string): string | undefined => /^ref:(.+)$/s.exec(text)?.[1];

export const findUnits = (ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> =>
  findIn(ctx, texts, {
    kind: "units",
    table: "units",
    hasReferences: true,
    detail: sql`(select p.name from units p where p.id = t.parent_id)`,
    visible: sql`1 = 1`,
  });

export const findUserTypes = (ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> =>
  findIn(ctx, texts, {
    kind: "usertypes",
    table: "user_types",
    hasReferences: true,
    detail: sql`cast(null as text)`,
    visible: sql`1 = 1`,
  });

export const findGroups = (ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> =>
  findIn(ctx, texts, {
    kind: "groups",
    table: "groups",
    hasReferences: false,
    detail: sql`cast(null as text)`,
    visible: known("t", groupReader(ctx.actor)),
  });

async function findIn(ctx: Ctx, texts: readonly string[], of: NamedTable): Promise<NameMatch[]> {
  const found: NameMatch[] = [];
  for (const text of texts) {
    for (const [match, condition] of conditionsOf(text, of.hasReferences)) {
      const { rows } = await sql<{ id: number; name: string; detail: string | null }>`
        select t.id, t.name, ${of.detail} as detail from ${sql.table(of.table)} t
        where ${condition} and ${of.visible} order by ${match === "similar" ? sql`t.name_key, t.id` : sql`t.id`}
        limit ${mostMatches}`.execute(ctx.db);
      found.push(...rows.map((row) => ({ text, kind: of.kind, ...row, match })));
      if (rows.length > 0) break;
    }
  }
  return found;
}

/** Returns the conditions that a text stands for, the most exact first. */
function conditionsOf(text: string, hasReferences: boolean): [NameMatch["match"], RawBuilder<SqlBool>][] {
  if (text === "") return [["similar", sql`1 = 1`]];
  const forced = forcedReference(text);
  const byReference = (reference: string): [NameMatch["match"], RawBuilder<SqlBool>][] =>
    hasReferences ? [["reference", sql`t.reference = ${reference}`]] : [];
  if (forced !== undefined) return byReference(forced);
  const key = fold(text);
  // A name of combining accents only folds to an empty prefix, which would match all names.
  if (key === "") return byReference(text);
  return [
    ...byReference(text),
    ["name", sql`t.name_key = ${key}`],
    ["similar", sql`t.name_key > ${key} and t.name_key < ${afterPrefix(key)}`],
  ];
}

/** Finds webhooks, for administrators. They have no references, and an instance has few of them. */
export async function findWebhooks(ctx: Ctx, texts: readonly string[]): Promise<NameMatch[]> {
  if (!ctx.actor.admin) return [];
  const rows = await ctx.db.selectFrom("webhooks").select(["id", "name", "uri"]).orderBy("id").execute();
  return texts.flatMap((text) => {
    const key = fold(text);
    const same = rows.filter(({ name }) => fold(name) === key);
    const matching = same.length > 0 ? same : rows.filter(({ name }) => fold(name).startsWith(key));
    const match = same.length > 0 ? ("name" as const) : ("similar" as const);
    return matching
      .slice(0, mostMatches)
      .map(({ id, name, uri }) => ({ text, kind: "webhooks" as const, id, name, detail: uri, match }));
  });
}
