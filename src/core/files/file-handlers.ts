import { ServiceError } from "../../contract/errors.ts";
import type { FileItem } from "../../contract/file-schemas.ts";
import type { Ctx } from "../pipeline/context.ts";
import { addFiles, removeFiles } from "./attached-files.ts";

/** The functions of a thing with files; `find` throws when the actor may not edit it. */
interface Owner {
  readonly find: (ctx: Ctx, id: number) => Promise<unknown>;
  readonly touch: (ctx: Ctx, id: number) => Promise<void>;
}

/** Returns the handlers of operations that add files to a post or an event, and remove one. */
export const fileHandlers = (owner: "post" | "event", { find, touch }: Owner) => ({
  async filesAdd(ctx: Ctx, { id, files }: { id: number; files: readonly FileItem[] }): Promise<undefined> {
    await find(ctx, id);
    await addFiles(ctx, owner, id, files);
    await touch(ctx, id);
  },

  async fileDelete(ctx: Ctx, { id, file }: { id: number; file: number }): Promise<undefined> {
    await find(ctx, id);
    if ((await removeFiles(ctx, owner, [id], [file])) === 0) {
      const name = owner === "post" ? "Post" : "Event";
      throw new ServiceError("not_found", `${name} ${id} has no file ${file}.`);
    }
    await touch(ctx, id);
  },
});
