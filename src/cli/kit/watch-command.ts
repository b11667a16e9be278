import { sleep } from "../../contract/abortable-sleep.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { formatOf } from "../output/create-output.ts";
import { type Connection, shareConnection } from "../session/connection.ts";
import { pollAnswers } from "../session/poll.ts";
import { captureTerminal } from "../terminal/captured-terminal.ts";
import { createLiveScreen } from "../terminal/live-screen.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import { lineOf } from "../terminal/shell-words.ts";
import { cut } from "../terminal/text-width.ts";
import { readDuration } from "../time/parse-time.ts";
import type { CommandEnvironment } from "./command-context.ts";
import type { Context } from "./command-spec.ts";

interface Captured {
  readonly text: string;
  readonly notes: readonly string[];
}

interface Display {
  show(captured: Captured): Promise<void>;
  /** Shows that the service is unavailable, or available again. */
  note(line: string): void;
  close(): Promise<void>;
}

/** Runs a command until Ctrl-C, and shows its output when it changes; with -o ndjson off a terminal, only new lines. */
export async function watch(
  context: Context,
  words: readonly string[],
  run: (environment: CommandEnvironment) => Promise<void>,
): Promise<void> {
  const { terminal, program, flags } = context;
  const pause = intervalOf(flags.interval) * 1000;
  const signal = context.stopOnInterrupt();
  let opened: Connection | undefined;
  const connect: Context["connect"] = async (how) => {
    opened ??= await context.connect(how);
    return shareConnection(opened, signal);
  };
  const display = terminal.stdoutIsTerminal ? onScreen(context, words) : inLines(context);
  const capture = async (): Promise<Captured> => {
    const captured = { text: "", notes: [] as string[] };
    const write = (text: string) => {
      captured.text += text;
    };
    const captor = captureTerminal(terminal, write, (line) => captured.notes.push(line));
    await run({ program, terminal: captor, connect, isRepeated: true });
    return captured;
  };
  try {
    for await (const captured of pollAnswers(capture, { ...terminal, note: display.note }, { signal })) {
      await display.show(captured);
      await sleep(pause, signal);
      signal.throwIfAborted();
    }
  } finally {
    await display.close();
  }
}

function intervalOf(flag: unknown): number {
  const seconds = flag === undefined ? 2 : readDuration(String(flag), "--interval");
  if (seconds >= 1) return seconds;
  throw new UsageError("--interval must be at least 1s");
}

function onScreen({ terminal, flags }: Context, words: readonly string[]): Display {
  const screen = createLiveScreen(terminal);
  const hint = ` · every ${flags.interval ?? "2s"} · Ctrl-C to stop`;
  const title = () => cut(lineOf(words), Math.max(10, terminal.width - hint.length)) + hint;
  let last = "";
  const draw = (status: readonly string[]) =>
    screen.draw([terminal.paint.dim(title()), ...status, "", last].join("\n"));
  return {
    async show({ text, notes }) {
      last = text + notes.map((line) => `${line}\n`).join("");
      await draw([]);
    },
    note: (line) => void draw([sanitizeLine(line)]),
    close: () => screen.close(),
  };
}

function inLines({ terminal, globals }: Context): Display {
  const isByLine = formatOf({ globals, terminal }) === "ndjson";
  let last: string | undefined;
  return {
    async show({ text, notes }) {
      if (text === last) return;
      const before = new Set(isByLine ? last?.split("\n") : []);
      const added = isByLine ? text.split("\n").filter((line) => line !== "" && !before.has(line)) : [];
      for (const line of notes) terminal.note(line);
      await terminal.write(
        isByLine ? added.map((line) => `${line}\n`).join("") : `${last === undefined ? "" : "\n"}${text}`,
      );
      last = text;
    },
    note: terminal.note,
    close: async () => {},
  };
}
