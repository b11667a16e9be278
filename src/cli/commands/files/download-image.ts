import { ServiceError } from "../../../contract/errors.ts";
import type { AnyOperation } from "../../../contract/operation.ts";
import type { units } from "../../../contract/units.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { download } from "./download-file.ts";

/** A thing that has one image at most, and the operations on the image. */
export interface ImageOwner {
  readonly owner: "user" | "unit" | "group";
  readonly noun: "avatar" | "image";
  readonly ops: {
    readonly get: AnyOperation;
    readonly set: typeof units.imageSet;
    readonly delete: typeof units.imageDelete;
  };
  /** An owner and the name of a picture in examples. */
  readonly example: readonly [owner: string, picture: string];
}

export function downloadImage(context: Context, { owner, noun, ops }: ImageOwner): Promise<void> {
  return download(context, async (caller) => {
    const id = await findOneByName(`${owner}s`, `<${owner}>`, context.args[owner], caller, context.terminal);
    const { name, [noun]: image } = await caller.call(ops.get, { id });
    if (image === null) throw new ServiceError("not_found", `${name} has no ${noun}.`);
    return image.id;
  });
}
