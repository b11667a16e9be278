import { type FieldErrors, invalid } from "../../contract/errors.ts";
import type { FileItem } from "../../contract/file-schemas.ts";
import type { FileOwner } from "../../store/schema/content-schema.ts";
import type { Ctx } from "../pipeline/context.ts";
import { addFiles, fileIssues, removeFiles } from "./attached-files.ts";
import { inspect, sizeOf } from "./inspect-upload.ts";

/** Maximum size of an image in bytes. */
const mostBytes = 5 * 1024 * 1024;
const formats = new Set(["image/png", "image/apng", "image/jpeg", "image/gif", "image/webp"]);

/** An owner that has one image at most. */
type ImageOwner = Extract<FileOwner, "user" | "unit">;

/** Replaces the image of an owner. Returns false when it has this image already. */
export async function setImage(ctx: Ctx, owner: ImageOwner, id: number, files: readonly FileItem[]): Promise<boolean> {
  const issues = await imageIssues(ctx, files);
  if (Object.keys(issues).length > 0) throw invalid(issues);
  const before = await ctx.db
    .selectFrom("files")
    .select(["sha256", "name"])
    .where("owner", "=", owner)
    .where("owner_id", "=", id)
    .executeTakeFirst();
  const [item] = files;
  const upload = item && (await inspect(item));
  if (before !== undefined && before.sha256 === upload?.sha256 && before.name === item?.name) return false;
  await removeFiles(ctx, owner, [id]);
  await addFiles(ctx, owner, id, files);
  return true;
}

async function imageIssues(ctx: Ctx, files: readonly FileItem[]): Promise<FieldErrors> {
  const issues: FieldErrors = {};
  for (const [index, item] of files.entries()) {
    if (item.type !== "upload") issues[`files.${index}.type`] = ["must be upload"];
    else if (sizeOf(item.data) > mostBytes) issues[`files.${index}.data`] = [`must have at most ${mostBytes} bytes`];
  }
  if (Object.keys(issues).length > 0) return issues;
  Object.assign(issues, await fileIssues(ctx, files));
  for (const [index, item] of files.entries()) {
    const upload = await inspect(item);
    if (upload === undefined) continue;
    const field = `files.${index}.data`;
    if (!formats.has(upload.mime)) issues[field] ??= [`must be a PNG, JPEG, GIF or WebP image, not ${upload.mime}`];
    else if (upload.width === null) issues[field] ??= ["is a damaged image: it has no dimensions"];
  }
  return issues;
}
