import type { users as contract } from "../../contract/users.ts";
import { removeFiles } from "../files/attached-files.ts";
import { setImage } from "../files/owner-image.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";

export const avatar: Pick<Handlers<typeof contract>, "avatarSet" | "avatarDelete"> = {
  async avatarSet(ctx, { id, files }) {
    if (await setImage(ctx, "user", id, files)) await touch(ctx, id);
  },

  async avatarDelete(ctx, { id }) {
    if ((await removeFiles(ctx, "user", [id])) > 0) await touch(ctx, id);
  },
};

async function touch(ctx: Ctx, id: number): Promise<void> {
  await ctx.db.updateTable("users").set({ updated_at: ctx.now }).where("id", "=", id).execute();
  ctx.changed("user.update", id);
}
