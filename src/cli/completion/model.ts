import type { Option } from "commander";
import { buildOwn } from "../command.ts";
import { addSharedOptions, createCommand } from "../commander.ts";
import { formats } from "../globals.ts";
import { buildOperation, intakeOf } from "../intake.ts";
import { type Flag, refersTo } from "../options.ts";
import { root } from "../root.ts";
import { noPaint } from "../terminal.ts";
import { type Completes, type Entry, isGroup, isOperation, type Leaf, summaryOf } from "../tree.ts";

/** What can follow at one place of the tree. */
export interface Place {
  /** The words that lead here, joined by spaces. */
  readonly path: string;
  readonly words: readonly Described[];
  readonly flags: readonly CompletedFlag[];
  /** Of the positionals, in order; the last one of `many` repeats. */
  readonly args: readonly Values[];
  readonly many: boolean;
}

export interface Described {
  readonly name: string;
  readonly description: string;
}

export interface CompletedFlag extends Described {
  /** Undefined when the flag takes none. */
  readonly values: Values | undefined;
}

/** `@users` and the like are looked up, `@file` is a file, `` is anything; else the values, divided by bars. */
export type Values = string;

export interface Model {
  readonly places: readonly Place[];
  /** Taken at every place. */
  readonly globals: readonly CompletedFlag[];
}

const look = { width: 80, paint: noPaint };

/** The whole tree, loaded and flattened. */
export async function createModel(): Promise<Model> {
  const shared = addSharedOptions(createCommand([], look), true);
  const known: Record<string, Completes> = {
    "--output": formats,
    "--profile": "profiles",
    "--db": "file",
    "--ca-file": "file",
  };
  const globals = shared.options.flatMap((option) =>
    namesOf(option).map((name) => completed(name, option, known[option.long!])),
  );
  const top = Object.entries(root).map(([name, { summary }]) => ({ name, description: summary }));
  const version = { name: "--version", description: "Show the version", values: undefined };
  const places: Place[] = [{ path: "", words: top, flags: [version], args: [], many: false }];
  const walk = (path: readonly string[], entry: Entry): void => {
    if (!isGroup(entry)) {
      places.push(leafPlace(path, entry, new Set(globals.map(({ name }) => name))));
      return;
    }
    const words = Object.entries(entry.commands).map(([name, child]) => ({ name, description: summaryOf(child) }));
    places.push({ path: path.join(" "), words, flags: [], args: [], many: false });
    for (const [name, child] of Object.entries(entry.commands)) walk([...path, name], child);
  };
  for (const [name, { load }] of Object.entries(root)) walk([name], await load());
  return { places, globals };
}

function leafPlace(path: readonly string[], leaf: Leaf, globals: ReadonlySet<string>): Place {
  const { command, completes, args, many, own } = isOperation(leaf) ? ofOperation(leaf) : ofOwn(leaf);
  const flags = command.options
    .flatMap((option) => namesOf(option).map((name) => completed(name, option, completes(option))))
    .filter(({ name }) => own.has(name) || !globals.has(name));
  return { path: path.join(" "), words: [], flags, args, many };

  function ofOperation(operation: Extract<Leaf, { op: unknown }>) {
    const intake = intakeOf(operation);
    const byName = new Map(intake.flags.map((flag) => [`--${flag.name}`, flag]));
    return {
      command: buildOperation(operation, path, look, intake),
      completes: (option: Option) => ofFlag(byName.get(option.long!), option),
      args: intake.args.map((arg) => valuesOf(arg.completes)),
      many: intake.args.at(-1)?.many === true,
      own: new Set<string>(),
    };
  }

  function ofOwn(own: Exclude<Leaf, { op: unknown }>) {
    const byFlags = new Map((own.flags ?? []).map(({ flags, completes }) => [flags, completes]));
    return {
      command: buildOwn(own, path, look),
      completes: (option: Option) => byFlags.get(option.flags),
      args: (own.args ?? []).map(({ completes }) => valuesOf(completes)),
      many: own.args?.at(-1)?.many === true,
      own: new Set(byFlags.keys().flatMap((flags) => flags.replace(/ <.*/, "").split(", "))),
    };
  }
}

function ofFlag(flag: Flag | undefined, option: Option): Completes | undefined {
  if (!flag) return option.long?.endsWith("-file") ? "file" : undefined;
  if (flag.reads === "files") return "file";
  return flag.field.values ?? refersTo(flag.field);
}

const namesOf = ({ short, long }: Option): string[] => [long, short].filter((name) => name !== undefined);

function completed(name: string, option: Option, completes: Completes | undefined): CompletedFlag {
  return { name, description: option.description, values: option.required ? valuesOf(completes) : undefined };
}

const valuesOf = (completes: Completes | undefined): Values =>
  completes === undefined ? "" : typeof completes === "string" ? `@${completes}` : completes.join("|");
