import { isRecord } from "../../contract/parse-json.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import type { Sources } from "../file-io/value-sources.ts";
import { valueAt } from "../output/item.ts";
import type { LineIssues } from "./line-issues.ts";
import { parseJson } from "./parse-value.ts";
import { givenIn, type Input, type InputSpec, isGiven, type ParsedLine, setAt, wordOf } from "./read-input.ts";

interface DataLine {
  readonly spec: InputSpec;
  readonly line: ParsedLine;
  readonly sources: Sources;
  readonly issues: LineIssues;
  /** The values of arguments and flags, which take precedence over those on stdin. Without it, stdin is not read. */
  readonly before?: Input | undefined;
}

/** Returns the input that --data and --unset give. Loaded only for these. */
export async function readData({ spec, line, sources, issues, before }: DataLine): Promise<Input> {
  const data = line.options.data as string | undefined;
  const isRead = data !== undefined && (before !== undefined || data !== "-");
  const input = (isRead && (await issues.gather("--data", () => parseData(spec, data, sources)))) || {};
  checkArguments(spec, line, input, issues);
  for (const { path } of before ? spec.places : []) {
    const value = valueAt(before, path.join("."));
    if (value !== undefined) setAt(input, path, value);
  }
  await issues.gather("--unset", () => clear(spec, line, input));
  return input;
}

/** Adds an issue about each argument for which --data has another value. Of flags, --data may be the template. */
function checkArguments({ places }: InputSpec, line: ParsedLine, input: Input, issues: LineIssues): void {
  for (const place of places) {
    const [field = ""] = place.path;
    if (place.at === undefined || !isGiven(place, line) || input[field] === undefined) continue;
    if (String(input[field]) === String(givenIn(place, line))) continue;
    const word = wordOf(place);
    issues.add(new UsageError(`${word} and ${field} in --data are different`, { hint: "leave one of them out" }), [
      word,
    ]);
  }
}

async function parseData(spec: InputSpec, text: string, sources: Sources): Promise<Input> {
  const data = parseJson(await sources.value(text, "--data"), "--data");
  if (!isRecord(data)) throw new UsageError('--data must be a JSON object, like {"name": "Sales"}');
  const inline = text !== "-" && !text.startsWith("@");
  for (const { name, path, reads } of spec.flags) {
    const [field = ""] = path;
    // Other users of the machine see command lines, and shells keep them in their history.
    if (inline && reads === "secret" && field in data) {
      throw new UsageError(`${field} must not be passed on the command line`, {
        hint: `use --${name}-stdin, --${name}-file, or --data @file`,
      });
    }
  }
  return data;
}

function clear({ clearable, flags }: InputSpec, line: ParsedLine, input: Input): void {
  const names = (line.options.unset ?? []) as string[];
  const cleared = names
    .flatMap((list) => list.split(","))
    .map((name) => {
      const field = clearable.find((field) => field.path.join(".") === name || field.name === name);
      if (!field) {
        const known = clearable.map((each) => each.name);
        const meant = suggestName(name, known) ?? known.join(", ");
        throw new UsageError(`--unset: '${name}' cannot be cleared`, { hint: `these can: ${meant}` });
      }
      const flag = flags.find((each) => isWithin(each.path, field.path) && isGiven(each, line));
      if (flag) throw new UsageError(`${wordOf(flag)} and --unset ${name} cannot be used together`);
      return field;
    });
  // A whole object is cleared after its parts, which would make it one of these parts only.
  for (const { path, empty } of cleared.toSorted((a, b) => b.path.length - a.path.length)) setAt(input, path, empty);
}

const isWithin = (path: readonly string[], above: readonly string[]): boolean =>
  above.every((name, depth) => path[depth] === name);
