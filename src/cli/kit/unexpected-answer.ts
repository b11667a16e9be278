import type { AnyOperation } from "../../contract/operation.ts";
import { tryParse } from "../../contract/parse-input.ts";
import { UnexpectedAnswer } from "../errors/cli-errors.ts";

/** Number of wrong fields that an error names. */
const maxNamed = 3;

/** Returns the error that names wrong fields in an answer of an instance, the newest answer first; undefined when all are right. */
export function unexpectedAnswer(
  answers: ReadonlyMap<AnyOperation, unknown>,
  cause: unknown,
): UnexpectedAnswer | undefined {
  for (const [op, answer] of [...answers].reverse()) {
    const parsed = tryParse(op.output(), answer);
    if (parsed.ok) continue;
    const wrong = Object.entries(parsed.fields).map(([field, messages]) => `${field} ${messages.join(" and ")}`);
    const named = wrong.slice(0, maxNamed).join("; ");
    const changed = op.method === "GET" ? "" : "The change may have been made: check that before you run it again. ";
    return new UnexpectedAnswer("unavailable", `The instance sent an unexpected answer to ${op.name}: ${named}.`, {
      hint: `${changed}wcs doctor shows the versions of the instance and of this program.`,
      cause,
    });
  }
  return undefined;
}
