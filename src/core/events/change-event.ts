import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type FieldIssues, ServiceError } from "../../contract/errors.ts";
import type { events as contract } from "../../contract/events.ts";
import type { InputOf } from "../../contract/operation.ts";
import { deleteRows, insertRow, updateRow } from "../../store/bulk.ts";
import { titleLookupKey } from "../directory/text-keys.ts";
import { addFiles, fileIssues, removeFiles } from "../files/attached-files.ts";
import { deleteInPortions } from "../pipeline/change-in-portions.ts";
import { listChangedColumns } from "../pipeline/changed-columns.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { addAudience, changeAudience, loadAudience } from "../visibility/audience.ts";
import { eventAudienceOf, planReaders, type Readers, requireEventPlaces } from "./event-audience.ts";
import { type EventTimes, eventTimesOf, planTimes, replaceOccurrences } from "./event-times.ts";
import { type EventRow, editableEvent } from "./find-event.ts";
import { addEventPlaces, countOccurrences, entryIssues, removeEventPlaces } from "./index-event.ts";
import { loadEvent } from "./read-events.ts";

type Input = InputOf<typeof contract.create>;
type Fields = Omit<InputOf<typeof contract.update>, "id">;

export const eventChangeHandlers = {
  // Rules are expanded before the transaction, because all other writers would have to wait otherwise.
  async create(ctx, input) {
    const issues: FieldIssues = {};
    const times = await planTimes(ctx, input, issues);
    return ctx.transaction((tx) => addEvent(tx, input, { times, issues }));
  },

  async update(ctx, { id, ...fields }) {
    const before = await editableEvent(ctx, id);
    const issues: FieldIssues = {};
    const planned = { before, issues, times: await planTimes(ctx, fields, issues, before) };
    await ctx.transaction((tx) => changeStored(tx, id, fields, planned));
  },

  async delete(ctx, { id }) {
    const before = await editableEvent(ctx, id);
    const readers = await readersOf(ctx, before);
    await removeFiles(ctx, "event", [id]);
    await removeEventPlaces(ctx, { id, author: before.author_id, readers });
    await deleteRows(ctx.db, "event_dates", { event_id: id });
    await deleteInPortions(ctx.db, { table: "event_marks", column: "event_id", owner: id, key: "user_id" });
    // The audience is kept, so that only users who could read the event learn that it was deleted.
    await updateRow(ctx.db, "events", id, { ...erased, updated_at: ctx.now, deleted_at: ctx.now });
  },
} satisfies Partial<Handlers<typeof contract>>;

/** Returns the issues of those fields of an event that depend on each other or on data; see `Checks`. */
export async function eventIssues(
  ctx: Ctx,
  fields: Fields,
  isWrong: (field: string) => boolean,
  before?: EventRow,
): Promise<FieldIssues> {
  const issues: FieldIssues = {};
  const type = fields.type ?? before?.type ?? "chain";
  const readers = await planReaders(ctx, { ...fields, type }, issues, before && (await readersOf(ctx, before)));
  const times = isWrong("all_day") ? undefined : await planTimes(ctx, fields, issues, before);
  return { ...(await tooManyEntries(ctx, fields, { readers, times, id: before?.id })), ...issues };
}

/** Returns an issue when the occurrences and readers of the event `id` are too many after a change. */
async function tooManyEntries(
  { db }: Ctx,
  fields: Fields,
  { readers, times, id }: { readers: Readers; times: EventTimes | undefined; id?: number | undefined },
): Promise<FieldIssues> {
  const isLonger = fields.units !== undefined || fields.shares !== undefined;
  const stored = times === undefined && isLonger && id !== undefined ? await countOccurrences(db, id) : 0;
  return entryIssues(readers, times?.occurrences.length ?? stored, fields);
}

interface Planned {
  readonly times: EventTimes | undefined;
  readonly issues: FieldIssues;
}

