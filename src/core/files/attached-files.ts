import { sql } from "kysely";
import { memoize } from "../../contract/bounded-map.ts";
import type { FieldIssues } from "../../contract/errors.ts";
import type { File, FileItem } from "../../contract/file-schemas.ts";
import { countRows, insertRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { type Nested, nested, rowsIn } from "../../store/nested-rows.ts";
import { prepared } from "../../store/prepared.ts";
import type { FileOwner } from "../../store/schema/column-types.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import type { Ctx } from "../pipeline/context.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { accountOfUser, recordEvents, requireBelowLimits } from "../pipeline/rate-limits.ts";
import { chunkBytes, removeUnusedContents, storeContent } from "./file-contents.ts";
import { videoIssue, videoUrl } from "./video-urls.ts";

const maxFiles = 200;

/** Attaches files to their owner. Throws `validation_failed` with an error for each invalid file, as in `files.0.data`. */
export async function addFiles(ctx: Ctx, owner: FileOwner, ownerId: number, items: readonly FileItem[]): Promise<void> {
  if (items.length === 0) return;
  const issues = await fileIssues(ctx, items);
  const count = await countRows(ctx.db.selectFrom("files").where("owner", "=", owner).where("owner_id", "=", ownerId));
  if (count + items.length > maxFiles) {
    issues.files = [`exceed the maximum of ${maxFiles} files; there are ${count} already`];
  }
  requireNoIssues(issues);
  await countChunks(ctx, items);
  const rows = [];
  for (const item of items) {
    rows.push({ owner, owner_id: ownerId, ...(await storeFile(ctx, item)), created_at: ctx.now, updated_at: ctx.now });
  }
  await insertRows(ctx.db, "files", rows);
}

/** Counts the chunks of uploads by user. Throws `too_many_requests` at the limit, so that no member fills the disk. */
async function countChunks(ctx: Ctx, items: readonly FileItem[]): Promise<void> {
  const { actor, token, apiToken } = ctx;
  const uploads = items.filter(({ type }) => type === "upload");
  // Neither access to the database itself nor an administrator, who may import the files of all, has a limit.
  if (uploads.length === 0 || actor.admin || !(token || apiToken)) return;
  const { sizeOf } = await import("./inspect-upload.ts");
  const count = uploads.reduce((sum, { data }) => sum + Math.ceil(sizeOf(data) / chunkBytes), 0);
  const event = { kind: "upload", account: accountOfUser(actor.id) } as const;
  const message = "You uploaded too much in 24 hours; try again later, or ask an administrator.";
  await requireBelowLimits(ctx, event, count, message);
  await recordEvents(ctx, Array(count).fill(event));
}

/** Returns the validation errors of files by field. Decodes each file only once, and skips undefined ones. */
export async function fileIssues(ctx: Ctx, items: readonly (FileItem | undefined)[]): Promise<FieldIssues> {
  const issues: FieldIssues = {};
  for (const [index, item] of items.entries()) {
    if (item === undefined) continue;
    const issue = item.type === "upload" ? await uploadIssue(ctx, item) : videoIssue(item.type, item.data);
    if (issue !== undefined) issues[`files.${index}.data`] = [issue];
  }
  return issues;
}

async function uploadIssue(ctx: Ctx, item: FileItem): Promise<string | undefined> {
  const { inspect, sizeOf } = await import("./inspect-upload.ts");
  const { extensionOf, fitsExtension } = await import("./file-types.ts");
  const max = ctx.settings["uploads.max_bytes"];
  if (sizeOf(item.data) > max) return `must have at most ${max} bytes`;
  const content = await inspect(item);
  if (content === undefined) return "must be base64 (RFC 4648), padded, without spaces or line breaks";
  const extension = extensionOf(item.name);
  return fitsExtension(extension, content.mime)
    ? undefined
    : `is ${content.mime}, which does not match the extension .${extension}`;
}

/** Returns the columns that describe a checked file. Stores the content of an upload. */
async function storeFile({ db }: Ctx, item: FileItem) {
  const { type, name, data } = item;
  if (type !== "upload") {
    const none = { extension: "", size: 0, width: null, height: null, sha256: null };
    return { type, name, mime: `video/${type}`, ...none, source: videoUrl(type, data) ?? null };
  }
  const { chunksOf, inspect } = await import("./inspect-upload.ts");
  const { extensionOf } = await import("./file-types.ts");
  const upload = await inspect(item);
  if (upload === undefined) throw new Error("an upload that is not base64 passed the checks");
  await storeContent(db, upload, () => chunksOf(data));
  const { sha256, size, mime, width, height } = upload;
  return {
    type,
    name,
    extension: extensionOf(name) || upload.extension,
    mime,
    size,
    width,
    height,
    source: null,
    sha256,
  };
}

/** Removes the files of the owners, or only those in `ids`, with unused contents. Returns the number of removed files. */
export async function removeFiles(
  { db }: Ctx,
  owner: FileOwner,
  ownerIds: readonly number[],
  ids?: readonly number[],
): Promise<number> {
  let deletion = db.deleteFrom("files").where("owner", "=", owner).where("owner_id", "in", ownerIds);
  if (ids) deletion = deletion.where("id", "in", ids);
  const removed = await deletion.returning("sha256").execute();
  await removeUnusedContents(db, [...new Set(removed.flatMap(({ sha256 }) => sha256 ?? []))]);
  return removed.length;
}

const filesOfMessages = prepared((db, p: { ids: readonly number[] }) =>
  db.selectFrom("files").selectAll().where("owner", "=", "message").where("owner_id", "in", p.ids).orderBy("id"),
);

const fileColumns = [
  "id",
  "name",
  "mime",
  "size",
  "type",
  "extension",
  "height",
  "width",
  "source",
  "created_at",
  "updated_at",
] as const;
type FileRow = RowOf<"files", (typeof fileColumns)[number]>;

/** Returns the files of an owner as a column of a query in which `id` is the ID of the owner; see `presentNestedFiles`. */
export function filesOf(db: Db, owner: FileOwner, id: string) {
  return nested(
    db,
    db
      .selectFrom("files as f")
      .select(fileColumns.map((column) => `f.${column}` as const))
      .where("f.owner", "=", sql.lit(owner))
      .where("f.owner_id", "=", sql.ref<number>(id)),
  );
}

export function presentNestedFiles({ settings }: Ctx, files: Nested<FileRow>): File[] {
  return rowsIn(files, "id").map((row) => present(row, settings.timezone));
}

/** Returns the API's representation of the files of messages, by message, in the order in which they were attached. */
export async function presentMessageFiles(ctx: Ctx, ids: readonly number[]): Promise<Map<number, File[]>> {
  if (ids.length === 0) return new Map();
  const { timezone } = ctx.settings;
  const files = Map.groupBy(await filesOfMessages(ctx.db, { ids }), ({ owner_id }) => owner_id);
  return new Map([...files].map(([id, rows]) => [id, rows.map((row) => present(row, timezone))]));
}

function present({ id, name, mime, size, type, extension, height, width, ...row }: FileRow, timezone: string): File {
  const source = row.source ?? `/files/${id}`;
  return {
    id,
    name,
    mime,
    size,
    type,
    extension,
    uploaded: true,
    processing: false,
    height,
    width,
    source,
    stream: type === "upload" && /^(video|audio)\//.test(mime) ? source : null,
    versions: {},
    screenshot: null,
    date: row.created_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_formatted: formatTime(row.created_at, timezone),
    updated_formatted: formatTime(row.updated_at, timezone),
  };
}

const formatterIn = memoize(
  (timeZone: string) => new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" }),
);

/** Formats a time as `YYYY-MM-DD HH:MM`, which is the Swedish format. */
const formatTime = (time: number, timeZone: string): string => formatterIn(timeZone).format(time * 1000);
