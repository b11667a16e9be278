import { UsageError } from "../errors/cli-errors.ts";
import { noSignals } from "./signals.ts";
import type { Terminal } from "./terminal.ts";

/** Takes what a command writes to a captured terminal. */
interface Capture {
  readonly write: (text: string) => void;
  /** Takes messages for stderr; without it they are dropped. */
  readonly note?: (line: string) => void;
}

/** Returns a terminal without a person at it, whose output is captured. Its size and colours are those of `terminal`. */
export function captureTerminal(terminal: Terminal, { write, note = () => {} }: Capture): Terminal {
  const noStdin = () => {
    throw new UsageError("this command cannot read stdin here, since it runs several times");
  };
  return {
    ...terminal,
    // Copying an object replaces its getters by their values.
    get width() {
      return terminal.width;
    },
    get height() {
      return terminal.height;
    },
    stdinIsTerminal: false,
    interactive: false,
    configure: () => {},
    write: async (text) => write(text),
    writeBytes: async (bytes) => write(Buffer.from(bytes).toString()),
    note,
    complain: () => {},
    read: noStdin,
    readBytes: noStdin,
    input: noStdin,
    keys: async function* () {},
    progress: () => {},
    spin: (_, work) => work,
    page: async (text) => write(text),
    signals: noSignals,
  };
}
