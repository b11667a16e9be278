import { type FieldErrors, invalid } from "../contract/errors.ts";
import type { File, FileItem } from "../contract/file-forms.ts";
import { insertRows } from "../store/bulk.ts";
import { isAmong } from "../store/dialect.ts";
import { prepared } from "../store/prepared.ts";
import type { FileOwner } from "../store/schema-content.ts";
import type { Ctx } from "./context.ts";
import { keepContent, removeUnused } from "./file-contents.ts";
import type { Upload } from "./uploads.ts";

/** How many files one thing can have. */
const mostFiles = 200;

/** Attaches files to a thing. `validation_failed` names every file that is no good, as in `files.0.data`. */
export async function addFiles(ctx: Ctx, owner: FileOwner, ownerId: number, items: readonly FileItem[]): Promise<void> {
  if (items.length === 0) return;
  const mistakes = await fileMistakes(ctx, items);
  const { count } = await ctx.db
    .selectFrom("files")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("owner", "=", owner)
    .where("owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  if (count + items.length > mostFiles) {
    mistakes.files = [`are too many: ${count} are there already, and there can be ${mostFiles}`];
  }
  if (Object.keys(mistakes).length > 0) throw invalid(mistakes);
  const rows = [];
  for (const item of items) {
    const upload = item.type === "upload" ? await keep(ctx, item) : undefined;
    rows.push({
      owner,
      owner_id: ownerId,
      ...(await describe(item, upload)),
      created_at: ctx.now,
      updated_at: ctx.now,
    });
  }
  await insertRows(ctx.db, "files", rows);
}

/**
 * What is wrong with files that are to be attached, by field; for those who check more at the same time. Each file is
 * decoded once, however often it is asked about.
 */
export async function fileMistakes(ctx: Pick<Ctx, "settings">, items: readonly FileItem[]): Promise<FieldErrors> {
  const mistakes: FieldErrors = {};
  for (const [index, item] of items.entries()) {
    const mistake = item.type === "upload" ? await uploadMistake(ctx, item) : await videoMistake(item);
    if (mistake !== undefined) mistakes[`files.${index}.data`] = [mistake];
  }
  return mistakes;
}

async function uploadMistake(ctx: Pick<Ctx, "settings">, item: FileItem): Promise<string | undefined> {
  const { inspect, sizeOf } = await import("./uploads.ts");
  const { extensionOf, fits } = await import("./file-types.ts");
  const most = ctx.settings["uploads.max_bytes"];
  if (sizeOf(item.data) > most) return `must have at most ${most} bytes`;
  const content = await inspect(item);
  if (content === undefined) return "must be base64 (RFC 4648), padded, without spaces or line breaks";
  const extension = extensionOf(item.name);
  return fits(extension, content.mime) ? undefined : `is ${content.mime}, not what is called .${extension}`;
}

async function videoMistake({ type, data }: FileItem): Promise<string | undefined> {
  const { hosts, videoUrl } = await import("./videos.ts");
  if (type === "upload" || videoUrl(type, data) !== undefined) return undefined;
  return `must be a URL that begins with https:// and one of ${hosts[type].join(", ")}`;
}

/** Keeps the content of an upload. What it is. */
async function keep({ db }: Ctx, item: FileItem): Promise<Upload> {
  const { chunksOf, inspect } = await import("./uploads.ts");
  const upload = (await inspect(item))!;
  await keepContent(db, upload, () => chunksOf(item.data));
  return upload;
}

async function describe({ type, name, data }: FileItem, upload: Upload | undefined) {
  if (type === "upload") {
    const { extensionOf } = await import("./file-types.ts");
    const { sha256, size, mime, width, height } = upload!;
    const extension = extensionOf(name) || upload!.extension;
    return { type, name, extension, mime, size, width, height, source: null, sha256 };
  }
  const { videoUrl } = await import("./videos.ts");
  const none = { extension: "", size: 0, width: null, height: null, sha256: null };
  return { type, name, mime: `video/${type}`, ...none, source: videoUrl(type, data) ?? null };
}

/** Removes all files of things, or those of the given IDs, with the contents that nothing else refers to. How many they were. */
export async function removeFiles(
  { db }: Ctx,
  owner: FileOwner,
  ownerIds: readonly number[],
  ids?: readonly number[],
): Promise<number> {
  let deletion = db
    .deleteFrom("files")
    .where("owner", "=", owner)
    .where((eb) => isAmong(db, eb.ref("owner_id"), ownerIds));
  if (ids) deletion = deletion.where((eb) => isAmong(db, eb.ref("id"), ids));
  const removed = await deletion.returning("sha256").execute();
  await removeUnused(db, [...new Set(removed.flatMap(({ sha256 }) => sha256 ?? []))]);
  return removed.length;
}

const filesByOwner = prepared((db, p: { owner: FileOwner; ids: readonly number[] }) =>
  db
    .selectFrom("files")
    .selectAll()
    .where("owner", "=", p.owner)
    .where((eb) => isAmong(db, eb.ref("owner_id"), p.ids))
    .orderBy("id"),
);
type Row = Awaited<ReturnType<typeof filesByOwner>>[number];

/** Files as the API shows them, by the thing they belong to, in the order in which they were attached. */
export async function presentFiles(
  ctx: Ctx,
  owner: FileOwner,
  ownerIds: readonly number[],
): Promise<Map<number, File[]>> {
  const files = new Map<number, File[]>();
  if (ownerIds.length === 0) return files;
  const { timezone } = ctx.settings;
  for (const row of await filesByOwner(ctx.db, { owner, ids: ownerIds })) {
    const list = files.get(row.owner_id);
    if (list) list.push(present(row, timezone));
    else files.set(row.owner_id, [present(row, timezone)]);
  }
  return files;
}

function present({ id, name, mime, size, type, extension, height, width, ...row }: Row, timezone: string): File {
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
    versions: [],
    screenshot: null,
    date: row.created_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_formatted: formatted(row.created_at, timezone),
    updated_formatted: formatted(row.updated_at, timezone),
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** `YYYY-MM-DD HH:MM`, as Swedish has it. */
function formatted(time: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" });
    formats.set(timeZone, format);
  }
  return format.format(time * 1000);
}
