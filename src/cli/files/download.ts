import { statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { ServiceError } from "../../contract/errors.ts";
import type { Content } from "../../contract/file-forms.ts";
import { files } from "../../contract/files.ts";
import { Interrupted } from "../failure.ts";
import { bar } from "../progress-bar.ts";
import { readScalar } from "../scalars.ts";
import type { Terminal } from "../terminal.ts";
import { openDestination } from "../transfer/destination.ts";
import type { Context } from "../tree.ts";
import { safeName } from "./name.ts";
import { printContent } from "./printing.ts";
import { bytesAsText } from "./size.ts";

/** Milliseconds; what is over before the first one is not worth a look. */
const interval = 150;

/** `wcs files get`: a file to a path, to stdout, or to the current folder under its own name. */
export async function download({ terminal, args, flags, connect }: Context): Promise<void> {
  const id = readScalar({ kind: "integer" }, args.id as string, "<id>") as number;
  const given = flags.output as string | undefined;
  const stop = new AbortController();
  const { signal } = stop;
  if (given !== "-") terminal.onInterrupt(() => stop.abort(new Interrupted()));
  const { caller } = await connect();
  try {
    const content = await caller.call(files.get, { id }, { signal });
    if (given === "-") await printContent(content, terminal);
    else await toFile(content, placeOf(given, content, id), { signal, terminal, force: flags.force === true });
  } catch (error) {
    throw signal.aborted ? new Interrupted() : error;
  } finally {
    terminal.progress(undefined);
    await caller.close();
  }
}

/** In a folder a file has its own name. */
function placeOf(given: string | undefined, { name }: Content, id: number): string {
  if (given === undefined) return safeName(name, id);
  const isFolder = /[/\\]$/.test(given) || statSync(given, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? join(given, safeName(name, id)) : given;
}

interface Saving {
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
  /** A file that is there already is replaced. */
  readonly force: boolean;
}

async function toFile(content: Content, path: string, { signal, terminal, force }: Saving): Promise<void> {
  const { name, size } = content;
  const file = await openDestination(path, { fresh: !force });
  let due = performance.now() + interval;
  let done = 0;
  try {
    for await (const bytes of content.read()) {
      // Nothing else may give Ctrl-C a turn: a local database answers at once.
      await breathe();
      signal.throwIfAborted();
      await file.write(bytes);
      done += bytes.length;
      if (performance.now() < due) continue;
      due = performance.now() + interval;
      terminal.progress(`${name}  ${bar(done / size)}  ${bytesAsText(done)} of ${bytesAsText(size)}`);
    }
    if (done !== size) throw new ServiceError("unavailable", `Of ${size} bytes only ${done} came; try again.`);
    await file.keep();
  } finally {
    await file.discard();
  }
  terminal.progress(undefined);
  terminal.note(`Saved ${terminal.plain(path)} (${bytesAsText(size)}).`);
}
