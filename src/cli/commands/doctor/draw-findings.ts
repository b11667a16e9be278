import type { Draw } from "../../output/renderer.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import type { Finding, State } from "./finding.ts";

/** Draws one line per finding, wrapped at the width of the terminal so that the advice at its end is never cut off. */
export const drawFindings: Draw<Finding> = (findings, { paint, width }) => {
  const paints: Record<State, (text: string) => string> = {
    ok: paint.success,
    warning: paint.strong,
    failed: paint.error,
  };
  const name = Math.max(...findings.map(({ check }) => check.length));
  const indent = " ".repeat("warning".length + name + 4);
  const lines = findings.map(({ check, state, message }) => {
    const text = wrapText(message, Math.max(30, width - indent.length)).join(`\n${indent}`);
    return `${paints[state](state.padEnd("warning".length))}  ${check.padEnd(name)}  ${text}\n`;
  });
  return lines.join("");
};
