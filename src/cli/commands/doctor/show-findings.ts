import { ConditionError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { createOutput } from "../../output/create-output.ts";
import { pluralize } from "../../output/pluralize.ts";
import type { Draw } from "../../output/renderer.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import type { Finding, State } from "./finding.ts";

/** Prints findings. Throws a `ConditionError` when a check failed. Ctrl-C ends the check at once, since it changes nothing. */
export async function showFindings(
  work: Promise<Finding[]>,
  context: Context,
  adviceOn: (failed: readonly Finding[]) => string | undefined = () => undefined,
): Promise<void> {
  const { signals, spin } = context.terminal;
  signals.release();
  const findings = await spin("checking", work);
  const columns = ["check", "state", "message"];
  await createOutput<Finding>({ draw: async () => drawFindings, columns }, context).all(findings);
  const failed = findings.filter(({ state }) => state === "failed");
  if (failed.length === 0) return;
  throw new ConditionError(`${pluralize(failed.length, "check")} of ${findings.length} failed`, adviceOn(failed));
}

/** Draws one line per finding, wrapped at the width of the terminal so that the advice at its end is never cut off. */
const drawFindings: Draw<Finding> = (findings, { paint, width }) => {
  const paints: Record<State, (text: string) => string> = {
    ok: paint.success,
    warning: paint.strong,
    failed: paint.error,
  };
  const name = Math.max(...findings.map(({ check }) => check.length));
  const indent = " ".repeat("warning".length + name + 4);
  const lines = findings.map(({ check, state, message }) => {
    const text = wrapText(sanitizeLine(message), Math.max(30, width - indent.length)).join(`\n${indent}`);
    return `${paints[state](state.padEnd("warning".length))}  ${check.padEnd(name)}  ${text}\n`;
  });
  return lines.join("");
};
