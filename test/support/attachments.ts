import { events } from "../../src/contract/events.ts";
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
  const start = instance.now();
  const event = { title: "Event", type: "user", start, end: start + 3600, shares } as const;
  return (await (await instance.as(author)).call(events.create, event)).id;
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
