import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../../store/database.ts";
import { afterPrefix, beginsWith } from "../../store/dialect.ts";
import type { Ctx } from "../pipeline/context.ts";
import { type AskedPage, decodeCursor, makeCursorPage } from "../pipeline/cursor.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";

type Condition = RawBuilder<SqlBool>;

export interface PathFilter {
  /** The path, without a slash at its end. */
  readonly top: string;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** An entry's place in the index of paths, as SQL. */
type PathKey = RawBuilder<unknown>;

/** A search of `most` entries, towards newer ones when `back`, between two limits of their times. */
interface Search {
  readonly top: string;
  readonly lower: Condition | undefined;
  readonly upper: Condition | undefined;
  readonly back: boolean;
  readonly most: number;
}

interface FoundEntry {
  readonly id: number;
  readonly created_at: number;
}

/** Entries that a statement looks at, for up to 20 ms, when no other request can run on SQLite. */
const slice = 8192;

/** Finds the page of the entries of a path on SQLite, newest first. */
export async function searchPath(ctx: Ctx, { top, since, until }: PathFilter, { list, limit, cursor }: AskedPage) {
  const position = decodeCursor<[number, number]>(ctx, list, cursor);
  const back = position?.direction === "before";
  const limits = {
    lower: since === undefined ? undefined : sql<SqlBool>`e.created_at >= ${since}`,
    upper: until === undefined ? undefined : sql<SqlBool>`e.created_at <= ${until}`,
  };
  if (position) limits[back ? "lower" : "upper"] = beyond(back ? ">" : "<", position.key);
  const search = { top, ...limits, back, most: limit + 1 };
  const hasMany = (await endOfSlice(ctx.db, top)) !== undefined;
  const found = (hasMany ? await searchNext(ctx.db, search) : undefined) ?? (await searchSlices(ctx.db, search));
  return makeCursorPage(ctx, list, found, { limit, position, keyOf: ({ id, created_at }) => [created_at, id] });
}

/** A condition of the entries of a path and of those below it: /users/20 is not below /users/2. */
export const atOrBelow = (top: string): Condition => sql`(e.path = ${top} or ${beginsWith("e.path", `${top}/`)})`;

const beyond = (sign: string, key: readonly [time: number, id: number]): Condition =>
  sql`(e.created_at, e.id) ${sql.raw(sign)} (${sql.join(key)})`;

/** Looks at the next entries of all paths. Returns undefined if too few of them match. */
async function searchNext(db: Db, { top, lower, upper, back, most }: Search): Promise<FoundEntry[] | undefined> {
  const [end] = await read(db, { index: "audit_entries_time", where: [lower, upper], back, most: 1, skipped: slice });
  const last = end && beyond(back ? "<=" : ">=", [end.created_at, end.id]);
  const limits = back ? [lower, last ?? upper] : [last ?? lower, upper];
  const found = await read(db, { index: "audit_entries_time", where: [...limits, atOrBelow(top)], back, most });
  return end === undefined || found.length === most ? found : undefined;
}

/** Looks at all entries of the path, in the order of its index. Other requests can run between the slices. */
async function searchSlices(db: Db, { top, lower, upper, back, most }: Search): Promise<FoundEntry[]> {
  const found: FoundEntry[] = [];
  for (let start: PathKey | undefined; ; ) {
    const end = await endOfSlice(db, top, start);
    const where = [inPath(top, start, end), lower, upper, atOrBelow(top)];
    found.push(...(await read(db, { index: "audit_entries_path", where, back, most })));
    found.sort((a, b) => (back ? 1 : -1) * (a.created_at - b.created_at || a.id - b.id)).splice(most);
    if (end === undefined) return found;
    start = end;
    await takeTurn();
  }
}

function inPath(top: string, start: PathKey | undefined, end: PathKey | undefined): Condition {
  const place = sql`(e.path, e.created_at, e.id)`;
  const first = start === undefined ? sql`e.path >= ${top}` : sql`${place} > ${start}`;
  return sql`${first} and ${end === undefined ? sql`e.path < ${afterPrefix(top)}` : sql`${place} <= ${end}`}`;
}

async function endOfSlice(db: Db, top: string, start?: PathKey): Promise<PathKey | undefined> {
  const { rows } = await sql<FoundEntry & { readonly path: string }>`select e.path, e.created_at, e.id
    from audit_entries as e where ${inPath(top, start, undefined)}
    order by e.path, e.created_at, e.id limit 1 offset ${slice}`.execute(db);
  return rows[0] && sql`(${rows[0].path}, ${rows[0].created_at}, ${rows[0].id})`;
}

interface Reading extends Pick<Search, "back" | "most"> {
  readonly index: string;
  readonly where: readonly (Condition | undefined)[];
  readonly skipped?: number;
}

/** Reads by the given index, since SQLite cannot know by which fewer entries have to be looked at. */
async function read(db: Db, { index, where, back, most, skipped = 0 }: Reading): Promise<FoundEntry[]> {
  const direction = sql.raw(back ? "asc" : "desc");
  const conditions = where.filter((condition) => condition !== undefined);
  const { rows } = await sql<FoundEntry>`select e.id, e.created_at
    from audit_entries as e indexed by ${sql.ref(index)}
    where ${conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `)}
    order by e.created_at ${direction}, e.id ${direction} limit ${most} offset ${skipped}`.execute(db);
  return rows;
}
