import { type RawBuilder, sql } from "kysely";
import type { Settings } from "../../contract/settings.ts";
import type { Database, Tx } from "../../store/database.ts";
import { tryLock, waitForTurn } from "../../store/dialect.ts";
import { expiredKeys, type RetentionMoment, type RetentionRule, retentionRules } from "./retention-rules.ts";

/** Maximum number of rows removed in one transaction, so that no other transaction waits for long. */
const portion = 500;
export const removalLock = 0x77637370;

interface ExpiredRows {
  readonly kind: string;
  readonly rows: number;
  /** Number of days for which the rows are kept by a setting; null for a fixed period. */
  readonly days: number | null;
  readonly setting: string | null;
}

interface Removal {
  /** Unix seconds. */
  readonly now: number;
  readonly settings: Settings;
  /** Returns true when the work must end. */
  readonly stopped?: () => boolean;
  /** Waits for another process that removes rows, instead of leaving the work to it. */
  readonly waits?: boolean;
}

/** Removes the rows that have expired by `retentionRules`, in small transactions. Returns their numbers. */
export async function removeExpired(
  database: Database,
  { stopped = () => false, waits = false, ...moment }: Removal,
): Promise<ExpiredRows[]> {
  const removed: ExpiredRows[] = [];
  for (const rule of retentionRules) {
    let rows = 0;
    while (!stopped()) {
      const more = await database.writeLocking(async (tx) =>
        (await takeTurn(tx, waits)) ? remove(tx, rule, moment) : 0,
      );
      if (more === 0) break;
      rows += more;
    }
    removed.push(resultOf(rule, moment, rows));
  }
  return removed;
}

export async function countExpired(database: Database, moment: RetentionMoment): Promise<ExpiredRows[]> {
  const found: ExpiredRows[] = [];
  for (const rule of retentionRules) {
    // Rules look at the oldest rows only, as many as they are asked for, so few expired rows are counted quickly in a large table.
    let max = portion;
    let rows = await countRows(database, expiredKeys(rule, moment, max));
    while (rows === max) {
      max *= 10;
      rows = await countRows(database, expiredKeys(rule, moment, max));
    }
    found.push(resultOf(rule, moment, rows));
  }
  return found;
}

async function countRows(database: Database, expired: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ number: number }>`select count(*) as number from (${expired}) as expired`.execute(
    database.reader,
  );
  return rows[0]?.number ?? 0;
}

const resultOf = ({ kind, setting }: RetentionRule, { settings }: RetentionMoment, rows: number): ExpiredRows => ({
  kind,
  rows,
  days: setting === undefined ? null : settings[setting],
  setting: setting ?? null,
});

/** Returns false when another server removes rows at the moment. */
async function takeTurn(tx: Tx, waits: boolean): Promise<boolean> {
  if (!waits) return tryLock(tx, removalLock);
  await waitForTurn(tx, removalLock);
  return true;
}

async function remove(tx: Tx, rule: RetentionRule, moment: RetentionMoment): Promise<number> {
  const { table, key = "id", parts } = rule;
  const { rows } = await sql<Record<string, number>>`delete from ${sql.table(table)}
    where ${sql.ref(key)} in (${expiredKeys(rule, moment, portion)}) returning ${sql.ref(key)}`.execute(tx);
  if (parts !== undefined && rows.length > 0) {
    const keys = rows.map((row) => row[key]);
    await sql`delete from ${sql.table(parts.table)} where ${sql.ref(parts.column)} in (${sql.join(keys)})`.execute(tx);
  }
  return rows.length;
}