async function addEvent(ctx: Ctx, { uid: given, ...fields }: Input, planned: Planned) {
  const uid = given ?? `${randomUUID()}@wcs`;
  const issues: FieldIssues = {};
  const readers = await planReaders(ctx, fields, issues);
  const entries = await tooManyEntries(ctx, fields, { readers, times: planned.times });
  requireNoIssues({ ...entries, ...issues, ...planned.issues, ...(await fileIssues(ctx, fields.files ?? [])) });
  await requireEventPlaces(ctx, readers);
  await requireFreeUid(ctx, uid);
  // An event without times has issues, which were refused above.
  const { occurrences, columns } = planned.times!;
  const audience_id = await addAudience(ctx, eventAudienceOf(readers));
  const { title, type } = fields;
  const kind = { audience_id, title, title_key: titleLookupKey(title), type, uid };
  const times = { ...columns, created_at: ctx.now, updated_at: ctx.now };
  const id = await insertRow(ctx.db, "events", { ...texts(fields), ...kind, ...times });
  await replaceOccurrences(ctx, id, occurrences);
  await addEventPlaces(ctx, { id, author: ctx.actor.id, readers });
  await addFiles(ctx, "event", id, fields.files ?? []);
  return { ...(await loadEvent(ctx, id)), message: `Event ${id} was created.` };
}

/** Changes an event in the transaction. Plans the times again if they were changed after the plan. */
async function changeStored(
  ctx: Ctx,
  id: number,
  fields: Fields,
  { before: plannedFrom, ...planned }: Planned & { before: EventRow },
) {
  const before = await editableEvent(ctx, id);
  const readersBefore = await readersOf(ctx, before);
  const issues: FieldIssues = {};
  const readers = await planReaders(ctx, { ...fields, type: fields.type ?? before.type }, issues, readersBefore);
  const isAsPlanned = Object.keys(listChangedColumns(plannedFrom, eventTimesOf(before))).length === 0;
  const { times } = isAsPlanned ? planned : { times: await planTimes(ctx, fields, issues, before) };
  const entries = await tooManyEntries(ctx, fields, { readers, times, id });
  Object.assign(issues, isAsPlanned && planned.issues);
  requireNoIssues({ ...entries, ...issues, ...(await fileIssues(ctx, fields.files ?? [])) });
  if (readers.type === "user" && before.author_id !== ctx.actor.id) {
    throw new ServiceError("forbidden", `Only its author can make event ${id} personal.`);
  }
  await requireEventPlaces(ctx, readers, readersBefore);
  const changes = listChangedColumns(before, { ...texts(fields), ...times?.columns, type: readers.type });
  const isAudienceNew = !isDeepStrictEqual(readers, readersBefore);
  if (Object.keys(changes).length === 0 && !isAudienceNew && fields.files === undefined) return;
  const title_key = changes.title === undefined ? undefined : titleLookupKey(changes.title);
  await updateRow(ctx.db, "events", id, { ...changes, title_key, updated_at: ctx.now });
  if (isAudienceNew || times !== undefined) {
    const author = before.author_id;
    await removeEventPlaces(ctx, { id, author, readers: readersBefore });
    if (isAudienceNew) await changeAudience(ctx, before.audience_id, eventAudienceOf(readers));
    if (times !== undefined) await replaceOccurrences(ctx, id, times.occurrences);
    await addEventPlaces(ctx, { id, author, readers });
  }
  if (fields.files === undefined) return;
  await removeFiles(ctx, "event", [id]);
  await addFiles(ctx, "event", id, fields.files);
}

const erased = {
  title: "",
  title_key: "",
  body: "",
  location: null,
  link: "",
  recurrence: "[]",
  file_count: 0,
  accepted_count: 0,
  rejected_count: 0,
} as const;

function texts({ title, body, location, link, fileCount }: Fields) {
  return { title, body, location, link, file_count: fileCount };
}

async function readersOf({ db }: Ctx, { audience_id, type, owner_unit_id }: EventRow): Promise<Readers> {
  const { units, userTypes, shares } = await loadAudience(db, audience_id);
  const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
  return { type, units: ids(units), userTypes: ids(userTypes), shares, owner: owner_unit_id };
}

async function requireFreeUid({ db, actor }: Ctx, uid: string): Promise<void> {
  const taken = await db
    .selectFrom("events as e")
    .innerJoin("audiences as a", "a.id", "e.audience_id")
    .select("e.id")
    .where("e.uid", "=", uid)
    .where("a.author_id", "=", actor.id)
    .where("e.deleted_at", "is", null)
    .executeTakeFirst();
  if (taken) throw new ServiceError("conflict", `Your event ${taken.id} has this uid already.`);
}
