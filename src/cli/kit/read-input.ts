import type { Field } from "../../contract/field-spec.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { readSecretFile, type Sources } from "../file-io/value-sources.ts";
import type { CommandFlag, OperationCommand, Positional } from "./command-spec.ts";
import { givesNames, holdsFiles, kebab, namedKindOf, type OperationFlag, textsIn } from "./field-flags.ts";
import type { LineIssues } from "./line-issues.ts";
import { parseJson, parseList, parseValue } from "./parse-value.ts";

export type Input = Record<string, unknown>;

/** The input fields of a command, and the arguments and flags that set them. */
export interface InputSpec {
  readonly fields: readonly Field[];
  readonly args: readonly (Positional & { readonly described: Field })[];
  readonly flags: readonly OperationFlag[];
  /** The flags and the arguments. */
  readonly places: readonly OperationFlag[];
  /** Flags of the command that do not belong to a field. */
  readonly more: readonly CommandFlag[];
  readonly needed: OperationCommand["needed"];
  readonly found: OperationCommand["found"];
  readonly clearable: readonly (ClearableField & { readonly name: string })[];
  /** Returns the issue with the value of a field. */
  readonly check: (name: string, value: unknown) => string | undefined;
}

export interface ParsedLine {
  readonly args: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
  /** The first argument was read from stdin, so a single ID is a list as well. */
  readonly isList?: true;
  /** Stdin was read for the first argument, and is empty. */
  readonly isNone?: boolean;
}

export const labelOf = ({ field, label }: Positional): string => label ?? kebab(field);
/** Returns whether an argument takes several IDs or names. As the first argument, `-` reads one a line from stdin. */
export const takesIds = ({ many, described }: InputSpec["args"][number]): boolean =>
  many === true && namedKindOf(described) !== undefined;
export const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
/** Returns `--field` for `-f, --field <key=value>`. */
export const longOf = ({ flags }: CommandFlag): string => /--[\w-]+/.exec(flags)?.[0] ?? flags;
export const attributeOf = (flag: CommandFlag): string => camelCase(longOf(flag).slice(2));

/** Adds the arguments and flags of a line to the input of --data, over which they take precedence. Names stay as they are typed. */
export async function readInput(
  spec: InputSpec,
  line: ParsedLine,
  sources: Sources,
  issues: LineIssues,
  input: Input,
): Promise<Input> {
  const piped = secretsOnStdin(spec, line);
  for (const place of spec.places) {
    const given = givenIn(place, line);
    const word = wordOf(place);
    const isArgument = place.at !== undefined;
    const twin = isArgument ? spec.flags.find(({ path }) => path.join() === place.path.join()) : undefined;
    if (twin && isGiven(place, line) && isGiven(twin, line))
      issues.add(new UsageError(`${word} and ${wordOf(twin)} cannot be used together`), [word]);
    if (givesNames(place.field, given)) setAt(input, place.path, given);
    else {
      const value = await issues.gather(word, () => readPlace(place, line, { sources, before: input, piped, issues }));
      // An argument that cannot be read is in the input as undefined, so that it does not count as missing.
      if (value !== undefined || (isArgument && issues.concerns(word))) setAt(input, place.path, value);
    }
  }
  return input;
}

/** Returns whether an argument or flag reads its value, or the lines of several, from stdin. */
export function isOnStdin(place: OperationFlag, line: ParsedLine): boolean {
  const { at, name, field, reads } = place;
  if (reads === "secret") return line.options[camelCase(`${name}-stdin`)] !== undefined;
  const given = givenIn(place, line);
  if (![given].flat().includes("-")) return false;
  if (at === undefined) return reads === "json" || reads === "files" || isSourced(place);
  const isList = at === 0 && Array.isArray(given) && namedKindOf(field) !== undefined;
  return isList || holdsFiles(field) || field.multiline === true;
}

/** Returns whether the value of a flag is a text, of which `-` stands for stdin and `@file` for that of a file. */
const isSourced = ({ reads, field }: OperationFlag): boolean =>
  reads === "text" && !field.values && field.format !== "date";

/** Returns whether a flag is a time after another one that may be in --data, which is read from stdin. */
export const followsData = ({ ahead }: OperationFlag, { options }: ParsedLine): boolean =>
  options.data === "-" && typeof ahead === "string" && options[camelCase(ahead)] === undefined;

/** Returns the argument or flag as users type it. */
export function wordOf({ name, at, reads }: OperationFlag): string {
  if (at !== undefined) return `<${name}>`;
  return reads === "secret" ? `--${name}-stdin` : `--${name}`;
}

export const secretFlag = ({ name }: OperationFlag, { options }: Pick<ParsedLine, "options">): string | undefined =>
  [`${name}-stdin`, `${name}-file`]
    .filter((flag) => options[camelCase(flag)] !== undefined)
    .map((flag) => `--${flag}`)[0];

export const givenIn = ({ name, at }: OperationFlag, { args, options }: ParsedLine): unknown =>
  at === undefined ? options[camelCase(name)] : args[at];

export const isGiven = (place: OperationFlag, line: ParsedLine): boolean =>
  [givenIn(place, line) ?? []].flat().length > 0;

/** Returns the argument or flag of a field: of several, the one that the line has, or the first. */
export function placeFor({ places }: InputSpec, line: ParsedLine, fits: (path: readonly string[]) => boolean) {
  const found = places.filter(({ path }) => fits(path));
  return found.find((each) => isGiven(each, line)) ?? found[0];
}

/** A field that --unset clears, and its value then. */
interface ClearableField {
  readonly path: readonly string[];
  readonly empty: null | readonly never[];
}

