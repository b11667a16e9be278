import { ServiceError } from "../../contract/errors.ts";
import type { events as contract } from "../../contract/events.ts";
import { updateRow } from "../../store/bulk.ts";
import { addFiles, removeFiles } from "../files/attached-files.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { editableEvent } from "./find-event.ts";

export const eventFileHandlers = {
  async filesAdd(ctx, { id, files: items }) {
    await editableEvent(ctx, id);
    await addFiles(ctx, "event", id, items);
    await touch(ctx, id);
  },

  async filesAddTo(ctx, { id, files: items }) {
    await editableEvent(ctx, id);
    await addFiles(ctx, "event", id, items);
    await touch(ctx, id);
  },

  async fileDelete(ctx, { id, file }) {
    await editableEvent(ctx, id);
    if ((await removeFiles(ctx, "event", [id], [file])) === 0) {
      throw new ServiceError("not_found", `Event ${id} has no file ${file}.`);
    }
    await touch(ctx, id);
  },
} satisfies Partial<Handlers<typeof contract>>;

async function touch({ db, now }: Ctx, id: number): Promise<void> {
  await updateRow(db, "events", id, { updated_at: now });
}
