import { exitCodes } from "../src/cli/help/help-topics.ts";
import { replaceSection } from "./generated-sections.ts";

/** Returns the README with its table of exit codes generated again. */
export function withExitCodes(readme: string): string {
  const rows = exitCodes.map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return replaceSection(readme, "exit codes", ["| Code | Meaning |", "|---|---|", ...rows].join("\n"));
}
