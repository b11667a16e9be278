import { shortcutOf } from "../../kit/command-aliases.ts";
import type { CommandEnvironment } from "../../kit/command-context.ts";
import {
  type CommandEntry,
  type Commands,
  isGroup,
  isOperation,
  type Registry,
  summaryOf,
} from "../../kit/command-spec.ts";
import { findCommand } from "../../kit/router.ts";
import { readConfig } from "../../session/config.ts";
import { withoutPassword } from "../../session/database-url.ts";
import { lineOf } from "../../terminal/shell-words.ts";

/** A value that completes the typed word, and its description. */
export interface Candidate {
  readonly value: string | number;
  readonly name: string;
}

/** Returns the values of a kind that needs no target; undefined for other kinds. */
export async function knownValues(
  kind: string,
  typed: string,
  words: readonly string[],
  environment: CommandEnvironment,
): Promise<Candidate[] | undefined> {
  const { program, terminal } = environment;
  switch (kind) {
    case "aliases":
      return Object.entries(readConfig(terminal.env).aliases ?? {}).map(([value, words]) => ({
        value,
        name: lineOf(words),
      }));
    case "alias": {
      const { aliases = {} } = readConfig(terminal.env);
      const meant = shortcutOf(typed) ?? (Object.hasOwn(aliases, typed) ? aliases[typed] : []) ?? [];
      return meant.map((value) => ({ value, name: "" }));
    }
    case "profiles":
      return Object.entries(readConfig(terminal.env).profiles).map(([value, { target }]) => ({
        value,
        name: withoutPassword(target),
      }));
    case "fields":
      return fieldsOfCommand(words, environment);
    case "settings":
      return settingNames();
    case "settingvalues":
      return settingValues(words);
    case "scopes":
    case "operations":
      return operations(kind === "scopes" ? ["read", "write"] : []);
    case "timezones":
      return zones();
    case "topics":
      return topicsIn(words.slice(words.indexOf("help") + 1), program.registry);
    default:
      return undefined;
  }
}

async function settingNames(): Promise<Candidate[]> {
  return (await settingFields()).map(({ name, description = "" }) => ({ value: name, name: description }));
}

async function settingFields() {
  const [{ settings }, { fieldsOf }] = await Promise.all([
    import("../../../contract/settings.ts"),
    import("../../../contract/field-spec.ts"),
  ]);
  return fieldsOf(settings.set);
}

/** Returns the values of the setting that the words name. */
async function settingValues(words: readonly string[]): Promise<Candidate[]> {
  const field = (await settingFields()).find(({ name }) => words.includes(name));
  if (field?.name === "timezone") return zones();
  if (field?.name === "languages") return knownLanguages();
  const values = field?.kind === "boolean" ? ["true", "false"] : (field?.values ?? []);
  return values.map((value) => ({ value, name: "" }));
}

const zones = () => Intl.supportedValuesOf("timeZone").map((value) => ({ value, name: "" }));

/** Returns `others`, the operations, and those of each group together, as in users.*. */
async function operations(others: readonly string[]): Promise<Candidate[]> {
  const all = await (await import("../../../contract/all-operations.ts")).allOperations();
  const groups = new Set(all.map(({ name }) => `${name.split(".")[0]}.*`));
  return [
    ...[...others, ...groups].map((value) => ({ value, name: "" })),
    ...all.map(({ name, summary }) => ({ value: name, name: summary })),
  ];
}

async function topicsIn(words: readonly string[], registry: Registry): Promise<Candidate[]> {
  const group = await groupIn(words, registry);
  if (group) return Object.entries(group).map(([value, entry]) => ({ value, name: summaryOf(entry) }));
  const { topicTitles } = await import("../../help/topic-titles.ts");
  const commands = Object.entries(registry).map(([value, { summary }]) => ({ value, name: summary }));
  return [...Object.entries(topicTitles).map(([value, name]) => ({ value, name })), ...commands];
}

/** Returns the commands of the group that words name; undefined without a group. */
async function groupIn(words: readonly string[], registry: Registry): Promise<Commands | undefined> {
  let commands: Commands | undefined;
  for (const word of words) {
    const entry: CommandEntry | undefined = commands ? commands[word] : await registry[word]?.load();
    if (entry !== undefined && isGroup(entry)) commands = entry.commands;
  }
  return commands;
}

async function fieldsOfCommand(words: readonly string[], { program }: CommandEnvironment): Promise<Candidate[]> {
  const { entry } = await findCommand(program.registry, words);
  if (entry === undefined || !isOperation(entry)) return [];
  const { itemFields } = await import("../../output/field-selection.ts");
  return itemFields(entry.op).flatMap(({ name, description, fields = [] }) => [
    { value: name, name: description ?? "" },
    ...fields.map((field) => ({ value: `${name}.${field.name}`, name: field.description ?? "" })),
  ]);
}

function knownLanguages(): Candidate[] {
  const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes.flatMap((value) => {
    const name = names.of(value);
    return name === undefined ? [] : [{ value, name }];
  });
}
