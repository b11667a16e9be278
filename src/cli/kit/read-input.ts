import type { NamedKind } from "../../contract/field-metadata.ts";
import type { Field } from "../../contract/field-spec.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import type { Sources } from "../file-io/value-sources.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CommandFlag, OperationCommand, Positional } from "./command-spec.ts";
import { holdsFiles, kebab, namedKindOf, type OperationFlag } from "./field-flags.ts";
import { parseJson, parseList, parseValue } from "./parse-value.ts";
import { askFor, askForSecret } from "./prompt-for-field.ts";
import { flagWords } from "./shown-line.ts";

export type Input = Record<string, unknown>;

/** The input fields of a command, and the arguments and flags that set them. */
export interface InputSpec {
  readonly fields: readonly Field[];
  readonly args: readonly (Positional & { readonly described: Field })[];
  readonly flags: readonly OperationFlag[];
  /** Flags of the command that do not belong to a field. */
  readonly more: readonly CommandFlag[];
  readonly needed: OperationCommand["needed"];
  readonly clearable: readonly ClearableField[];
  /** Returns the issue with a value for a field; undefined when it is valid. */
  readonly check: (name: string, value: unknown) => string | undefined;
}

export interface ParsedLine {
  readonly args: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
}

export const labelOf = ({ field, label }: Positional): string => label ?? kebab(field);
export const attribute = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
/** Returns `--field` for `-f, --field <key=value>`. */
export const longOf = ({ flags }: CommandFlag): string => /--[\w-]+/.exec(flags)?.[0] ?? flags;
export const attributeOf = (flag: CommandFlag): string => attribute(longOf(flag).slice(2));

/** Asks for the things of a kind that a field takes, by name. */
export type ChooseNamed = (kind: NamedKind, field: Field) => Promise<unknown>;

/** Where the values that are not on the line come from. */
interface ReadOptions {
  readonly sources: Sources;
  readonly terminal: Terminal;
  readonly choose: ChooseNamed;
  /** Gets the words of the command line that stand for the answers to prompts. */
  readonly asked: string[];
}

/** Reads the input of an operation from the line. Flags take precedence over --data. Prompts for missing fields. */
export async function readInput(spec: InputSpec, line: ParsedLine, options: ReadOptions): Promise<Input> {
  const { sources } = options;
  const input: Input = await readData(spec, line.options.data as string | undefined, sources);
  clear(spec.clearable, line.options.unset as string[] | undefined, input);
  for (const flag of spec.flags) {
    const value = await readFlag(flag, line.options, sources, input);
    if (value !== undefined) place(input, flag.path, value);
  }
  for (const [at, arg] of spec.args.entries()) {
    const given = line.args[at] as string | string[] | undefined;
    if (given === undefined || given.length === 0) continue;
    input[arg.field] = await readPositional(arg.described, given, `<${labelOf(arg)}>`, sources);
  }
  await complete(spec, input, options);
  return input;
}

async function readData(spec: InputSpec, text: string | undefined, sources: Sources): Promise<Input> {
  if (text === undefined) return {};
  const data = parseJson(await sources.value(text, "--data"), "--data");
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    throw new UsageError('--data must be a JSON object, like {"name": "Sales"}');
  }
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
  return data as Input;
}

function clear(clearable: readonly ClearableField[], names: readonly string[] | undefined, input: Input): void {
  for (const name of (names ?? []).flatMap((list) => list.split(","))) {
    const field = clearable.find((field) => field.path.join(".") === name || flagNameOf(field) === name);
    if (!field) {
      const known = clearable.map(flagNameOf);
      const meant = suggestName(name, known) ?? known.slice(0, 10).join(", ");
      throw new UsageError(`--unset: '${name}' cannot be cleared`, { hint: `these can: ${meant}` });
    }
    place(input, field.path, field.empty);
  }
}

/** Returns the name of a clearable field on the command line. */
export const flagNameOf = ({ path }: ClearableField): string => path.map(kebab).join("-");

