import { ServiceError } from "../../../contract/errors.ts";
import type { File } from "../../../contract/file-schemas.ts";
import type { Caller } from "../../../contract/operation.ts";
import type { units } from "../../../contract/units.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { download } from "./download-file.ts";

/** A thing that has one image at most, and the operations on the image. */
export interface ImageOwner {
  readonly owner: "user" | "unit" | "group";
  readonly noun: "avatar" | "image";
  readonly imageSet: typeof units.imageSet;
  readonly imageDelete: typeof units.imageDelete;
  readonly read: (caller: Caller, id: number) => Promise<{ readonly name: string; readonly image: File | null }>;
  /** An owner and the name of a picture in examples. */
  readonly example: readonly [owner: string, picture: string];
}

/** Downloads the image of an owner like `wcs files get`. */
export function downloadImage(context: Context, { owner, noun, read }: ImageOwner): Promise<void> {
  return download(context, async (caller) => {
    const id = await findOneByName(`${owner}s`, `<${owner}>`, context.args[owner], caller, context.terminal);
    const { name, image } = await read(caller, id);
    if (image === null) throw new ServiceError("not_found", `${name} has no ${noun}.`);
    return image.id;
  });
}
