import { ServiceError } from "../../../contract/errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findUsers } from "../../kit/find-users.ts";
import { parseInteger } from "../../kit/parse-value.ts";
import { download } from "./download-file.ts";
import type { ImageOwner } from "./image-commands.ts";

/** Downloads the image of an owner like `wcs files get`. */
export function downloadImage(context: Context, { owner, noun, read }: ImageOwner): Promise<void> {
  return download(context, async (caller) => {
    const given = context.args[owner];
    const label = `<${owner}>`;
    const [id = 0] = owner === "user" ? await findUsers([String(given)], label, caller) : [parseInteger(given, label)];
    const { name, image } = await read(caller, id);
    if (image === null) throw new ServiceError("not_found", `${name} has no ${noun}.`);
    return image.id;
  });
}
