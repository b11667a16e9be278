import { type Connection, connect } from "../session/connection.ts";
import type { Globals } from "../terminal/global-options.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Context, Program } from "./command-spec.ts";

/** The program and the terminal of a running command. */
export interface CommandEnvironment {
  readonly program: Program;
  readonly terminal: Terminal;
  /** An open connection to use. */
  readonly connection?: Connection | undefined;
  /** Replaces the way to connect. */
  readonly connect?: Context["connect"];
  /** One of the runs of a command with --watch. */
  readonly isRepeated?: boolean;
}

/** Returns the context of a command, and configures the terminal by its global options. */
export function createContext(
  options: Record<string, unknown>,
  { program, terminal, connection, connect: replaced }: CommandEnvironment,
  args: Context["args"] = {},
): Context {
  const globals = options as Partial<Globals> as Globals;
  terminal.configure(globals);
  const open: Context["connect"] = replaced ?? (async (how) => connection ?? connect(globals, terminal, how));
  return { terminal, globals, args, flags: options, program, connect: open };
}
