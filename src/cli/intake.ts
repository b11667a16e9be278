import { type Command, Option } from "commander";
import type { z } from "zod";
import type { ServiceError } from "../contract/errors.ts";
import { parse } from "../contract/input.ts";
import { fieldsOf } from "../contract/shape.ts";
import { describe, ownOption, usage } from "./command.ts";
import { addSharedOptions, createCommand, type Look } from "./commander.ts";
import { clearablePaths, type Intake, labelOf } from "./input.ts";
import { changes, familiesOf, flagsOf, optionsOf } from "./options.ts";
import type { OperationLeaf, Positional } from "./tree.ts";

/** What a command takes: the fields of its operation, each as a positional or as a flag. */
export function intakeOf(leaf: OperationLeaf): Intake {
  const args = leaf.args ?? [];
  const needed = new Set(args.filter((arg) => arg.needed).map(({ field }) => field));
  const fields = fieldsOf(leaf.op)
    .filter(({ name }) => !leaf.hidden?.includes(name))
    .map((field) => (needed.has(field.name) ? { ...field, required: true } : field));
  const inLine = new Set(args.map(({ field }) => field));
  const flags = flagsOf(fields.filter(({ name }) => !inLine.has(name))).map((flag) => {
    const path = flag.path.join(".");
    const ahead = leaf.ahead?.[path];
    return {
      ...flag,
      ...(leaf.people?.includes(path) && { byName: true as const }),
      ...(ahead !== undefined && { ahead }),
    };
  });
  return { fields, args, flags, more: leaf.flags ?? [], check: (name, value) => check(leaf, name, value) };
}

function check({ op }: OperationLeaf, name: string, value: unknown): string | undefined {
  try {
    parse((op.input() as z.ZodObject).shape[name] as z.ZodType, value);
    return undefined;
  } catch (error) {
    return Object.values((error as ServiceError).fields ?? {})[0]?.[0];
  }
}

/** The commander command of an operation. */
export function buildOperation(leaf: OperationLeaf, path: readonly string[], look: Look, intake: Intake): Command {
  const { op } = leaf;
  const command = createCommand(path, look, { examples: leaf.examples, sections: familiesOf(intake.flags) });
  command.description(describe(leaf.summary ?? op.summary, op.description));
  const args = intake.args.map((arg) => ({ ...arg, label: labelOf(arg), optional: isOptional(arg, leaf, intake) }));
  // What is missing is asked for, or named all at once: to commander nothing is required.
  for (const { label, many } of args) command.argument(many ? `[${label}...]` : `[${label}]`);
  command.usage(usage(args));
  for (const flag of intake.flags) {
    if (flag.name === "limit" && op.list?.paging) continue;
    for (const option of optionsOf(flag)) command.addOption(option);
  }
  for (const flag of intake.more) command.addOption(ownOption(flag));
  if (leaf.unless)
    command.option(leaf.unless.flag, `Show the one with the same ${leaf.unless.same.join(" and ")}, if there is one`);
  if (leaf.written) command.option("--edit", `Write the ${leaf.written.field} in $VISUAL or $EDITOR`);
  if (leaf.instead?.reference) command.option("--reference <ref>", "Name it by its reference");
  addCommonOptions(command, leaf, intake);
  addSharedOptions(command, true);
  return command;
}

function addCommonOptions(command: Command, { op, confirm }: OperationLeaf, { fields, flags }: Intake): void {
  if (op.list?.paging) {
    command.option("--limit <n>", "At most so many items in all");
    command.option("--all", "All items, page by page");
  }
  if (!changes(op)) return;
  if (flags.length > 0) command.option("--data <json>", "All fields as a JSON object, @file or - for stdin");
  if (clearablePaths(fields).length > 0) {
    command.addOption(
      new Option("--unset <field,...>", "Clear these fields").argParser((value, before: string[] | undefined) => [
        ...(before ?? []),
        value,
      ]),
    );
  }
  if (confirm) command.option("-y, --yes", "Do not ask");
  command.option("-n, --dry-run", "Check everything, change nothing");
}

function isOptional(arg: Positional, leaf: OperationLeaf, { fields }: Intake): true | undefined {
  const required = fields.find(({ name }) => name === arg.field)?.required;
  return arg.optional || !required || leaf.instead?.reference ? true : undefined;
}
