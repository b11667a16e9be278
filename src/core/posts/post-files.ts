import { ServiceError } from "../../contract/errors.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { addFiles, removeFiles } from "../files/attached-files.ts";
import type { Handlers } from "../pipeline/context.ts";
import { findEditable } from "./find-post.ts";
import { touch } from "./index-post.ts";

export const postFileHandlers = {
  async filesAdd(ctx, { id, files }) {
    await findEditable(ctx, id);
    await addFiles(ctx, "post", id, files);
    await touch(ctx, id);
  },

  async fileDelete(ctx, { id, file }) {
    await findEditable(ctx, id);
    const removed = await removeFiles(ctx, "post", [id], [file]);
    if (removed === 0) throw new ServiceError("not_found", `Post ${id} has no file ${file}.`);
    await touch(ctx, id);
  },
} satisfies Partial<Handlers<typeof contract>>;
