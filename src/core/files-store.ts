import type { File, FileItem } from "../contract/file-forms.ts";
import type { FileOwner } from "../store/schema-content.ts";
import type { Ctx } from "./context.ts";

/** Attaches files to a thing. `validation_failed` names every file that is no good, as in `files.0.data`. */
export async function addFiles(
  _ctx: Ctx,
  _owner: FileOwner,
  _ownerId: number,
  _items: readonly FileItem[],
): Promise<void> {
  throw new Error("not yet");
}

/** Removes all files of things, or those of the given IDs, with what nothing else refers to. */
export async function removeFiles(
  _ctx: Ctx,
  _owner: FileOwner,
  _ownerIds: readonly number[],
  _ids?: readonly number[],
): Promise<void> {
  throw new Error("not yet");
}

/** Files as the API shows them, by the thing they belong to, in the order in which they were attached. */
export async function presentFiles(
  _ctx: Ctx,
  _owner: FileOwner,
  _ownerIds: readonly number[],
): Promise<Map<number, File[]>> {
  return new Map();
}
