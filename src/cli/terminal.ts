import { BrokenPipe } from "./failure.ts";
import type { Paint } from "./paint.ts";
import { oneLine } from "./plain.ts";
import type { Ask } from "./prompts.ts";

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
  /** Whether the user can be asked. */
  readonly interactive: boolean;
  /** For stderr; `dye` is for stdout. */
  readonly paint: Paint;
  readonly dye: Paint;
  /** Takes what the global options say. */
  configure(options: { input?: boolean; color?: boolean; quiet?: boolean }): void;
  /** Data, to stdout; resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** A line for the user, to stderr; not with --quiet. */
  note(line: string): void;
  /** To stderr, whatever the options say. */
  complain(text: string): void;
  /** One line that a terminal shows and does not obey. */
  plain(text: string): string;
  /** All of stdin; a second reader is a mistake that the caller has to prevent. */
  read(): Promise<string>;
  ask(): Promise<Ask>;
  /** Shows that something takes its time, if it does. */
  spin<T>(text: string, work: Promise<T>): Promise<T>;
  /** Shows `text` by the user's pager. */
  page(text: string): Promise<void>;
  /** What Ctrl-C and the signal to end do from now on. */
  onInterrupt(handler: () => void): void;
}

const same = (text: string) => text;
const noPaint: Paint = { error: same, success: same, strong: same, dim: same, key: same, value: same };

/** Whether a stream gets colour, by the usual conventions. */
export function wantsColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  return isTerminal && env.TERM !== "dumb";
}

/** The terminal of a process. */
export async function openTerminal(surroundings: Surroundings): Promise<Terminal> {
  const { stdin, stdout, stderr, env } = surroundings;
  const options = { input: true, quiet: false };
  const coloured = { stdout: wantsColour(env, stdout.isTTY), stderr: wantsColour(env, stderr.isTTY) };
  const paint = coloured.stdout || coloured.stderr ? (await import("./paint.ts")).createPaint() : noPaint;
  let interrupted = () => {};
  let broken = false;
  let listening = false;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    broken = true;
  });
  stderr.on("error", () => {});

  const terminal: Terminal = {
    env,
    stdoutIsTerminal: stdout.isTTY === true,
    get width() {
      return stdout.columns || Number(env.COLUMNS) || 80;
    },
    get height() {
      return stdout.rows || 24;
    },
    get interactive() {
      return stdin.isTTY === true && stderr.isTTY === true && options.input && !env.CI;
    },
    get paint() {
      return coloured.stderr ? paint : noPaint;
    },
    get dye() {
      return coloured.stdout ? paint : noPaint;
    },
    configure({ input = true, color, quiet = false }) {
      options.input = input;
      options.quiet = quiet;
      if (color === false) coloured.stdout = coloured.stderr = false;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        if (broken) return reject(new BrokenPipe());
        stdout.write(text, (error) => {
          if (!error) resolve();
          else reject((error as NodeJS.ErrnoException).code === "EPIPE" ? new BrokenPipe() : error);
        });
      }),
    note(line) {
      if (!options.quiet) stderr.write(`${line}\n`);
    },
    complain: (text) => void stderr.write(text),
    plain: oneLine,
    async read() {
      const chunks: Buffer[] = [];
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks).toString("utf8");
    },
    ask: async () => (await import("./prompts.ts")).createAsk({ input: stdin, output: stderr }),
    spin: (text, work) =>
      stderr.isTTY && !options.quiet && env.TERM !== "dumb" ? spinLater(text, work, stderr) : work,
    async page(text) {
      const { page } = await import("./pager.ts");
      const before = interrupted;
      // While the pager has the screen, Ctrl-C is its business.
      interrupted = () => {};
      await page(text, env).finally(() => {
        interrupted = before;
      });
    },
    onInterrupt(handler) {
      interrupted = handler;
      if (listening) return;
      listening = true;
      for (const signal of ["SIGINT", "SIGTERM"] as const) surroundings.on(signal, () => interrupted());
    },
  };
  return terminal;
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
