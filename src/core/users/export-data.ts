import { sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import { users as contract } from "../../contract/users.ts";
import { recordChange } from "../pipeline/audit-log.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { decodeCursor, encodeCursor } from "../pipeline/cursor.ts";
import { accountOfUser, countEvent } from "../pipeline/rate-limits.ts";
import { type ExportSection, exportSections } from "./export-sections.ts";
import { oneUser } from "./read-users.ts";

type ExportData = Handlers<typeof contract>["exportData"];
type Item = Awaited<ReturnType<ExportData>>["data"][number];
type Row = Record<string, unknown>;
/** The time at which the export was recorded, the index of a section, and the key of the last row that was read of it. */
type Place = readonly [start: number, section: number, ...key: (string | number)[]];

const recordsPerPage = 100;
/** Seconds that an entry of the audit log covers. With older cursors an export is counted and recorded again. */
const coveredSeconds = 3600;

/** Returns a page of the first section that has rows after the cursor. Administrators get no private sections of others. */
export const exportData: ExportData = async (ctx, { id, cursor }) => {
  const isOwn = id === ctx.actor.id;
  if (!isOwn && !ctx.actor.admin)
    throw new ServiceError("forbidden", "Only administrators can export the data of others.");
  await oneUser(ctx, id);
  const sections = exportSections.filter(({ isPrivate = false }) => isOwn || !isPrivate);
  const list = `export of user ${id} for ${ctx.actor.id}`;
  const [recorded, first, ...after] = decodeCursor<Place>(ctx, list, cursor)?.key ?? [undefined, 0];
  const isCovered = recorded !== undefined && recorded > ctx.now - coveredSeconds;
  if (!isCovered) await recordStart(ctx, id);
  const start = isCovered ? recorded : ctx.now;
  for (const [index, section] of sections.entries()) {
    if (index < first) continue;
    const page = await readRows(ctx, section, id, index === first ? after : []);
    const last = page.at(-1);
    if (last === undefined) continue;
    const isFull = page.length === (section.portion ?? recordsPerPage);
    const next: Place = isFull
      ? [start, index, ...section.key.map((column) => last[column] as number)]
      : [start, index + 1];
    const isEnd = !isFull && index + 1 === sections.length;
    const next_cursor = isEnd ? null : encodeCursor(ctx, list, { direction: "after", key: next });
    const data = page.map((row) => ({ section: section.name, record: recordOf(section, row) }));
    return { data, meta: { next_cursor, prev_cursor: null } };
  }
  return { data: [], meta: { next_cursor: null, prev_cursor: null } };
};

/** Counts and records an export. In a dry run, too, because that returns the data. */
async function recordStart(ctx: Ctx, id: number): Promise<void> {
  const subject = { kind: "data_export", account: accountOfUser(ctx.actor.id) } as const;
  const isAdmitted = await ctx.transaction(
    async (tx) => {
      // Access to the database itself has no limit.
      if (ctx.token !== undefined && !(await countEvent(tx, subject))) return false;
      await recordChange(tx, contract.exportData, { id }, undefined);
      return true;
    },
    { lasting: true, locking: true },
  );
  if (!isAdmitted)
    throw new ServiceError("too_many_requests", "You started too many exports; try again later.", { retryAfter: 600 });
}

async function readRows(
  { db }: Ctx,
  { rows, key, portion = recordsPerPage }: ExportSection,
  user: number,
  after: readonly (string | number)[],
): Promise<Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(`found.${column}`)));
  const rest = after.length === 0 ? sql`` : sql`where (${columns}) > (${sql.join(after)})`;
  const page = sql<Row>`select * from (${rows(user)}) as found ${rest} order by ${columns} limit ${portion}`;
  return (await page.execute(db)).rows;
}

/** Returns a row without hidden columns, with JSON columns as values and bytes in base64. */
function recordOf({ hidden = [], json = [] }: ExportSection, row: Row): Item["record"] {
  const shown = Object.entries(row).filter(([column]) => !hidden.includes(column));
  return Object.fromEntries(
    shown.map(([column, value]) => {
      if (value instanceof Uint8Array) return [column, Buffer.from(value).toString("base64")];
      return [column, json.includes(column) && typeof value === "string" ? JSON.parse(value) : value];
    }),
  );
}
