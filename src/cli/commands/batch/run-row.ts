import { failureOf, UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import type { Connection } from "../../session/connection.ts";
import { noPaint, type Terminal } from "../../terminal/terminal.ts";
import type { FilledTemplate } from "./fill-template.ts";

/** The output and the failure of a command. */
export interface RowRun {
  readonly exit: number;
  readonly output: unknown;
  readonly error: string | null;
}

/** Runs the command of a row on the connection of the batch. Its output is kept, and its messages are dropped. */
export async function runRow(
  { words, fileValues }: FilledTemplate,
  { terminal, program }: Context,
  connection: Connection,
): Promise<RowRun> {
  const written: string[] = [];
  let failure: ReturnType<typeof failureOf> | undefined;
  try {
    await program.run(words, { ...silent(terminal, written), fileValues }, connection);
  } catch (error) {
    failure = failureOf(error);
  }
  const error = failure && [failure.message, failure.hint].filter(Boolean).join(" ");
  return { exit: failure?.exit ?? 0, output: outputOf(written.join("")), error: error ?? null };
}

function outputOf(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const noStdin = () => {
  throw new UsageError("a command in a batch cannot read stdin");
};

/** Returns a terminal without a person at it, that keeps what is written. */
function silent(terminal: Terminal, written: string[]): Terminal {
  return {
    ...terminal,
    stdoutIsTerminal: false,
    stdinIsTerminal: false,
    interactive: false,
    paint: noPaint,
    configure: () => {},
    write: async (text) => void written.push(text),
    writeBytes: async (bytes) => void written.push(Buffer.from(bytes).toString()),
    note: () => {},
    complain: () => {},
    read: noStdin,
    readBytes: noStdin,
    input: noStdin,
    progress: () => {},
    spin: (_, work) => work,
    page: async (text) => void written.push(text),
    onInterrupt: () => {},
  };
}