/** Returns the fields that can be cleared: nullable ones, including objects, and with `lists` those that can be empty. */
export function clearableFields(
  fields: readonly Field[],
  lists: boolean,
  above: readonly string[] = [],
): ClearableField[] {
  return fields.flatMap((field) => {
    const path = [...above, field.name];
    const inner = clearableFields(field.fields ?? [], lists, path);
    if (field.nullable) return [{ path, empty: null }, ...inner];
    return lists && field.emptiable ? [{ path, empty: [] }, ...inner] : inner;
  });
}

const secretsOnStdin = ({ flags }: InputSpec, { options }: ParsedLine): string[] =>
  flags
    .filter(({ name, reads }) => reads === "secret" && options[camelCase(`${name}-stdin`)])
    .map(({ name }) => `--${name}-stdin`);

interface ReadContext {
  readonly sources: Sources;
  /** The input of the places before this one. */
  readonly before: Input;
  /** The flags that read a line of stdin each. */
  readonly piped: readonly string[];
  readonly issues: LineIssues;
}

async function readPlace(flag: OperationFlag, line: ParsedLine, context: ReadContext): Promise<unknown> {
  const { sources, piped } = context;
  const { options } = line;
  const given = givenIn(flag, line);
  switch (flag.reads) {
    case "argument":
      return readArgument(flag, given as string | string[] | undefined, sources);
    case "secret": {
      const [stdin, path] = [`${flag.name}-stdin`, `${flag.name}-file`];
      const file = options[camelCase(path)] as string | undefined;
      const isPiped = options[camelCase(stdin)];
      if (file === undefined) return isPiped && sources.secret(`--${stdin}`, piped);
      if (isPiped) throw new UsageError(`--${stdin} and --${path} cannot be used together`);
      return readSecretFile(file, `--${path}`);
    }
    case "list":
      return (given as string[] | undefined)?.flatMap((text) => parseList(flag.field, text, `--${flag.name}`));
    case "boolean":
      return given;
    case "files":
      return given && readFiles(given as string[], `--${flag.name}`, sources);
    case "time":
      return given === undefined ? undefined : readTimeFlag(flag, given as string, options, context);
    default:
      return given === undefined ? undefined : readText(flag, given as string, sources);
  }
}

async function readTimeFlag(
  flag: OperationFlag,
  given: string,
  options: ParsedLine["options"],
  { before, issues }: ReadContext,
): Promise<number> {
  const { readPeriodEnd, readTime, readTimeAhead } = await import("../time/parse-time.ts");
  const zone = options.tz as string | undefined;
  const name = `--${flag.name}`;
  if (flag.field.periodEnd) return readPeriodEnd(given, name, { zone, isAhead: flag.ahead !== undefined });
  if (flag.ahead === undefined) return readTime(given, name, zone);
  const after = flag.ahead === null ? undefined : (before[flag.ahead] as number | undefined);
  // A time that was given, but cannot be read, has an issue of its own.
  const isAlone = flag.ahead !== null && typeof after !== "number" && options[camelCase(flag.ahead)] === undefined;
  if (isAlone && given.startsWith("+")) {
    issues.skip([`--${flag.ahead}`]);
    throw new UsageError(`${name} ${given} is relative to --${flag.ahead}: pass both`);
  }
  return readTimeAhead(given, name, { zone, after });
}

async function readText(flag: OperationFlag, given: string, sources: Sources): Promise<unknown> {
  const name = `--${flag.name}`;
  if (flag.reads === "json") {
    const others = flag.others?.length ? `use ${flag.others.join(" or ")} to write it without JSON` : undefined;
    return parseJson(await sources.value(given, name), name, others);
  }
  if (flag.field.format === "date") return (await import("../time/read-date.ts")).readDate(given, name);
  const ifEmpty = flag.field.nullable ? `to clear it, pass ${name} ''` : undefined;
  return parseValue(flag.field, isSourced(flag) ? await sources.value(given, name, ifEmpty) : given, name);
}

export async function readFiles(given: readonly string[], name: string, sources: Sources): Promise<unknown> {
  return (await import("../file-io/file-items.ts")).readItems(given, name, sources);
}

async function readArgument(flag: OperationFlag, given: string | string[] | undefined, sources: Sources) {
  if (given === undefined || given.length === 0) return undefined;
  const { field } = flag;
  const name = `<${flag.name}>`;
  if (holdsFiles(field)) return readFiles([given].flat(), name, sources);
  if (field.kind === "array") return [given].flat().flatMap((text) => parseList(field, text, name));
  const texts = textsIn(given, field);
  if (Array.isArray(given) && field.kind === "integer" && texts.length > 1)
    return texts.map((text) => parseValue(field, text, name));
  const text = Array.isArray(given) ? given.join(" ") : given;
  const isSource = field.multiline && texts.length === 1;
  return parseValue(field, isSource ? await sources.value(text, name) : text, name);
}

/** Returns an input for each thing that the first argument names, if the operation takes a single one. */
export function eachInput({ args: [first] }: InputSpec, input: Input): Input[] {
  if (first === undefined || first.described.kind === "array") return [input];
  const ids = input[first.field];
  if (!Array.isArray(ids)) return [input];
  return [...new Set(ids)].map((id) => ({ ...input, [first.field]: id }));
}

export const withCompletion = async (
  { complete }: OperationCommand,
  { options }: ParsedLine,
  input: Input,
): Promise<Input> => (complete ? complete(input, options) : input);

export function setAt(input: Input, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    input[name] = value;
    return;
  }
  const next = input[name];
  const inner = typeof next === "object" && next !== null ? (next as Input) : {};
  input[name] = inner;
  setAt(inner, rest, value);
}
