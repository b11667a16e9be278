import { sql } from "kysely";
import type { Db } from "../database.ts";

/** Stored values that can be recomputed. All SQL runs on both databases; `t` is the alias of the table. */
export interface Recount {
  readonly thing: string;
  readonly from: string;
  /** SQL expressions for the expected values, by column. */
  readonly columns: Readonly<Record<string, string>>;
  readonly where?: string;
  /** SQL expression that identifies the item. Default: its ID. */
  readonly id?: string;
}

export interface IntegrityRule {
  readonly thing: string;
  /** Selects the `id` of each violation. */
  readonly rows: string;
  /** Text of the message after the item's name. */
  readonly says: string;
}

/** Checks that a mute rule has an end exactly when its duration is limited; rule 1 has none. */
export const muteEnds = (thing: string, table: string, id: string): IntegrityRule => ({
  thing,
  rows: `select ${id} as id from ${table} where (mute_rule is null and muted_until is not null)
    or mute_rule not between 1 and 4 or (mute_rule = 1) <> (muted_until is null)`,
  says: "has a mute rule that does not exist, or one with a wrong end",
});

export interface IntegrityIssues {
  readonly total: number;
  readonly examples: readonly string[];
}

/** Maximum number of issues that a message names. */
export const maxExamples = 3;

type Row = Readonly<Record<string, unknown>> & { readonly total: number };

/** Returns the rows that differ from the recount or break the rule, with one query. */
export async function findIssues(db: Db, probe: Recount | IntegrityRule): Promise<IntegrityIssues> {
  const isRule = "rows" in probe;
  const found = isRule ? probe.rows : differingRows(probe);
  const { rows } = await sql<Row>`
    select found.*, count(*) over () as total from (${sql.raw(found)}) found order by id limit ${sql.lit(maxExamples)}
  `.execute(db);
  const examples = rows.flatMap((row) =>
    isRule ? `${probe.thing} ${row.id} ${probe.says}` : describeDifferences(probe, row),
  );
  return { total: rows[0]?.total ?? 0, examples: examples.slice(0, maxExamples) };
}

function differingRows({ from, columns, where = "1 = 1", id = "t.id" }: Recount): string {
  const pairs = Object.entries(columns);
  const values = pairs.map(([name, expected]) => `t.${name} as kept_${name}, ${expected} as found_${name}`);
  const isWrong = pairs.map(([name, expected]) => `t.${name} is distinct from ${expected}`);
  return `select ${id} as id, ${values.join(", ")} from ${from} where ${where} and (${isWrong.join(" or ")})`;
}

function describeDifferences({ thing, columns }: Recount, row: Row): string[] {
  return Object.keys(columns)
    .filter((name) => row[`kept_${name}`] !== row[`found_${name}`])
    .map((name) => `${thing} ${row.id}: ${name} is ${row[`kept_${name}`]}, not ${row[`found_${name}`]}`);
}
