import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../../store/database.ts";
import { afterPrefix } from "../../store/dialect.ts";
import type { Ctx } from "../pipeline/context.ts";
import { type AskedPage, decodeCursor, makeCursorPage } from "../pipeline/cursor.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";

type Condition = RawBuilder<SqlBool>;

export interface PathFilter {
  /** The path, without a slash at its end. */
  readonly top: string;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly actor: number | undefined;
  readonly operations: readonly string[] | undefined;
}

/** An entry's place in the index of paths, as SQL. */
type PathKey = RawBuilder<unknown>;

interface FoundEntry {
  readonly id: number;
  readonly created_at: number;
}

/** Entries that a statement looks at, for up to 20 ms, when no other request can run on SQLite. */
const slice = 8192;

/**
 * Finds the page of the entries of a path on SQLite, newest first. Looks at all of them, in slices between which other requests
 * can run, because the index of paths has them in the order of paths.
 */
export async function searchPath(ctx: Ctx, filter: PathFilter, { list, limit, cursor }: AskedPage) {
  const { top, since, until, actor, operations } = filter;
  const position = decodeCursor<[number, number]>(ctx, list, cursor);
  const back = position?.direction === "before";
  const conditions = [
    isAtOrBelow(top),
    ...(actor === undefined ? [] : [sql<SqlBool>`+e.actor_id = ${actor}`]),
    ...(operations === undefined ? [] : [sql<SqlBool>`+e.operation in (${sql.join(operations)})`]),
    ...(since === undefined ? [] : [sql<SqlBool>`+e.created_at >= ${since}`]),
    ...(until === undefined ? [] : [sql<SqlBool>`+e.created_at <= ${until}`]),
    ...(position
      ? [sql<SqlBool>`(+e.created_at, +e.id) ${sql.raw(back ? ">" : "<")} (${sql.join(position.key)})`]
      : []),
  ];
  // With the plus signs, SQLite does not take the other indexes.
  const order = sql.raw(back ? "asc" : "desc");
  const found: FoundEntry[] = [];
  for (let start: PathKey | undefined; ; await takeTurn()) {
    const end = await endOfSlice(ctx.db, top, start);
    const { rows } = await sql<FoundEntry>`select e.id, e.created_at
      from audit_entries as e
      where ${inPath(top, start, end)} and ${sql.join(conditions, sql` and `)}
      order by +e.created_at ${order}, +e.id ${order} limit ${limit + 1}`.execute(ctx.db);
    found.push(...rows);
    found.sort(inOrderOfTime(back)).splice(limit + 1);
    if (end === undefined) break;
    start = end;
  }
  return makeCursorPage(ctx, list, found, { limit, position, keyOf });
}

const keyOf = ({ id, created_at }: FoundEntry) => [created_at, id];

const inOrderOfTime = (back: boolean) => (a: FoundEntry, b: FoundEntry) =>
  (back ? 1 : -1) * (a.created_at - b.created_at || a.id - b.id);

/** Makes a page of the first entries of several lists, each of which has one more than the page. */
export function mergeEntries<E extends FoundEntry>(
  ctx: Ctx,
  lists: readonly E[][],
  { list, limit, cursor }: AskedPage,
) {
  const position = decodeCursor<number[]>(ctx, list, cursor);
  const found = lists.flat().sort(inOrderOfTime(position?.direction === "before"));
  return makeCursorPage(ctx, list, found.slice(0, limit + 1), { limit, position, keyOf });
}

/** Returns a condition for paths that begin with `top`, since /users/20 is not below /users/2. With ranges, SQLite would search by them. */
export const isAtOrBelow = (top: string): Condition =>
  sql`substr(e.path, ${sql.lit([...top].length + 1)}, 1) in ('', '/')`;

function inPath(top: string, start: PathKey | undefined, end: PathKey | undefined): Condition {
  const place = sql`(e.path, e.created_at, e.id)`;
  const first = start === undefined ? sql`e.path >= ${top}` : sql`${place} > ${start}`;
  return sql`${first} and ${end === undefined ? sql`e.path < ${afterPrefix(top)}` : sql`${place} <= ${end}`}`;
}

async function endOfSlice(db: Db, top: string, start: PathKey | undefined): Promise<PathKey | undefined> {
  const { rows } = await sql<FoundEntry & { readonly path: string }>`select e.path, e.created_at, e.id
    from audit_entries as e where ${inPath(top, start, undefined)}
    order by e.path, e.created_at, e.id limit 1 offset ${slice}`.execute(db);
  return rows[0] && sql`(${rows[0].path}, ${rows[0].created_at}, ${rows[0].id})`;
}
