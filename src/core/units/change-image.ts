import type { units as contract } from "../../contract/units.ts";
import { removeFiles } from "../files/attached-files.ts";
import { setImage } from "../files/owner-image.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";

export const image: Pick<Handlers<typeof contract>, "imageSet" | "imageDelete"> = {
  async imageSet(ctx, { id, files }) {
    if (await setImage(ctx, "unit", id, files)) await touch(ctx, id);
  },

  async imageDelete(ctx, { id }) {
    if ((await removeFiles(ctx, "unit", [id])) > 0) await touch(ctx, id);
  },
};

async function touch(ctx: Ctx, id: number): Promise<void> {
  await ctx.db.updateTable("units").set({ updated_at: ctx.now }).where("id", "=", id).execute();
  ctx.changed("unit.update", id);
}
