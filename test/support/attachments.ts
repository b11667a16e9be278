import type { File, FileItem } from "../../src/contract/file-forms.ts";
import type { Ctx } from "../../src/core/context.ts";
import { addFiles, presentFiles, removeFiles } from "../../src/core/files-store.ts";
import type { World } from "./actors.ts";

type Inside = (work: (ctx: Ctx) => Promise<unknown>) => Promise<void>;

/** Runs `work` in a transaction with what the files of the core need. */
export function inside({ instance }: World, lasting: "write" | "writeLocking" = "write"): Inside {
  return async (work) => {
    const settings = await instance.service.settings();
    await instance.database[lasting]((db) => work({ db, settings, now: instance.now() } as unknown as Ctx));
  };
}

/** An event of that user for himself and those whom it is shared with. Its ID. */
export async function addPersonalEvent({ instance }: World, author: number, shares: number[] = []): Promise<number> {
  return instance.database.write(async (tx) => {
    const audience = await tx
      .insertInto("audiences")
      .values({ author_id: author, owner_unit_id: null, personal: 1, group_id: null })
      .returning("id")
      .executeTakeFirstOrThrow();
    for (const user_id of shares) {
      await tx.insertInto("audience_shares").values({ audience_id: audience.id, user_id }).execute();
    }
    const now = instance.now();
    const event = await tx
      .insertInto("events")
      .values({
        audience_id: audience.id,
        type: "user",
        title: "Event",
        location: null,
        date: null,
        start_at: now,
        end_at: now + 3600,
        uid: `event-${audience.id}@example.com`,
        created_at: now,
        updated_at: now,
        deleted_at: null,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return event.id;
  });
}

/** Attaches files to an event; all that it has then. */
export async function attach(world: World, event: number, items: readonly FileItem[]): Promise<File[]> {
  let files: File[] = [];
  await inside(world)(async (ctx) => {
    await addFiles(ctx, "event", event, items);
    files = (await presentFiles(ctx, "event", [event])).get(event) ?? [];
  });
  return files;
}

export async function detach(world: World, event: number, ids?: number[]): Promise<void> {
  await inside(world)((ctx) => removeFiles(ctx, "event", [event], ids));
}

export const upload = (name: string, bytes: Uint8Array | string): FileItem => ({
  type: "upload",
  name,
  data: Buffer.from(bytes).toString("base64"),
});