/** A field that --unset clears, and its value then. */
export interface ClearableField {
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

async function readFlag(
  flag: OperationFlag,
  options: ParsedLine["options"],
  sources: Sources,
  before: Input,
): Promise<unknown> {
  const given = options[attribute(flag.name)];
  switch (flag.reads) {
    case "secret": {
      const file = options[attribute(`${flag.name}-file`)] as string | undefined;
      if (options[attribute(`${flag.name}-stdin`)]) return sources.stdin(`--${flag.name}-stdin`);
      return file === undefined ? undefined : sources.file(file, `--${flag.name}-file`);
    }
    case "list":
      return (given as string[] | undefined)?.flatMap((text) => parseList(flag.field, text, `--${flag.name}`));
    case "boolean":
      return given;
    case "files":
      return given && readFiles(given as string[], `--${flag.name}`, sources);
    case "time":
      return given === undefined ? undefined : readTimeFlag(flag, given as string, options, before);
    default:
      return given === undefined ? undefined : readText(flag, given as string, sources);
  }
}

async function readTimeFlag(
  flag: OperationFlag,
  given: string,
  options: ParsedLine["options"],
  before: Input,
): Promise<number> {
  const { readTime, readTimeAhead } = await import("../time/parse-time.ts");
  const zone = options.tz as string | undefined;
  const name = `--${flag.name}`;
  if (flag.ahead === undefined) return readTime(given, name, zone);
  const after = flag.ahead === null ? undefined : (before[flag.ahead] as number | undefined);
  if (flag.ahead !== null && typeof after !== "number" && given.startsWith("+"))
    throw new UsageError(`${name} ${given} is relative to --${flag.ahead}: pass both`);
  return readTimeAhead(given, name, { zone, after });
}

async function readText(flag: OperationFlag, given: string, sources: Sources): Promise<unknown> {
  const name = `--${flag.name}`;
  if (flag.reads === "json") return parseJson(await sources.value(given, name), name);
  return parseValue(
    flag.field,
    flag.reads === "text" && !flag.field.values ? await sources.value(given, name) : given,
    name,
  );
}

async function readFiles(given: readonly string[], name: string, sources: Sources): Promise<unknown> {
  return (await import("../file-io/file-items.ts")).readItems(given, name, sources);
}

async function readPositional(
  field: Field,
  given: string | string[],
  name: string,
  sources: Sources,
): Promise<unknown> {
  if (holdsFiles(field)) return readFiles([given].flat(), name, sources);
  if (field.kind === "array") return [given].flat().flatMap((text) => parseList(field, text, name));
  return parseValue(field, Array.isArray(given) ? given.join(" ") : given, name);
}

async function complete(spec: InputSpec, input: Input, options: ReadOptions): Promise<void> {
  const { terminal } = options;
  const { needed } = spec;
  const also = needed && input[needed.unless] === undefined ? needed.field : undefined;
  const missing = spec.fields.filter(({ name, required }) => (required || name === also) && input[name] === undefined);
  const nameOf = (field: Field) => {
    const arg = spec.args.find((candidate) => candidate.field === field.name);
    if (arg) return `<${labelOf(arg)}>`;
    if (holdsFiles(field)) return "--file";
    return field.secret ? `--${kebab(field.name)}-stdin` : `--${kebab(field.name)}`;
  };
  const unknown: Field[] = [];
  for (const field of missing) {
    const { WCS_PASSWORD: password, WCS_USERNAME: username } = terminal.env;
    // With a user name, it is the password to sign in with.
    if (field.newPassword && password && !username) input[field.name] = password;
    else unknown.push(field);
  }
  if (unknown.length === 0) return;
  if (!terminal.interactive) throw new UsageError(`missing ${unknown.map(nameOf).join(", ")}`);
  for (const field of unknown) {
    input[field.name] = await prompt(spec, field, options);
    const isArgument = spec.args.some((arg) => arg.field === field.name);
    if (!holdsFiles(field)) options.asked.push(...wordsFor(field, input[field.name], isArgument));
  }
}

async function prompt(spec: InputSpec, field: Field, { sources, terminal, choose, asked }: ReadOptions) {
  const kind = namedKindOf(field);
  if (kind !== undefined) return choose(kind, field);
  if (field.secret) return askForSecret(field, terminal);
  if (!holdsFiles(field)) return askFor(field, (value) => spec.check(field.name, value), terminal);
  const path = await (await terminal.ask()).text("File:");
  asked.push("--file", path);
  return readFiles([path], "It", sources);
}

/** Returns the words of the command line that give a field its value. */
function wordsFor(field: Field, value: unknown, isArgument: boolean): string[] {
  const name = kebab(field.name);
  if (field.secret) return [`--${name}-stdin`];
  if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`];
  const text = Array.isArray(value) ? value.join(",") : String(value);
  return isArgument ? [text] : flagWords(`--${name}`, text);
}

function place(input: Input, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    input[name] = value;
    return;
  }
  const next = input[name];
  const inner = typeof next === "object" && next !== null ? (next as Input) : {};
  input[name] = inner;
  place(inner, rest, value);
}
