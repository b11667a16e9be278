import { ConditionError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { createOutput } from "../../output/create-output.ts";
import { pluralize } from "../../output/pluralize.ts";
import type { Finding } from "./finding.ts";

/** Prints the findings of a command that checks. Throws a `ConditionError` when a check failed. */
export async function showFindings(work: Promise<Finding[]>, { terminal, globals }: Context): Promise<void> {
  const findings = await terminal.spin("checking", work);
  const draw = async () => (await import("./draw-findings.ts")).drawFindings;
  await createOutput<Finding>({ draw, columns: ["check", "state", "message"] }, { globals, terminal }).all(findings);
  const failed = findings.filter(({ state }) => state === "failed");
  if (failed.length > 0) throw new ConditionError(`${pluralize(failed.length, "check")} of ${findings.length} failed`);
}
