import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { BrokenPipe, Interrupted } from "../../src/cli/errors/cli-errors.ts";
import { execute } from "../../src/cli/main.ts";
import type { Ask } from "../../src/cli/terminal/prompts.ts";
import { sanitizeLine } from "../../src/cli/terminal/sanitize.ts";
import { noSignals } from "../../src/cli/terminal/signals.ts";
import { noPaint, type Terminal } from "../../src/cli/terminal/terminal.ts";
import { isFull } from "../support/effort.ts";

export const bin = join(import.meta.dirname, "../../bin/wcs.js");

export interface Result {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Home {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Runs wcs in this process, without a terminal; with WCS_TEST_FULL every fourth time as it is shipped, in a process of its own. */
  wcs(args: readonly string[], more?: ProcessInput): Promise<Result>;
  /** Runs wcs as it is shipped, in a process of its own. */
  spawn(args: readonly string[], more?: ProcessInput): Promise<Result>;
  /** Runs wcs in this process, on a terminal with scripted answers. */
  sit(args: readonly string[], seat?: Seat): Promise<Omit<Result, "signal">>;
  path(name: string): string;
}

interface ProcessInput {
  readonly stdin?: string | Buffer;
  readonly env?: Record<string, string>;
}

/** A user's home with its own configuration and, optionally, a database with two units and an administrator. */
export function useHome({ database = true } = {}): () => Home {
  let home: Home | undefined;
  beforeAll(async () => {
    home = newHome();
    if (!database) return;
    if (furnished === undefined) await furnish(home);
    else copyInto(home, furnished);
  });
  afterAll(() => home && rmSync(home.folder, { recursive: true, force: true }));
  return () => home!;
}

/** The first home of this worker with a database: its folder, and the files by their paths. */
interface Furniture {
  readonly folder: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

let furnished: Furniture | undefined;

/** Creates the database of a home by commands, and keeps it for later homes. */
async function furnish({ folder, wcs }: Home): Promise<void> {
  const administrator = ["--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace"];
  const made = await wcs(["init", ...administrator, "--root-unit", "Acme"]);
  const unit = await wcs(["units", "create", "--name", "Sales", "--parent", "1", "--reference", "SALES"]);
  if (made.code !== 0 || unit.code !== 0) throw new Error(made.stderr + unit.stderr);
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = found.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  furnished = { folder, files: new Map(paths.map((path) => [path, readFileSync(join(folder, path))])) };
}

/** Writes the files of an earlier home into a new one. The configuration names the folder. */
function copyInto({ folder: home, path }: Home, { folder, files }: Furniture): void {
  for (const [name, bytes] of files) {
    mkdirSync(dirname(path(name)), { recursive: true, mode: 0o700 });
    const content = name.endsWith(".json") ? bytes.toString().replaceAll(folder, home) : bytes;
    writeFileSync(path(name), content, { mode: 0o600 });
  }
}

export function newHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), "wcs-cli-"));
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    TMPDIR: temporary,
    XDG_CACHE_HOME: join(tmpdir(), "wcs-test-cache"),
    WCS_CONFIG_DIR: join(folder, "config"),
    XDG_DATA_HOME: join(folder, "data"),
    TZ: "UTC",
  };
  const path = (name: string) => join(folder, name);
  const spawn: Home["spawn"] = (args, { stdin = "", env: more } = {}) =>
    finished(start(args, { ...env, ...more }), stdin);
  let calls = 0;
  return {
    folder,
    env,
    path,
    async wcs(args, { stdin = "", env: more } = {}) {
      // In the longer form, every fourth command is a process, which takes many times as long.
      calls += 1;
      if (isFull && calls % 4 === 1) return spawn(args, { stdin, env: more ?? {} });
      return { ...(await sitDown(args, { stdin, env: { ...env, ...more } })), signal: null };
    },
    spawn,
    sit: (args, seat = {}) => sitDown(args, { ...seat, env: { ...env, ...seat.env } }),
  };
}

export function start(args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [bin, ...args], { env, stdio: "pipe" });
}

export function finished(child: ChildProcess, stdin?: string | Buffer): Promise<Result> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on("data", (chunk) => out.push(chunk));
  child.stderr?.on("data", (chunk) => err.push(chunk));
  child.stdin?.on("error", () => {});
  if (stdin !== undefined) child.stdin?.end(stdin);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
  });
}

/** Serves in this process. Returns the URL, and a function that ends the server as an interruption does. */
export async function serveHere(args: readonly string[], env: Record<string, string>) {
  const interrupted = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<string>();
  const page = { stdout: "", stderr: "" };
  const ended = execute(["serve", ...args], {
    ...fakeTerminal({ env }, page),
    signals: {
      ...noSignals,
      take(end) {
        interrupted.promise.then(end);
        return () => {};
      },
    },
    write: async (line) => ready.resolve(line.trim()),
  });
  // Has no effect after the server was ready.
  ended.then(() => ready.reject(new Error(page.stderr)), ready.reject);
  return {
    url: await ready.promise,
    async close() {
      interrupted.resolve();
      await ended;
    },
  };
}

