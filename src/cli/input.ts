import type { Field } from "../contract/shape.ts";
import { askFor, askForSecret } from "./asking.ts";
import { UsageError } from "./failure.ts";
import { nearest } from "./nearest.ts";
import { type Flag, holdsFiles, kebab } from "./options.ts";
import { parseJson, readScalar } from "./scalars.ts";
import type { Sources } from "./sources.ts";
import type { Terminal } from "./terminal.ts";
import type { FieldFlag, OwnFlag, Positional } from "./tree.ts";

export type Input = Record<string, unknown>;

/** What an operation takes, and how a command line gives it. */
export interface Intake {
  readonly fields: readonly Field[];
  readonly args: readonly Positional[];
  readonly flags: readonly Flag[];
  /** Further flags, of the command itself. */
  readonly more: readonly FieldFlag[];
  /** What is wrong with a value for a field, if anything is. */
  readonly check: (name: string, value: unknown) => string | undefined;
}

export interface Line {
  readonly args: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
}

export const labelOf = ({ field, label }: Positional): string => label ?? kebab(field);
export const attribute = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
/** `--field` of `-f, --field <key=value>`. */
export const longOf = ({ flags }: OwnFlag): string => /--[\w-]+/.exec(flags)?.[0] ?? flags;
export const attributeOf = (flag: OwnFlag): string => attribute(longOf(flag).slice(2));

/** Reads the input of an operation from the line; flags win over --data. Asks for what is missing, if it can. */
export async function readInput(intake: Intake, line: Line, sources: Sources, terminal: Terminal): Promise<Input> {
  const input: Input = await readData(intake, line.options.data as string | undefined, sources);
  clear(intake.fields, line.options.unset as string[] | undefined, input);
  for (const flag of intake.flags) {
    const value = await readFlag(flag, line.options, sources, input);
    if (value !== undefined) place(input, flag.path, value);
  }
  for (const [at, arg] of intake.args.entries()) {
    const given = line.args[at] as string | string[] | undefined;
    if (given === undefined || given.length === 0) continue;
    const field = intake.fields.find(({ name }) => name === arg.field)!;
    input[arg.field] = await readPositional(field, given, `<${labelOf(arg)}>`);
  }
  await complete(intake, input, terminal);
  return input;
}

async function readData(intake: Intake, text: string | undefined, sources: Sources): Promise<Input> {
  if (text === undefined) return {};
  const data = parseJson(await sources.value(text, "--data"), "--data");
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    throw new UsageError('--data must be a JSON object, like {"name": "Sales"}');
  }
  const inline = text !== "-" && !text.startsWith("@");
  for (const { name, path, reads } of intake.flags) {
    // What stands on a command line is seen by everybody on the machine, and kept in the shell's history.
    if (inline && reads === "secret" && path[0]! in data) {
      throw new UsageError(`${path[0]} must not stand on the command line`, {
        hint: `use --${name}-stdin, --${name}-file, or --data @file`,
      });
    }
  }
  return data as Input;
}

function clear(fields: readonly Field[], names: readonly string[] | undefined, input: Input): void {
  const clearable = clearablePaths(fields);
  for (const name of (names ?? []).flatMap((list) => list.split(","))) {
    const path = clearable.find((candidate) => candidate.join(".") === name || candidate.map(kebab).join("-") === name);
    if (!path) {
      const known = clearable.map((candidate) => candidate.map(kebab).join("-"));
      const meant = nearest(name, known) ?? known.slice(0, 10).join(", ");
      throw new UsageError(`--unset: '${name}' cannot be cleared`, { hint: `what can be: ${meant}` });
    }
    place(input, path, null);
  }
}

/** Paths of the fields that may be null, objects as a whole among them. */
export function clearablePaths(fields: readonly Field[], above: readonly string[] = []): (readonly string[])[] {
  return fields.flatMap((field) => {
    const path = [...above, field.name];
    return [...(field.nullable ? [path] : []), ...clearablePaths(field.fields ?? [], path)];
  });
}

