import { tryParseInput } from "../../contract/parse-input.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { OperationCommand } from "./command-spec.ts";
import { givesNames } from "./field-flags.ts";
import type { LineIssues } from "./line-issues.ts";
import {
  eachInput,
  givenIn,
  type Input,
  type InputSpec,
  type ParsedLine,
  withCompletion,
  wordOf,
} from "./read-input.ts";
import { nameInLine } from "./rename-error-fields.ts";

interface GivenLine {
  readonly leaf: OperationCommand;
  readonly spec: InputSpec;
  readonly line: ParsedLine;
}

/** Adds issues about values that the service would refuse. */
export async function noteWrongFields(
  { leaf, spec, line }: GivenLine,
  input: Input,
  issues: LineIssues,
): Promise<void> {
  const whole = await issues.gather("--data", () => withCompletion(leaf, line, eachInput(spec, input)[0] ?? input));
  const parsed = whole === undefined ? undefined : tryParseInput(leaf.op, whole);
  if (parsed === undefined || parsed.ok) return;
  const nameOf = nameInLine(spec, line, input);
  const named = new Set(
    spec.places.filter((place) => givesNames(place.field, givenIn(place, line))).map((place) => wordOf(place)),
  );
  const missing = new Set(parsed.issues.filter(({ code }) => code === "required").map(({ field }) => field));
  for (const [field, reasons] of Object.entries(parsed.fields)) {
    const word = nameOf(field);
    const isKnown = named.has(word) || issues.concerns(word) || (missing.has(field) && !field.includes("."));
    if (!isKnown) issues.add(new UsageError(`${word} ${reasons.join(" and ")}`), [word]);
  }
}
