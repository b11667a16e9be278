import { tryParseJson } from "../../../contract/parse-json.ts";
import { failureOf } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import type { Connection } from "../../session/connection.ts";
import { captureTerminal } from "../../terminal/captured-terminal.ts";
import { noPaint } from "../../terminal/terminal.ts";
import type { FilledTemplate } from "./fill-template.ts";

/** Runs the command of a row on the connection of the batch, as a dry run when the batch is one. Its output and failure are kept, and its messages are dropped. */
export async function runRow(
  { words, fileValues }: FilledTemplate,
  { terminal, program, flags }: Context,
  connection: Connection,
) {
  const written: string[] = [];
  let failure: ReturnType<typeof failureOf> | undefined;
  try {
    const captor = captureTerminal(terminal, (text) => written.push(text));
    const line = flags.dryRun ? ["--dry-run", ...words] : words;
    await program.run(line, { ...captor, stdoutIsTerminal: false, paint: noPaint, fileValues }, connection);
  } catch (error) {
    failure = failureOf(error);
  }
  const error = failure && [failure.message, failure.hint].filter(Boolean).join(" ");
  return { exit: failure?.exit ?? 0, output: outputOf(written.join("")), error: error ?? null };
}

function outputOf(text: string): unknown {
  if (text === "") return null;
  const value = tryParseJson(text);
  return value === undefined ? text : value;
}
