import type { Caller } from "../../contract/operation.ts";
import { createSources, type Sources } from "../file-io/value-sources.ts";
import { createOutput } from "../output/create-output.ts";
import { watchFlags } from "./build-command.ts";
import type { Context, OperationCommand } from "./command-spec.ts";
import { kebab, textsIn } from "./field-flags.ts";
import { LineIssues } from "./line-issues.ts";
import { missingFields, wordFor } from "./missing-fields.ts";
import { followsData, type Input, type InputSpec, isOnStdin, type ParsedLine, readInput } from "./read-input.ts";
import type { NamesFound } from "./shown-names.ts";
import { extentOf } from "./walk-list.ts";

/** Loaded only for lines that read stdin. */
const stdinValues = () => import("./values-on-stdin.ts");

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

/**
 * Reads the values on a line, without any request. Throws one `UsageError` that names all that is wrong with the line. Values on
 * stdin are read last, once the others are right.
 */
export async function readLine(operation: OperationLine, issues: LineIssues): Promise<Given> {
  const { leaf, line, spec, context } = operation;
  const sources = createSources(context.terminal);
  const onStdin = spec.places.filter((place) => isOnStdin(place, line));
  const isPartial = onStdin.length > 0 || line.options.data === "-";
  if (isPartial) (await stdinValues()).noteReaders(onStdin, line, issues);
  const later = spec.places.filter((place) => onStdin.includes(place) || followsData(place, line));
  // The words may be names, which are not looked up yet.
  const words = textsIn(line.args[0], spec.args[0]?.described).map(() => "1");
  const alternative = await issues.gather("--reference", () => leaf.alternative?.(words, line.options));
  const places = spec.places.filter((place) => !later.includes(place));
  const input = alternative ? {} : await readValues(operation, { places, sources, issues });
  await checkOptions(operation, issues);
  if (!alternative) await checkValues(operation, { input, issues, isWhole: !isPartial });
  issues.throwAll();
  if (!isPartial) return { line, input, sources };
  return readStdin(operation, { places: later, sources, before: input });
}

interface Places {
  readonly places: InputSpec["places"];
  readonly sources: Sources;
  readonly issues: LineIssues;
  /** The values of the other arguments and flags, when those on stdin are read. */
  readonly before?: Input;
}

async function readStdin(operation: OperationLine, rest: Required<Omit<Places, "issues">>): Promise<Given> {
  const issues = new LineIssues();
  const { sources } = rest;
  const line = [operation.line.args[0]].flat().includes("-")
    ? await (await stdinValues()).withIdsOnStdin(operation, sources, issues)
    : operation.line;
  const input = await readValues({ ...operation, line }, { ...rest, issues });
  await checkValues({ ...operation, line }, { input, issues, isWhole: true });
  issues.throwAll();
  return { line, input, sources };
}

async function readValues({ spec, line }: OperationLine, { places, sources, issues, before }: Places): Promise<Input> {
  const { data, unset } = line.options;
  const readsData = before ? data === "-" : (data ?? unset) !== undefined;
  const given = readsData
    ? await (await import("./read-data.ts")).readData({ spec, line, sources, issues, before })
    : (before ?? {});
  return readInput({ ...spec, places }, line, sources, issues, given);
}

interface ReadValues {
  readonly input: Input;
  readonly issues: LineIssues;
  /** No value is still to be read from stdin. */
  readonly isWhole: boolean;
}

/** Adds issues about missing values, and on a line that fails anyway, or waits for stdin, about those that the service would refuse. */
async function checkValues(operation: OperationLine, { input, issues, isWhole }: ReadValues): Promise<void> {
  if (issues.isOpen) return;
  const { leaf, spec, context, line } = operation;
  const fields = line.isNone ? [] : missingFields(spec, input, context.terminal.env);
  const missing = [
    ...fields.map((field) => ({ word: wordFor(spec, line, field), field })),
    ...(leaf.wizard?.missing?.(input) ?? []).map((word) => ({
      word,
      field: spec.fields.find(({ name }) => `--${kebab(name)}` === word),
    })),
  ];
  // Asked last, because opening stdin takes longer than the rest of this function.
  const asks = () => isWhole && context.terminal.interactive;
  if (missing.length > 0 && !asks() && !issues.concerns("--data"))
    (await import("./note-missing.ts")).noteMissing(missing, issues);
  const waits = !isWhole && !issues.concerns("--data");
  if (!issues.isEmpty || waits)
    await (await import("./note-wrong-fields.ts")).noteWrongFields(operation, input, issues);
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
