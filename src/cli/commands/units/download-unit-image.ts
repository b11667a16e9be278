import { ServiceError } from "../../../contract/errors.ts";
import { units } from "../../../contract/units.ts";
import type { Context } from "../../kit/command-spec.ts";
import { parseInteger } from "../../kit/parse-value.ts";
import { download } from "../files/download-file.ts";

/** `wcs units image get`: downloads the image of a unit like `wcs files get`. */
export function downloadUnitImage(context: Context): Promise<void> {
  return download(context, async (caller) => {
    const { name, image } = await caller.call(units.get, { id: parseInteger(context.args.unit, "<unit>") });
    if (image === null) throw new ServiceError("not_found", `${name} has no image.`);
    return image.id;
  });
}
