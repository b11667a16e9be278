import type { Caller } from "../../contract/operation.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { createSources, type Sources } from "../file-io/value-sources.ts";
import { createOutput } from "../output/create-output.ts";
import { watchFlags } from "./build-command.ts";
import type { Context, OperationCommand } from "./command-spec.ts";
import { givesNames, kebab, textsIn } from "./field-flags.ts";
import type { LineIssues } from "./line-issues.ts";
import { missingFields, wordFor } from "./missing-fields.ts";
import { eachInput, givenIn, type Input, type InputSpec, type ParsedLine, readInput, wordOf } from "./read-input.ts";
import { nameInLine } from "./rename-error-fields.ts";
import type { NamesFound } from "./shown-names.ts";
import { extentOf } from "./walk-list.ts";

/** The input of a line, in which names are not looked up yet, with the line and its sources. */
interface Given {
  readonly line: ParsedLine;
  readonly input: Input;
  readonly sources: Sources;
}

export interface OperationLine {
  readonly leaf: OperationCommand;
  readonly path: readonly string[];
  /** The words after the path. */
  readonly rest: readonly string[];
  readonly spec: InputSpec;
  readonly line: ParsedLine;
  readonly context: Context;
}

/** An input that is being completed: names are looked up, and missing fields are asked for. */
export interface OperationInput extends OperationLine, Given {
  readonly connect: () => Promise<Caller>;
  /** Gets the words of the command line that stand for the answers to prompts. */
  readonly asked: string[];
  readonly names: NamesFound;
}

/** Reads the values on a line, without any request. Throws one `UsageError` that names all that is wrong with the line. */
export async function readLine(operation: OperationLine, issues: LineIssues): Promise<Given> {
  const { leaf, spec, context } = operation;
  const { terminal } = context;
  const sources = createSources(terminal);
  const isPiped = [operation.line.args[0]].flat().includes("-");
  const line = isPiped
    ? await (await import("./ids-on-stdin.ts")).withIdsOnStdin(operation, sources, issues)
    : operation.line;
  // The words may be names, which are not looked up yet.
  const words = textsIn(line.args[0], spec.args[0]?.described).map(() => "1");
  const alternative = await issues.gather("--reference", () => leaf.alternative?.(words, line.options, line.isList));
  const { data, unset } = line.options;
  const isWhole = !alternative && (data ?? unset) !== undefined;
  const given = isWhole ? await (await import("./read-data.ts")).readData(spec, line, sources, issues) : {};
  const input = alternative ? {} : await readInput(spec, line, sources, issues, given);
  await checkOptions(operation, issues);
  const fields = alternative || line.isNone ? [] : missingFields(spec, input, terminal.env);
  const missing = [
    ...fields.map((field) => ({ word: wordFor(spec, line, field), field })),
    ...(leaf.wizard?.missing?.(input) ?? []).map((word) => ({
      word,
      field: spec.fields.find(({ name }) => `--${kebab(name)}` === word),
    })),
  ];
  // Asked last, because opening stdin takes longer than the rest of this function.
  if (missing.length > 0 && !terminal.interactive && !issues.concerns("--data"))
    (await import("./note-missing.ts")).noteMissing(missing, issues);
  if (!issues.isEmpty && !alternative) await noteWrongFields(operation, input, issues);
  issues.throwAll();
  return { line, input, sources };
}

async function checkOptions({ leaf, context }: OperationLine, issues: LineIssues): Promise<void> {
  const { op } = leaf;
  const { globals, terminal } = context;
  if (op.list) await issues.gather("--limit", () => extentOf(context));
  if ((globals.tz ?? globals.timeout ?? globals.query ?? context.flags.interval) !== undefined) {
    await (await import("./check-flags.ts")).checkFlags(watchFlags, context, issues);
  }
  const { fields, query } = globals;
  if (fields === undefined) return;
  await issues.gather("--fields", async () => {
    createOutput({ op, rows: leaf.rows }, { globals: { ...globals, tz: undefined }, terminal });
    if (query !== undefined) (await import("../output/jmespath-query.ts")).checkSelection(op, query, fields);
  });
}

/** Adds issues about values that the service would refuse. */
async function noteWrongFields({ leaf, spec, line }: OperationLine, input: Input, issues: LineIssues): Promise<void> {
  const whole = await issues.gather("--data", () => withCompletion(leaf, line, eachInput(spec, input)[0] ?? input));
  const { tryParseInput } = await import("../../contract/parse-input.ts");
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

export const withCompletion = async (
  { complete }: OperationCommand,
  { options }: ParsedLine,
  input: Input,
): Promise<Input> => (complete ? complete(input, options) : input);