async function readFlag(flag: Flag, options: Line["options"], sources: Sources, before: Input): Promise<unknown> {
  const given = options[attribute(flag.name)];
  switch (flag.reads) {
    case "secret": {
      const file = options[attribute(`${flag.name}-file`)] as string | undefined;
      if (options[attribute(`${flag.name}-stdin`)]) return sources.stdin(`--${flag.name}-stdin`);
      return file === undefined ? undefined : sources.file(file, `--${flag.name}-file`);
    }
    case "list":
      return (given as string[] | undefined)?.flatMap((text) => readList(flag.field, text, `--${flag.name}`));
    case "boolean":
      return given;
    case "files":
      return given && readFiles(given as string[], `--${flag.name}`);
    case "time":
      return given === undefined ? undefined : readTimeFlag(flag, given as string, options, before);
    default:
      return given === undefined ? undefined : readText(flag, given as string, sources);
  }
}

async function readTimeFlag(flag: Flag, given: string, options: Line["options"], before: Input): Promise<number> {
  const { readTime, readTimeAhead } = await import("./times.ts");
  const zone = options.tz as string | undefined;
  const name = `--${flag.name}`;
  if (flag.ahead === undefined) return readTime(given, name, zone);
  const after = flag.ahead === null ? undefined : (before[flag.ahead] as number | undefined);
  if (flag.ahead !== null && typeof after !== "number" && given.startsWith("+"))
    throw new UsageError(`${name} ${given} counts from --${flag.ahead}: give both`);
  return readTimeAhead(given, name, { zone, after });
}

async function readText(flag: Flag, given: string, sources: Sources): Promise<unknown> {
  const name = `--${flag.name}`;
  if (flag.reads === "json") return parseJson(await sources.value(given, name), name);
  return readScalar(
    flag.field,
    flag.reads === "text" && !flag.field.values ? await sources.value(given, name) : given,
    name,
  );
}

function readList(field: Field, text: string, name: string): unknown[] {
  return text
    .split(",")
    .filter(Boolean)
    .map((part) => readScalar(field.items!, part.trim(), name));
}

async function readFiles(given: readonly string[], name: string): Promise<unknown> {
  return (await import("./files/items.ts")).readItems(given, name);
}

async function readPositional(field: Field, given: string | string[], name: string): Promise<unknown> {
  if (holdsFiles(field)) return readFiles([given].flat(), name);
  if (field.kind === "array") return [given].flat().flatMap((text) => readList(field, text, name));
  return readScalar(field, Array.isArray(given) ? given.join(" ") : given, name);
}

async function complete(intake: Intake, input: Input, terminal: Terminal): Promise<void> {
  const missing = intake.fields.filter((field) => field.required && input[field.name] === undefined);
  const nameOf = (field: Field) => {
    const arg = intake.args.find((candidate) => candidate.field === field.name);
    if (arg) return `<${labelOf(arg)}>`;
    if (holdsFiles(field)) return "--file";
    return field.secret ? `--${kebab(field.name)}-stdin` : `--${kebab(field.name)}`;
  };
  const unknown: Field[] = [];
  for (const field of missing) {
    if (field.name === "password" && terminal.env.WCS_PASSWORD) input.password = terminal.env.WCS_PASSWORD;
    else unknown.push(field);
  }
  if (unknown.length === 0) return;
  if (!terminal.interactive) throw new UsageError(`missing ${unknown.map(nameOf).join(", ")}`);
  for (const field of unknown) {
    if (field.secret) input[field.name] = await askForSecret(field, terminal);
    else if (holdsFiles(field)) input[field.name] = await readFiles([await (await terminal.ask()).text("File:")], "It");
    else input[field.name] = await askFor(field, (value) => intake.check(field.name, value), terminal);
  }
}

function place(input: Input, path: readonly string[], value: unknown): void {
  let inner = input;
  for (const name of path.slice(0, -1)) {
    const next = inner[name];
    inner = inner[name] = typeof next === "object" && next !== null ? (next as Input) : {};
  }
  inner[path.at(-1)!] = value;
}
