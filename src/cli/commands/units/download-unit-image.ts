import { ServiceError } from "../../../contract/errors.ts";
import { units } from "../../../contract/units.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { download } from "../files/download-file.ts";

/** `wcs units image get`: downloads the image of a unit like `wcs files get`. */
export function downloadUnitImage(context: Context): Promise<void> {
  return download(context, async (caller) => {
    const id = await findOneByName("units", "<unit>", context.args.unit, caller, context.terminal);
    const { name, image } = await caller.call(units.get, { id });
    if (image === null) throw new ServiceError("not_found", `${name} has no image.`);
    return image.id;
  });
}
