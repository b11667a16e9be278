import { stat } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError } from "../../../contract/errors.ts";
import type { Content } from "../../../contract/file-schemas.ts";
import { files } from "../../../contract/files.ts";
import type { AnyOperation, Caller } from "../../../contract/operation.ts";
import type { units } from "../../../contract/units.ts";
import { openDestination } from "../../file-io/open-destination.ts";
import { printContent } from "../../file-io/print-content.ts";
import { progressBar, throttledProgress } from "../../file-io/show-progress.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { parseInteger } from "../../kit/parse-value.ts";
import { bytesAsText } from "../../output/format-bytes.ts";
import { letInterrupt } from "../../terminal/signals.ts";
import { safeName } from "./safe-name.ts";

export async function downloadFile(context: Context): Promise<void> {
  const id = parseInteger(context.args.id, "<id> of the file");
  await download(context, async () => id);
}

async function download(context: Context, findFile: (caller: Caller) => Promise<number>): Promise<void> {
  const { terminal, flags } = context;
  const given = flags.output as string | undefined;
  const signal = given === "-" ? new AbortController().signal : context.stopOnInterrupt();
  const { caller } = await context.connect();
  const id = await findFile(caller);
  const content = await caller.call(files.get, { id }, { signal });
  if (given === "-") await printContent(content, terminal);
  else await toFile(content, await placeOf(given, content, id), signal, context);
}

/** Returns the path to write to; in a folder, the file keeps its own name. */
async function placeOf(given: string | undefined, { name }: Content, id: number): Promise<string> {
  if (given === undefined) return safeName(name, id);
  const found = await stat(given).catch(() => undefined);
  const isFolder = /[/\\]$/.test(given) || found?.isDirectory();
  return isFolder ? join(given, safeName(name, id)) : given;
}

async function toFile(content: Content, path: string, signal: AbortSignal, { terminal, flags }: Context) {
  const { name, size } = content;
  await using file = await openDestination(path, { fresh: flags.force !== true });
  const show = throttledProgress(terminal);
  let done = 0;
  for await (const bytes of content.read()) {
    await letInterrupt(signal);
    await file.write(bytes);
    done += bytes.length;
    show(() => `${name}  ${progressBar(done / size)}  ${bytesAsText(done)} of ${bytesAsText(size)}`);
  }
  if (done !== size)
    throw new ServiceError("unavailable", `Received only ${done} of ${size} bytes. Run the command again.`);
  await file.keep();
  terminal.note(`Saved ${path} (${bytesAsText(size)}).`);
}

/** A thing that has one image at most, and the operations on the image. */
export interface ImageOwner {
  readonly owner: "user" | "unit" | "group";
  readonly noun: "avatar" | "image";
  readonly ops: {
    readonly get: AnyOperation;
    readonly set: typeof units.imageSet;
    readonly delete: typeof units.imageDelete;
  };
  /** An owner and the name of a picture in examples. */
  readonly example: readonly [owner: string, picture: string];
}

export function downloadImage(context: Context, { owner, noun, ops }: ImageOwner): Promise<void> {
  return download(context, async (caller) => {
    const id = await findOneByName(`${owner}s`, `<${owner}>`, context.args[owner], {
      caller,
      terminal: context.terminal,
    });
    const { name, [noun]: image } = await caller.call(ops.get, { id });
    if (image === null) throw new ServiceError("not_found", `${name} has no ${noun}.`);
    return image.id;
  });
}
