import { wrap } from "../help-format.ts";
import type { Draw } from "../tree.ts";
import type { Finding, State } from "./finding.ts";

/** A line for each finding, broken where the terminal ends, since what to do stands at its end. */
export const drawFindings: Draw = (items, { paint, width }) => {
  const findings = items as unknown as Finding[];
  const paints: Record<State, (text: string) => string> = {
    ok: paint.success,
    warning: paint.strong,
    failed: paint.error,
  };
  const name = Math.max(...findings.map(({ check }) => check.length));
  const indent = " ".repeat("warning".length + name + 4);
  const lines = findings.map(({ check, state, message }) => {
    const text = wrap(message, Math.max(30, width - indent.length), indent);
    return `${paints[state](state.padEnd("warning".length))}  ${check.padEnd(name)}  ${text}\n`;
  });
  return lines.join("");
};
