import { sql } from "kysely";
import type { Db } from "../database.ts";

/** Columns that say what could be counted again. All of it is SQL that both databases take; `t` is the table. */
export interface Recount {
  /** What has the columns, as messages call it. */
  readonly thing: string;
  readonly from: string;
  /** Columns by name, and what they ought to be. */
  readonly columns: Readonly<Record<string, string>>;
  readonly where?: string;
  /** Names it; else its ID. */
  readonly id?: string;
}

/** Something that must not be. */
export interface Rule {
  readonly thing: string;
  /** Selects `id` of what is so. */
  readonly rows: string;
  /** What is wrong with it. */
  readonly says: string;
}

/** Mistakes that were found: how many, and the first few in words. */
export interface Mistakes {
  readonly total: number;
  readonly examples: readonly string[];
}

/** So many are told. */
const shown = 3;

type Row = Readonly<Record<string, unknown>> & { readonly total: number };

/** What is not as a recount gives it, or breaks the rule; one query. */
export async function findMistakes(db: Db, probe: Recount | Rule): Promise<Mistakes> {
  const isRule = "rows" in probe;
  const found = isRule ? probe.rows : differing(probe);
  const { rows } = await sql<Row>`
    select found.*, count(*) over () as total from (${sql.raw(found)}) found order by id limit ${sql.lit(shown)}
  `.execute(db);
  const examples = rows.flatMap((row) => (isRule ? `${probe.thing} ${row.id} ${probe.says}` : told(probe, row)));
  return { total: rows[0]?.total ?? 0, examples: examples.slice(0, shown) };
}

function differing({ from, columns, where = "1 = 1", id = "t.id" }: Recount): string {
  const pairs = Object.entries(columns);
  const values = pairs.map(([name, expected]) => `t.${name} as kept_${name}, ${expected} as found_${name}`);
  const isWrong = pairs.map(([name, expected]) => `t.${name} is distinct from ${expected}`);
  return `select ${id} as id, ${values.join(", ")} from ${from} where ${where} and (${isWrong.join(" or ")})`;
}

function told({ thing, columns }: Recount, row: Row): string[] {
  return Object.keys(columns)
    .filter((name) => row[`kept_${name}`] !== row[`found_${name}`])
    .map((name) => `${thing} ${row.id}: ${name} is ${row[`kept_${name}`]}, not ${row[`found_${name}`]}`);
}
