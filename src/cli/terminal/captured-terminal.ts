import { UsageError } from "../errors/cli-errors.ts";
import { sanitizeLine } from "./sanitize.ts";
import { noSignals } from "./signals.ts";
import type { Terminal } from "./terminal.ts";

/** Returns a terminal without a person at it. Its size and colours are those of `terminal`. */
export function captureTerminal(
  terminal: Terminal,
  write: (text: string) => void,
  note: (line: string) => void = () => {},
): Terminal {
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
    note: (line) => note(sanitizeLine(line)),
    writeError: () => {},
    readBytes: noStdin,
    input: noStdin,
    progress: () => {},
    spin: (_, work) => work,
    page: async (text) => write(text),
    signals: noSignals,
  };
}
