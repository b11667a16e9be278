import { type Command, Option } from "commander";
import type { z } from "zod";
import { fieldsOf, pathFields } from "../../contract/field-spec.ts";
import { tryParse } from "../../contract/parse-input.ts";
import { isReplayable } from "../../contract/secrets.ts";
import {
  createOption,
  describeCommand,
  idempotencyFlag,
  repeatable,
  syntaxOf,
  usageWith,
  watchFlags,
} from "./build-command.ts";
import type { OperationCommand, Positional } from "./command-spec.ts";
import { addSharedOptions, createCommand, type HelpOptions } from "./commander-command.ts";
import { describeArgument, familiesOf, flagsOf, kebab, mutates, type OperationFlag, optionsOf } from "./field-flags.ts";
import { clearableFields, type InputSpec, labelOf, longOf, takesIds } from "./read-input.ts";

/** Creates the input spec of a command: each field of its operation is an argument or a flag. */
export function createInputSpec(leaf: OperationCommand): InputSpec {
  const needed = new Set(leaf.args?.filter((arg) => arg.needed).map(({ field }) => field));
  const all = fieldsOf(leaf.op);
  const hidden = new Set<string>(leaf.hidden);
  // A flag of the command's own, as --mute-rule, can stand for a hidden field.
  const replaced = new Set((leaf.flags ?? []).map(({ field }) => field));
  const fields = all
    .filter(({ name }) => !hidden.has(name))
    .map((field) => (needed.has(field.name) ? { ...field, required: true } : field));
  const positional: readonly Positional[] = leaf.args ?? pathFields(leaf.op).map(({ name }) => ({ field: name }));
  const args = positional.flatMap((arg) => {
    const described = fields.find(({ name }) => name === arg.field);
    return described ? [{ ...arg, described }] : [];
  });
  const withoutFlag = new Set(args.filter(({ flag }) => !flag).map(({ field }) => field));
  const nameOf = (path: readonly string[]): string => leaf.flagNames?.[path.join(".")] ?? path.map(kebab).join("-");
  const flags = flagsOf(fields.filter(({ name }) => !withoutFlag.has(name))).map(
    (flag): OperationFlag => ({
      ...flag,
      name: flag.reads === "files" ? flag.name : nameOf(flag.path),
      ahead: leaf.ahead?.[flag.path.join(".")],
      others: leaf.flags?.filter(({ field }) => field === flag.path.join(".")).map(longOf),
    }),
  );
  const positions = args.map((arg, at): OperationFlag => {
    return { name: labelOf(arg), path: [arg.field], field: arg.described, reads: "argument", at };
  });
  return {
    fields,
    args,
    flags,
    places: [...flags, ...positions],
    more: leaf.flags ?? [],
    needed: leaf.needed,
    found: leaf.found,
    // A new resource has no lists to clear.
    clearable: clearableFields(
      all.filter(({ name }) => !hidden.has(name) || replaced.has(name)),
      leaf.op.method === "PATCH",
    ).map((field) => ({ ...field, name: nameOf(field.path) })),
    check: (name, value) => check(leaf, name, value),
  };
}

function check({ op }: OperationCommand, name: string, value: unknown): string | undefined {
  const result = tryParse((op.input() as z.ZodObject).shape[name] as z.ZodType, value);
  return result.ok ? undefined : Object.values(result.fields)[0]?.[0];
}

export function buildOperation(
  leaf: OperationCommand,
  path: readonly string[],
  help: HelpOptions,
  spec: InputSpec,
): Command {
  const { op } = leaf;
  const command = createCommand(path, help, { examples: leaf.examples, sections: familiesOf(spec.flags) });
  command.description(describeCommand(leaf.summary ?? op.summary, leaf.description ?? op.description));
  const args = spec.args.map((arg) => ({ ...arg, name: labelOf(arg), optional: isOptional(arg, leaf, spec) }));
  // All arguments are optional for commander: missing ones are prompted for, or reported in one error.
  for (const [at, arg] of args.entries()) {
    const isRead = at === 0 && takesIds(arg);
    const description = `${describeArgument(arg.described)}${isRead ? "; - reads one a line from stdin" : ""}`;
    command.argument(syntaxOf({ ...arg, optional: true }), description);
  }
  command.usage(usageWith(args));
  let secret: string | undefined;
  for (const flag of spec.flags) {
    if (flag.name === "limit" && op.list?.paging) continue;
    for (const option of optionsOf(flag, secret)) command.addOption(option);
    if (flag.reads === "secret") secret = flag.name;
  }
  for (const flag of spec.more) command.addOption(createOption(flag));
  if (leaf.written) command.option("--edit", `Edit the ${leaf.written.field} in $VISUAL or $EDITOR`);
  addCommonOptions(command, leaf, spec);
  addSharedOptions(command, true);
  return command;
}

function addCommonOptions(
  command: Command,
  { op, confirm, repeats }: OperationCommand,
  { fields, flags, clearable }: InputSpec,
): void {
  if (op.list?.paging) {
    const defaultLimit = fields.find(({ name }) => name === "limit")?.default;
    command.option("--limit <n>", `Maximum number of items (default ${defaultLimit})`);
    command.option("--all", "Fetch all pages");
  } else if (op.list && !fields.some(({ name }) => name === "limit")) {
    command.option("--limit <n>", "Maximum number of items");
  }
  if (!mutates(op)) {
    for (const flag of watchFlags) command.addOption(createOption(flag));
    return;
  }
  if (flags.length > 0)
    command.option("--data <json>", "Fields as a JSON object, @file, or - for stdin; flags take precedence");
  if (clearable.length > 0) {
    const unset = repeatable(new Option("--unset <field,...>", describeUnset(clearable)));
    // A new resource has nothing to clear, except fields of a template in --data.
    command.addOption(unset.hideHelp(op.method !== "PATCH"));
  }
  // Most changes without further values, as of seen, are the same when they are made twice.
  const isSameTwice = !repeats && op.status === 204 && fields.length === pathFields(op).length;
  if (isReplayable(op)) command.addOption(createOption(idempotencyFlag).hideHelp(isSameTwice));
  if (confirm) command.option("-y, --yes", "Skip the confirmation");
  command.option("-n, --dry-run", "Check the input and permissions without changing anything");
}

/** Names the fields that can be cleared; those of nested objects can be, too, but are too many for help. */
function describeUnset(clearable: InputSpec["clearable"]): string {
  const shallow = clearable.filter(({ path }) => path.length <= 2);
  return `Fields to clear: ${shallow.map(({ name }) => name).join(", ")}`;
}

function isOptional(arg: Positional, leaf: OperationCommand, { fields }: InputSpec): true | undefined {
  const required = fields.find(({ name }) => name === arg.field)?.required;
  return arg.optional || !required || leaf.alternative ? true : undefined;
}
