import type { FieldIssues } from "../../contract/errors.ts";
import type { FileItem } from "../../contract/file-schemas.ts";
import { findRow, updateRow } from "../../store/bulk.ts";
import type { FileOwner } from "../../store/schema/column-types.ts";
import type { Ctx } from "../pipeline/context.ts";
import { hasIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { addFiles, fileIssues, removeFiles } from "./attached-files.ts";
import { inspect, sizeOf } from "./inspect-upload.ts";

const maxBytes = 5 * 1024 * 1024;
const formats = new Set(["image/png", "image/apng", "image/jpeg", "image/gif", "image/webp"]);

/** Owners that have one image at most, with their tables. */
const tables = { user: "users", unit: "units", group: "groups" } as const satisfies Partial<Record<FileOwner, string>>;
type ImageOwner = keyof typeof tables;

/** Returns the handlers of the image of an owner. `find` throws where the access of the operation does not suffice. */
export function imageHandlers(owner: ImageOwner, find?: (ctx: Ctx, id: number) => Promise<unknown>) {
  return {
    async set(ctx: Ctx, { id, files }: { id: number; files: FileItem[] }): Promise<undefined> {
      await find?.(ctx, id);
      if (await setImage(ctx, owner, id, files)) await recordChange(ctx, owner, id);
    },

    async delete(ctx: Ctx, { id }: { id: number }): Promise<undefined> {
      await find?.(ctx, id);
      if ((await removeFiles(ctx, owner, [id])) > 0) await recordChange(ctx, owner, id);
    },
  };
}

async function recordChange(ctx: Ctx, owner: ImageOwner, id: number): Promise<void> {
  await updateRow(ctx.db, tables[owner], id, { updated_at: ctx.now });
  if (owner !== "group") ctx.changed(`${owner}.update`, id);
}

/** Replaces the image of an owner. Returns false when it has this image already. */
async function setImage(ctx: Ctx, owner: ImageOwner, id: number, files: readonly FileItem[]): Promise<boolean> {
  requireNoIssues(await imageIssues(ctx, files));
  const before = await findRow(ctx.db, "files", { owner, owner_id: id }, ["sha256", "name"]);
  const [item] = files;
  const upload = item && (await inspect(item));
  if (before !== undefined && before.sha256 === upload?.sha256 && before.name === item?.name) return false;
  await removeFiles(ctx, owner, [id]);
  await addFiles(ctx, owner, id, files);
  return true;
}

async function imageIssues(ctx: Ctx, files: readonly FileItem[]): Promise<FieldIssues> {
  const issues: FieldIssues = {};
  for (const [index, item] of files.entries()) {
    if (item.type !== "upload") issues[`files.${index}.type`] = ["must be upload"];
    else if (sizeOf(item.data) > maxBytes) issues[`files.${index}.data`] = [`must have at most ${maxBytes} bytes`];
  }
  if (hasIssues(issues)) return issues;
  Object.assign(issues, await fileIssues(ctx, files));
  for (const [index, item] of files.entries()) {
    const upload = await inspect(item);
    if (upload === undefined) continue;
    const field = `files.${index}.data`;
    if (!formats.has(upload.mime)) issues[field] ??= [`must be a PNG, JPEG, GIF or WebP image, not ${upload.mime}`];
    else if (upload.width === null) issues[field] ??= ["is a damaged image"];
  }
  return issues;
}
