import type { Option } from "commander";
import type { Field } from "../../contract/field-spec.ts";
import { buildCustomCommand } from "../kit/build-command.ts";
import {
  type CommandEntry,
  type CommandSpec,
  type Completes,
  type CustomCommand,
  isGroup,
  isOperation,
  type OperationCommand,
  type Registry,
  summaryOf,
} from "../kit/command-spec.ts";
import { addSharedOptions, createCommand } from "../kit/commander-command.ts";
import { holdsFiles, type OperationFlag, refersTo } from "../kit/field-flags.ts";
import { buildOperation, createInputSpec } from "../kit/input-spec.ts";
import { formats, optionNames, outputOptions } from "../terminal/global-options.ts";
import { noPaint } from "../terminal/terminal.ts";

interface CompletionNode {
  readonly path: string;
  readonly words: readonly Described[];
  readonly flags: readonly CompletedFlag[];
  /** Values of the arguments in order. With `many`, the last one repeats. */
  readonly args: readonly Values[];
  readonly many: boolean;
  /** True when the output options apply. A command that writes a file of its own refuses some of them. */
  readonly prints: boolean;
}

export type Described = Readonly<Record<"name" | "description", string>>;

export interface CompletedFlag extends Described {
  readonly values: Values | undefined;
}

/** Returns the flags that take a value, each formatted by `format`, which gets its name and its values. */
export const formatValued = (
  flags: readonly CompletedFlag[],
  format: (name: string, values: Values) => string,
): string[] => flags.flatMap(({ name, values }) => (values === undefined ? [] : [format(name, values)]));

/** `@users` and so on are looked up, `@file` is a file, "" is any value; otherwise a list of values separated by `|`. */
type Values = string;

export interface Model {
  readonly places: readonly CompletionNode[];
  readonly globals: readonly CompletedFlag[];
  readonly outputs: readonly CompletedFlag[];
}

const help = { width: 80, paint: noPaint };

export async function createModel(registry: Registry): Promise<Model> {
  const shared = addSharedOptions(createCommand([], help), true);
  const known: Record<string, Completes> = {
    "--output": formats,
    "--profile": "profiles",
    "--as": "users",
    "--db": "file",
    "--ca-file": "file",
    "--fields": "fields",
    "--tz": "timezones",
  };
  const completedFlags = shared.options.flatMap((option) =>
    namesOf(option).map((name) => completed(name, option, known[option.long ?? ""])),
  );
  const top = Object.entries(registry).map(([name, { summary }]) => ({ name, description: summary }));
  const version = { name: "--version", description: "Show the version", values: undefined };
  const places: CompletionNode[] = [{ path: "", words: top, flags: [version], args: [], many: false, prints: true }];
  const walk = (path: readonly string[], entry: CommandEntry): void => {
    if (!isGroup(entry)) {
      places.push(leafPlace(path, entry, new Set(completedFlags.map(({ name }) => name))));
      return;
    }
    const words = Object.entries(entry.commands).map(([name, child]) => ({ name, description: summaryOf(child) }));
    places.push({ path: path.join(" "), words, flags: [], args: [], many: false, prints: true });
    for (const [name, child] of Object.entries(entry.commands)) walk([...path, name], child);
  };
  for (const [name, { load }] of Object.entries(registry)) walk([name], await load());
  return {
    places,
    globals: completedFlags.filter(({ name }) => !outputFlags.has(name)),
    outputs: completedFlags.filter(({ name }) => outputFlags.has(name)),
  };
}

/** Flags that select what is printed, and how. Commands that write a file of their own use --tz, too. */
const outputFlags: ReadonlySet<string> = new Set(
  outputOptions.flatMap(({ flags }) => optionNames(flags)).filter((name) => name !== "--tz"),
);

function leafPlace(path: readonly string[], leaf: CommandSpec, shared: ReadonlySet<string>): CompletionNode {
  const { command, completes, args, many, ownFlags } = isOperation(leaf) ? ofOperation(leaf) : ofCustom(leaf);
  const flags = command.options
    // Leaves out shared flags where help hides them. Flags of nested objects, which help hides as well, are completed.
    .filter((option) => !(option.hidden && hidden.has(option.long)))
    .flatMap((option) => namesOf(option).map((name) => completed(name, option, completes(option))))
    .filter(({ name }) => ownFlags.has(name) || !shared.has(name));
  const prints = outputOptions.every((one) => command.options.some((option) => option.flags === one.flags));
  return { path: path.join(" "), words: [], flags, args, many, prints };

  function ofOperation(operation: OperationCommand) {
    const spec = createInputSpec(operation);
    const derived = new Map(spec.flags.flatMap(completesOfFlag));
    derived.set(
      "--unset",
      spec.clearable.map(({ name }) => name),
    );
    const added = new Map(spec.more.map(({ flags, choices, completes = choices }) => [flags, completes]));
    return {
      command: buildOperation(operation, path, help, spec),
      completes: (option: Option) => derived.get(option.long ?? "") ?? added.get(option.flags),
      args: spec.args.map((arg) => valuesOf(arg.completes ?? completesOf(arg.described))),
      many: spec.args.at(-1)?.many === true,
      ownFlags: new Set<string>(),
    };
  }

  function ofCustom(custom: CustomCommand) {
    const byFlags = new Map(
      (custom.flags ?? []).map(({ flags, choices, completes = choices }) => [flags, completes ?? pathOf(flags)]),
    );
    return {
      command: buildCustomCommand(custom, path, help),
      completes: (option: Option) => byFlags.get(option.flags),
      args: (custom.args ?? []).map(({ name, completes = name === "file" ? name : undefined }) => valuesOf(completes)),
      many: custom.args?.at(-1)?.many === true,
      ownFlags: new Set(byFlags.keys().flatMap(optionNames)),
    };
  }
}

/** Returns what a field takes: one of its values, a file, or a thing of a group. */
function completesOf(field: Field | undefined): Completes | undefined {
  if (field === undefined) return undefined;
  if (holdsFiles(field)) return "file";
  const group = refersTo(field);
  const { placeholder } = field;
  return (
    field.values ??
    field.items?.values ??
    byPlaceholder[placeholder ?? field.items?.placeholder ?? ""] ??
    (group === "files" ? undefined : group)
  );
}

const byPlaceholder: Readonly<Record<string, Completes>> = {
  zone: "timezones",
  tag: "languages",
  scope: "scopes",
  operation: "operations",
};

const hidden: ReadonlySet<unknown> = new Set(["--unset", "--idempotency-key"]);

const pathOf = (flags: string): Completes | undefined => (/<(path|file)>/.test(flags) ? "file" : undefined);

function completesOfFlag({ name, field, reads }: OperationFlag): [long: string, Completes | undefined][] {
  if (reads === "secret") return [[`--${name}-file`, "file"]];
  return [[`--${name}`, reads === "files" ? "file" : completesOf(field)]];
}

const namesOf = ({ short, long }: Option): string[] => [long, short].filter((name) => name !== undefined);

function completed(name: string, option: Option, completes: Completes | undefined): CompletedFlag {
  return { name, description: option.description, values: option.required ? valuesOf(completes) : undefined };
}

const valuesOf = (completes: Completes | undefined): Values =>
  completes === undefined ? "" : typeof completes === "string" ? `@${completes}` : completes.join("|");