export interface Seat {
  /** Answers to the questions in turn; after a refused answer, the next one is given. "^C" interrupts. */
  readonly answers?: readonly string[];
  readonly env?: Record<string, string>;
  /** Content of stdin, which is then not a terminal. */
  readonly stdin?: string | Buffer;
  /** Changes a text as the user does in the editor. */
  readonly editor?: (text: string) => string;
  /** Size of stdout, if it is a terminal. */
  readonly screen?: { width: number; height: number };
  /** Number of characters after which the reader of stdout closes it. */
  readonly readsUpTo?: number;
  /** Called when something is written to stdout. */
  readonly onWrite?: () => void;
}

async function sitDown(args: readonly string[], seat: Seat): Promise<Omit<Result, "signal">> {
  const page = { stdout: "", stderr: "" };
  const code = await execute(args, fakeTerminal(seat, page));
  return { code, ...page };
}

function fakeTerminal(seat: Seat, page: { stdout: string; stderr: string }): Terminal {
  const options = { input: true, quiet: false };
  const write = async (text: string) => {
    if (page.stdout.length >= (seat.readsUpTo ?? Number.POSITIVE_INFINITY)) throw new BrokenPipe();
    page.stdout += text;
    seat.onWrite?.();
  };
  return {
    env: seat.env ?? {},
    stdoutIsTerminal: seat.screen !== undefined,
    width: seat.screen?.width ?? 80,
    height: seat.screen?.height ?? 24,
    stdinIsTerminal: seat.stdin === undefined && seat.answers !== undefined,
    get interactive() {
      return seat.answers !== undefined && options.input && !seat.env?.CI;
    },
    paint: noPaint,
    errorPaint: async () => noPaint,
    configure: ({ input = true, quiet = false }) => Object.assign(options, { input, quiet }),
    write,
    writeBytes: (bytes) => write(Buffer.from(bytes).toString()),
    noteChange: () => {},
    note(line) {
      if (!options.quiet) page.stderr += `${sanitizeLine(line)}\n`;
    },
    writeError(text) {
      page.stderr += text;
    },
    readBytes: async () => Buffer.from(seat.stdin ?? ""),
    async *input() {
      yield Buffer.from(seat.stdin ?? "");
    },
    progress: () => {},
    ask: async () => scripted([...(seat.answers ?? [])], page),
    spin: (_, work) => work,
    page: write,
    async edit(text, name) {
      const path = `${seat.env?.HOME}/${name}`;
      writeFileSync(path, seat.editor?.(text) ?? text);
      return { text: readFileSync(path, "utf8").trimEnd(), path, discard: async () => rmSync(path) };
    },
    signals: noSignals,
  };
}

const scripts = new WeakMap<readonly string[], string[]>();

function scripted(answers: string[], page: { stderr: string }): Ask {
  const left = scripts.get(page as never) ?? answers;
  scripts.set(page as never, left);
  const next = (question: string) => {
    page.stderr += `? ${question}\n`;
    const answer = left.shift();
    if (answer === undefined) throw new Error(`nobody answers: ${question}`);
    if (answer === "^C") throw new Interrupted();
    return answer;
  };
  return {
    async text(question, check, standard) {
      for (;;) {
        const answer = next(question) || standard || "";
        const verdict = check?.(answer) ?? true;
        if (verdict === true) return answer;
        page.stderr += `> ${verdict}\n`;
      }
    },
    choice: async (question, values, explanations = {}) => {
      const shown = values.map((value) => [value, explanations[value]].filter(Boolean).join(": "));
      const answer = next(`${question} (${shown.join(", ")})`);
      if (!values.includes(answer)) throw new Error(`${answer} is not offered`);
      return answer;
    },
    async pick(question, choices) {
      const answer = next(`${question} (${choices.map(({ name }) => name).join(", ")})`);
      const chosen = choices.find(({ name }) => name === answer);
      if (chosen === undefined) throw new Error(`${answer} is not offered`);
      return chosen.value;
    },
    async several(question, choices) {
      const answer = next(`${question} (${choices.map(({ name }) => name).join(", ")})`);
      return choices
        .filter(({ name }) => answer.split(",").some((part) => name.startsWith(part) && part !== ""))
        .map(({ value }) => value);
    },
    async search(question, find) {
      const [chosen] = await find(next(question));
      if (chosen === undefined) throw new Error(`nothing is found for ${question}`);
      return chosen.value;
    },
    secret: async (question) => next(`${question} (hidden)`),
    confirm: async (question) => next(question) === "y",
  };
}
