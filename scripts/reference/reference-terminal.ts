import { readFileSync } from "node:fs";
import { noPaint, openTerminal, type Terminal } from "../../src/cli/terminal/terminal.ts";
import { once } from "../../src/contract/once.ts";

interface TerminalOptions {
  /** Receives all output. */
  readonly add: (part: string) => void;
  readonly env: NodeJS.ProcessEnv;
  /** File to read as stdin. */
  readonly input?: string | undefined;
}

const processTerminal = once(() => openTerminal(process));

/** Returns a terminal of 100 columns without colour that asks nothing. */
export async function referenceTerminal({ add, env, input }: TerminalOptions): Promise<Terminal> {
  const content = () => (input === undefined ? Buffer.alloc(0) : readFileSync(input));
  let quiet = false;
  return {
    ...(await processTerminal()),
    ...{ env, stdoutIsTerminal: true, stdinIsTerminal: false, interactive: false, width: 100, height: 40 },
    paint: noPaint,
    errorPaint: async () => noPaint,
    configure: ({ quiet: isQuiet = false }) => {
      quiet = isQuiet;
    },
    write: async (text) => add(text),
    writeBytes: async (bytes) => add(Buffer.from(bytes).toString()),
    note: (line) => {
      if (!quiet) add(`${line}\n`);
    },
    writeError: add,
    page: async (text) => add(text),
    progress: () => {},
    spin: (_, work) => work,
    readBytes: async () => content(),
    input: async function* () {
      yield content();
    },
  };
}
