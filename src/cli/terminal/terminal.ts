import { once } from "../../contract/once.ts";
import type { Paint } from "./colors.ts";
import type { EditedText } from "./editor.ts";
import type { Ask } from "./prompts.ts";
import { sanitizeLine } from "./sanitize.ts";
import { handleSignals, type Signals } from "./signals.ts";
import { isTerminal, noteChange, writeBytesOut, writeOut } from "./standard-output.ts";

/** Input and output of the program. `write` sends data to stdout; all messages go to stderr. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdoutIsTerminal: boolean;
  readonly width: number;
  readonly height: number;
  readonly stdinIsTerminal: boolean;
  readonly interactive: boolean;
  readonly paint: Paint;
  errorPaint(): Promise<Paint>;
  configure(options: { input?: boolean; color?: boolean; quiet?: boolean }): void;
  /** Writes data to stdout. Resolves when more can be written. */
  write(text: string): Promise<void>;
  writeBytes(bytes: Uint8Array): Promise<void>;
  /** Remembers that a change was made, for the error when a later write to stdout fails. */
  noteChange(): void;
  /** Writes a line to stderr, sanitized, unless --quiet is set. */
  note(line: string): void;
  /** Writes to stderr as it is, also with --quiet. */
  writeError(text: string): void;
  /** The `@file` values that are read as files. Default: all. */
  readonly fileValues?: ReadonlySet<string>;
  /** Reads all of stdin. Callers must read stdin only once. */
  readBytes(): Promise<Buffer>;
  input(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Shows a progress line on stderr, replacing the last one, until other output follows; undefined removes it. Does nothing
   * without a terminal.
   */
  progress(line: string | undefined): void;
  ask(): Promise<Ask>;
  /** Shows a spinner while `work` runs, unless it finishes quickly. */
  spin<T>(text: string, work: Promise<T>): Promise<T>;
  page(text: string): Promise<void>;
  edit(text: string, name: string): Promise<EditedText>;
  readonly signals: Signals;
}

const same = (text: string) => text;
export const noPaint: Paint = {
  error: same,
  success: same,
  strong: same,
  emphasis: same,
  dim: same,
  key: same,
  value: same,
};

/** Returns whether a stream gets colour, following NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and TERM. */
function wantsColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== "0") return true;
  return isTerminal && env.TERM !== "dumb";
}

const paints = async () => (await import("./colors.ts")).createPaint();

/** Returns functions that show a line, replacing the last one, and that remove it. */
function progressLine(stream: () => NodeJS.WriteStream) {
  let isShown = false;
  return {
    show(line: string): void {
      stream().write(`\r${sanitizeLine(line)}\u001b[K`);
      isShown = true;
    },
    clear(): void {
      if (isShown) stream().write("\r\u001b[K");
      isShown = false;
    },
  };
}

/** Creates the terminal of a process. Streams are opened on first use, since opening them is slow. */
export async function openTerminal(streams: NodeJS.Process): Promise<Terminal> {
  const { env } = streams;
  const options = { input: true, quiet: false, color: true };
  const stdout = () => streams.stdout;
  const stdoutIsTerminal = isTerminal(stdout);
  const paint = wantsColour(env, stdoutIsTerminal) ? await paints() : noPaint;
  const stderr = once(() => streams.stderr.on("error", () => {}));
  const signals = handleSignals(streams);
  const { show, clear } = progressLine(stderr);

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
      return streams.stdin.isTTY === true;
    },
    get interactive() {
      const { stdin, stderr } = streams;
      // After a value that was typed and ended with Ctrl-D, there is nothing to read answers from.
      return options.input && !env.CI && stdin.isTTY === true && !stdin.readableEnded && stderr.isTTY === true;
    },
    get paint() {
      return options.color ? paint : noPaint;
    },
    async errorPaint() {
      return options.color && wantsColour(env, streams.stderr.isTTY) ? paints() : noPaint;
    },
    configure({ input = true, color = true, quiet = false }) {
      Object.assign(options, { input, color, quiet });
    },
    write(text) {
      if (stdoutIsTerminal) clear();
      return writeOut(text, stdout);
    },
    writeBytes: (bytes) => writeBytesOut(bytes, stdout),
    noteChange,
    note(line) {
      clear();
      if (!options.quiet) stderr().write(`${sanitizeLine(line)}\n`);
    },
    writeError(text) {
      clear();
      stderr().write(text);
    },
    readBytes: async () => Buffer.concat(await Array.fromAsync(streams.stdin)),
    async *input(signal) {
      const { stdin } = streams;
      // An event that has passed does not come again.
      signal?.throwIfAborted();
      signal?.addEventListener("abort", () => stdin.destroy(signal.reason), { once: true });
      for await (const chunk of stdin) yield chunk as Uint8Array;
    },
    progress(line) {
      if (line === undefined) return clear();
      if (options.quiet || !streams.stderr.isTTY || env.TERM === "dumb") return;
      show(line);
    },
    async ask() {
      clear();
      return (await import("./prompts.ts")).createAsk({ input: streams.stdin, output: streams.stderr });
    },
    spin: (text, work) =>
      stdoutIsTerminal && streams.stderr.isTTY && !options.quiet && env.TERM !== "dumb"
        ? spinLater(text, work, streams.stderr)
        : work,
    async page(text) {
      const { showInPager } = await import("./pager.ts");
      // The pager handles Ctrl-C itself.
      const release = signals.take(() => {});
      if (!(await showInPager(text, env).finally(release))) await writeOut(text, stdout);
    },
    async edit(text, name) {
      const { edit } = await import("./editor.ts");
      const release = signals.take(() => {});
      return edit(text, env, name).finally(release);
    },
    signals,
  };
}

/** Loads ora only for long work. The cursor stays, because ora would handle signals to show it again, which delays them. */
async function spinLater<T>(text: string, work: Promise<T>, stream: NodeJS.WriteStream): Promise<T> {
  let stop: (() => void) | undefined;
  let over = false;
  const timer = setTimeout(async () => {
    const { default: ora } = await import("ora");
    if (over) return;
    const spinner = ora({ text, stream, discardStdin: false, hideCursor: false }).start();
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
