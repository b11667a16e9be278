import type { AnyOperation } from "../../contract/operation.ts";
import { tryParse } from "../../contract/parse-input.ts";
import { PermanentError } from "../../http/client/permanent-error.ts";
import { fieldSentences } from "../output/field-sentences.ts";

/** The last answer of an instance to each operation, the newest last. */
export type Answers = Map<AnyOperation, { readonly answer: unknown; readonly isChange: boolean }>;

/** Number of wrong fields that an error names. */
const maxNamed = 3;

/** Returns the error that names wrong fields in an answer of an instance, the newest answer first; undefined when all are right. */
export function unexpectedAnswer(answers: Answers, cause: unknown): PermanentError | undefined {
  for (const [op, { answer, isChange }] of [...answers].reverse()) {
    const parsed = tryParse(op.output(), answer);
    if (parsed.ok) continue;
    const wrong = fieldSentences(parsed.fields);
    const named = wrong.slice(0, maxNamed).join("; ");
    const changed = isChange ? "The change may have been made: check that before you run it again. " : "";
    return new PermanentError("unavailable", `The instance sent an unexpected answer to ${op.name}: ${named}.`, {
      hint: `${changed}wcs doctor shows the versions of the instance and of this program.`,
      cause,
    });
  }
  return undefined;
}
