import { existsSync } from "node:fs";
import { type FileHandle, mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ServiceError } from "../../../contract/errors.ts";
import type { ItemOf } from "../../../contract/operation.ts";
import { users } from "../../../contract/users.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { isDiskFull } from "../../errors/disk-failure.ts";
import { cannotWrite } from "../../file-io/open-destination.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { walk } from "../../kit/walk-list.ts";
import { createOutput } from "../../output/create-output.ts";
import { safeName } from "../files/safe-name.ts";

type Item = ItemOf<typeof users.exportData>;

/** The sections with the bytes of files, as chunks. */
const contentSections = ["file_contents", "private_file_contents"];

export async function exportUserData(context: Context): Promise<void> {
  const { args, flags, terminal } = context;
  if (flags.to === undefined) throw new UsageError("missing --to", { hint: "name a new folder" });
  const folder = resolve(flags.to as string);
  requireFree(folder);
  const output = createOutput({ sample: { folder: "", records: 0, files: 0 } }, context);
  const signal = context.stopOnInterrupt();
  const { caller } = await context.connect();
  const id = await findOneByName("users", "<user>", args.user, { caller, terminal });
  const draft = await createDraft(folder);
  const writer = createWriter(draft);
  try {
    for await (const { items } of walk(caller, users.exportData, { id })) {
      signal.throwIfAborted();
      for (const item of items) await writer.write(item);
      terminal.progress(`exporting records  ${writer.count.records.toLocaleString("en")}`);
    }
    await writer.end();
    requireFree(folder);
    await rename(draft, folder);
  } finally {
    await writer.end().catch(() => {});
    await rm(draft, { recursive: true, force: true });
  }
  await output.one({ folder, ...writer.count });
  terminal.note("The folder contains personal data; keep it safe.");
}

function requireFree(folder: string): void {
  if (existsSync(folder)) throw new ServiceError("conflict", `${folder} already exists. Name a new folder.`);
}

async function createDraft(folder: string): Promise<string> {
  try {
    return await mkdtemp(join(dirname(folder), `.${basename(folder)}-`));
  } catch (error) {
    if (isDiskFull(error)) throw error;
    throw cannotWrite(folder, error);
  }
}

function createWriter(folder: string) {
  const count = { records: 0, files: 0 };
  let current: { readonly name: string; readonly file: FileHandle; readonly tail: string } | undefined;
  const end = async () => {
    const { file, tail } = current ?? {};
    current = undefined;
    await file?.write(tail ?? "").finally(() => file.close());
  };
  const begin = async (name: string, tail: string) => {
    if (current?.name === name) return false;
    await end();
    current = { name, tail, file: await open(join(folder, name), "wx", 0o600) };
    return true;
  };
  return {
    count,
    end,
    async write({ section, record }: Item): Promise<void> {
      // The name of a section becomes a file name, so it must not contain a path.
      if (!/^[a-z_]+$/.test(section)) {
        throw new ServiceError(
          "unavailable",
          "The instance did not answer like a wcs service: a section has a wrong name.",
        );
      }
      if (contentSections.includes(section)) {
        if (count.files === 0) await mkdir(join(folder, "files"), { recursive: true, mode: 0o700 });
        const id = Number(record.file_id);
        if (await begin(join("files", `${id}-${safeName(String(record.name), id)}`), "")) count.files += 1;
        await current?.file.write(Buffer.from(String(record.bytes), "base64"));
      } else {
        const isNew = await begin(`${section}.json`, "\n]\n");
        count.records += 1;
        await current?.file.write(`${isNew ? "[\n" : ",\n"}${JSON.stringify(record)}`);
      }
    },
  };
}
