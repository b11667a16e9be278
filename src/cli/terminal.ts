import { once } from "../contract/operation.ts";
import type { Draft } from "./editor.ts";
import type { Paint } from "./paint.ts";
import { oneLine } from "./plain.ts";
import type { Ask } from "./prompts.ts";
import { isTerminal, writeBytesOut, writeOut } from "./stdout.ts";

/** What a terminal is made from: a process, or a stand-in for one. */
export interface Surroundings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  readonly on: NodeJS.Process["on"];
}

/** Everything that the program reads from and writes to. Data goes to stdout by `write`, all else to stderr. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdoutIsTerminal: boolean;
  readonly width: number;
  readonly height: number;
  readonly stdinIsTerminal: boolean;
  /** Whether the user can be asked. */
  readonly interactive: boolean;
  /** For stdout. */
  readonly paint: Paint;
  /** For stderr. */
  errorPaint(): Promise<Paint>;
  /** Takes what the global options say. */
  configure(options: { input?: boolean; color?: boolean; quiet?: boolean }): void;
  /** Data, to stdout; resolves when there is room for more. */
  write(text: string): Promise<void>;
  writeBytes(bytes: Uint8Array): Promise<void>;
  /** A line for the user, to stderr; not with --quiet. */
  note(line: string): void;
  /** To stderr, whatever the options say. */
  complain(text: string): void;
  /** One line that a terminal shows and does not obey. */
  plain(text: string): string;
  /** All of stdin; a second reader is a mistake that the caller has to prevent. */
  read(): Promise<string>;
  readBytes(): Promise<Buffer>;
  /** Stdin as it comes in. */
  input(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** A line on stderr that the next one replaces, where a person looks on; undefined takes it away. */
  progress(line: string | undefined): void;
  ask(): Promise<Ask>;
  /** Shows that something takes its time, if it does. */
  spin<T>(text: string, work: Promise<T>): Promise<T>;
  /** Shows `text` by the user's pager. */
  page(text: string): Promise<void>;
  /** Has the user edit `text` in an editor, as a file of that name. */
  edit(text: string, name: string): Promise<Draft>;
  /** What Ctrl-C and the signal to end do from now on. */
  onInterrupt(handler: () => void): void;
}

const same = (text: string) => text;
/** For where there is no colour. */
export const noPaint: Paint = {
  error: same,
  success: same,
  strong: same,
  emphasis: same,
  dim: same,
  key: same,
  value: same,
};

/** Whether a stream gets colour, by the usual conventions. */
export function wantsColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  return isTerminal && env.TERM !== "dumb";
}

const paints = async () => (await import("./paint.ts")).createPaint();

/** The terminal of a process. Streams are opened when they are used: that takes longer than much else does. */
export async function openTerminal(surroundings: Surroundings): Promise<Terminal> {
  const { env } = surroundings;
  const options = { input: true, quiet: false, color: true };
  const stdout = () => surroundings.stdout;
  const stdoutIsTerminal = isTerminal(stdout);
  const paint = wantsColour(env, stdoutIsTerminal) ? await paints() : noPaint;
  const stderr = once(() => surroundings.stderr.on("error", () => {}));
  const signals = handleSignals(surroundings);

  return {
    env,
    stdoutIsTerminal,
    get width() {
      return (stdoutIsTerminal && stdout().columns) || Number(env.COLUMNS) || 80;
    },
    get height() {
      return (stdoutIsTerminal && stdout().rows) || 24;
    },
    get stdinIsTerminal() {
      return surroundings.stdin.isTTY === true;
    },
    get interactive() {
      return options.input && !env.CI && surroundings.stdin.isTTY === true && surroundings.stderr.isTTY === true;
    },
    get paint() {
      return options.color ? paint : noPaint;
    },
    async errorPaint() {
      return options.color && wantsColour(env, surroundings.stderr.isTTY) ? paints() : noPaint;
    },
    configure({ input = true, color = true, quiet = false }) {
      Object.assign(options, { input, color, quiet });
    },
    write: (text) => writeOut(text, stdout),
    writeBytes: (bytes) => writeBytesOut(bytes, stdout),
    note(line) {
      if (!options.quiet) stderr().write(`${line}\n`);
    },
    complain: (text) => void stderr().write(text),
    plain: oneLine,
    read: async () => (await readAll(surroundings.stdin)).toString("utf8"),
    readBytes: () => readAll(surroundings.stdin),
    async *input(signal) {
      const { stdin } = surroundings;
      signal?.addEventListener("abort", () => stdin.destroy(signal.reason), { once: true });
      for await (const chunk of stdin) yield chunk as Uint8Array;
    },
    progress(line) {
      if (options.quiet || !surroundings.stderr.isTTY || env.TERM === "dumb") return;
      stderr().write(line === undefined ? "\r\u001b[K" : `\r${oneLine(line)}\u001b[K`);
    },
    ask: async () =>
      (await import("./prompts.ts")).createAsk({ input: surroundings.stdin, output: surroundings.stderr }),
    spin: (text, work) =>
      stdoutIsTerminal && surroundings.stderr.isTTY && !options.quiet && env.TERM !== "dumb"
        ? spinLater(text, work, surroundings.stderr)
        : work,
    async page(text) {
      const { page } = await import("./pager.ts");
      // While the pager has the screen, Ctrl-C is its business.
      const release = signals.take(() => {});
      await page(text, env).finally(release);
    },
    async edit(text, name) {
      const { edit } = await import("./editor.ts");
      const release = signals.take(() => {});
      return edit(text, env, name).finally(release);
    },
    onInterrupt: (handler) => void signals.take(handler),
  };
}

async function readAll(stream: NodeJS.ReadStream): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

function handleSignals(surroundings: Surroundings) {
  let handler: (() => void) | undefined;
  return {
    /** Puts a handler in place of the present one, and gives back what undoes that. */
    take(next: () => void): () => void {
      const before = handler;
      if (!handler) for (const signal of ["SIGINT", "SIGTERM"] as const) surroundings.on(signal, () => handler?.());
      handler = next;
      return () => {
        handler = before;
      };
    },
  };
}

/** Most work is done before a spinner would be seen; then it is not even loaded. */
async function spinLater<T>(text: string, work: Promise<T>, stream: NodeJS.WriteStream): Promise<T> {
  let stop: (() => void) | undefined;
  let over = false;
  const timer = setTimeout(async () => {
    const { default: ora } = await import("ora");
    if (over) return;
    const spinner = ora({ text, stream, discardStdin: false }).start();
    stop = () => spinner.stop();
  }, 300);
  try {
    return await work;
  } finally {
    over = true;
    clearTimeout(timer);
    stop?.();
  }
}
