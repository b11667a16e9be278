import type { Caller } from "../../contract/operation.ts";
import { Interrupted } from "../errors/cli-errors.ts";
import { type Connection, connect } from "../session/connection.ts";
import type { Globals } from "../terminal/global-options.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Answers } from "./check-answers.ts";
import type { Context, Program } from "./command-spec.ts";

export interface CommandEnvironment {
  readonly program: Program;
  readonly terminal: Terminal;
  readonly connect?: Context["connect"];
  readonly isRepeated?: boolean;
}

/**
 * Calls `use` with the context of a command, then closes its connections and removes its progress line. Throws `Interrupted`
 * after an interruption.
 */
export async function withContext(
  options: Record<string, unknown>,
  { program, terminal, connect: replaced }: CommandEnvironment,
  use: (context: Context) => Promise<void>,
): Promise<void> {
  const globals = options as Partial<Globals> as Globals;
  terminal.configure(globals);
  const opened: Connection[] = [];
  const answers: Answers = new Map();
  let stop: AbortController | undefined;
  const context: Context = {
    terminal,
    globals,
    args: {},
    flags: options,
    program,
    async connect(how) {
      const made = await (replaced?.(how) ?? connect(globals, terminal, how));
      opened.push(made);
      return made.target.remote ? { ...made, caller: keepAnswers(made.caller, answers) } : made;
    },
    stopOnInterrupt() {
      const controller = stop ?? new AbortController();
      stop = controller;
      terminal.signals.take(() => controller.abort(new Interrupted()));
      return controller.signal;
    },
  };
  try {
    await use(context);
  } catch (error) {
    throw stop?.signal.aborted ? new Interrupted() : await explained(error, answers);
  } finally {
    terminal.progress(undefined);
    for (const { caller } of opened) await caller.close();
  }
}

/** Wraps a caller so that the last answer to each operation is kept. */
const keepAnswers = (caller: Caller, answers: Answers): Caller => ({
  async call(op, input, options) {
    const answer = await caller.call(op, input, options);
    answers.delete(op);
    if (!op.bytes) answers.set(op, { answer, isChange: op.method !== "GET" && options?.dryRun !== true });
    return answer;
  },
  close: () => caller.close(),
});

/** Returns the error to report. Answers of instances are checked only when a command fails while it uses them. */
async function explained(error: unknown, answers: Answers): Promise<unknown> {
  if (error instanceof SuppressedError) return explained(error.suppressed, answers);
  if (!(error instanceof TypeError || error instanceof RangeError)) return error;
  return (await import("./check-answers.ts")).unexpectedAnswer(answers, error) ?? error;
}
