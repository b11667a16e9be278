import type { Command, Option } from "commander";
import { expect, it } from "vitest";
import { buildCustomCommand } from "../../src/cli/kit/build-command.ts";
import {
  type CommandEntry,
  type CommandSpec,
  isGroup,
  isOperation,
  type OperationCommand,
  summaryOf,
} from "../../src/cli/kit/command-spec.ts";
import { addSharedOptions, createCommand, parseLine } from "../../src/cli/kit/commander-command.ts";
import { kebab } from "../../src/cli/kit/field-flags.ts";
import { buildOperation, createInputSpec } from "../../src/cli/kit/input-spec.ts";
import { findCommand } from "../../src/cli/kit/router.ts";
import { wrongGuesses } from "../../src/cli/kit/wrong-guesses.ts";
import { itemFields, parseFields } from "../../src/cli/output/field-selection.ts";
import { registry } from "../../src/cli/registry.ts";
import { noPaint } from "../../src/cli/terminal/terminal.ts";
import { allOperations } from "../../src/contract/all-operations.ts";
import { fieldsOf } from "../../src/contract/field-spec.ts";

const look = { width: 100, paint: noPaint };

interface Place {
  readonly path: readonly string[];
  readonly leaf: CommandSpec;
}

async function leaves(): Promise<Place[]> {
  const found: Place[] = [];
  const walk = (path: readonly string[], entry: CommandEntry): void => {
    if (isGroup(entry)) for (const [name, child] of Object.entries(entry.commands)) walk([...path, name], child);
    else found.push({ path, leaf: entry });
  };
  for (const [name, { load }] of Object.entries(registry)) walk([name], await load());
  return found;
}

const build = ({ path, leaf }: Place): Command =>
  isOperation(leaf) ? buildOperation(leaf, path, look, createInputSpec(leaf)) : buildCustomCommand(leaf, path, look);

/** Operations without a command of their own, with the command that carries them out. */
const elsewhere: Record<string, string> = {
  "auth.authenticate": "auth login",
  "auth.renew": "auth renew",
  "sessions.endCurrent": "auth logout",
  "tokens.current": "auth status",
  "auth.twoFactorBegin": "auth 2fa enable",
  "auth.twoFactorConfirm": "auth 2fa enable",
  "settings.set": "settings set",
  "users.collection": "users get",
  "users.reference": "users get",
  "units.reference": "units get",
  "usertypes.reference": "usertypes get",
  "users.exportData": "users export-data",
  "users.import": "users import",
  "users.deactivateMissing": "users import",
  "units.import": "units import",
  "webhooks.events": "webhooks listen",
  "conversations.messages": "conversations messages",
  "conversations.follow": "conversations follow",
  "conversations.send": "conversations send",
  "conversations.messageUpdate": "conversations message edit",
  "files.get": "files get",
  "events.filesAdd": "events files add",
};

it("every operation has a command", async () => {
  const used = new Set<string>();
  for (const { leaf } of await leaves()) {
    if (isOperation(leaf)) used.add(leaf.op.name);
  }
  const missing = (await allOperations()).map(({ name }) => name).filter((name) => !used.has(name) && !elsewhere[name]);
  expect(missing).toEqual([]);
});

it("hints name commands and flags that exist", async () => {
  const all = await leaves();
  const optionsOf = (path: readonly string[]) => {
    const place = all.find((each) => each.path.join(" ") === path.join(" "));
    return place ? build(place).options.flatMap(({ long }) => long ?? []) : ["--version"];
  };
  const mistakes: string[] = [];
  for (const [guess, hint] of Object.entries(wrongGuesses).filter(([line]) => /^wcs (?!wcs)/.test(line))) {
    // Hints without a command are about flags of the command of the guess.
    const lines = hint.replace("wcs whoami", "wcs users current").match(/\bwcs ((?!wcs )[^,;|])+/g) ?? [
      `${guess.replace(/ [<-].*/, " -")} ${hint}`,
    ];
    for (const line of lines) {
      const [words = ""] = line.split(/ (?=[<'-]|use |for |with |shows |see |or )/, 1);
      const { path } = await findCommand(registry, words.split(" ").slice(1));
      const flags = (line.match(/(?<= )--[\w-]+/g) ?? []).filter((flag) => !optionsOf(path).includes(flag));
      if (flags.length > 0 || (path.length === 0 && words !== "wcs")) mistakes.push(`${guess}: ${line}`);
    }
  }
  expect(mistakes).toEqual([]);
});

it("every field of an operation is a positional or a flag, once, and none is a global option", async () => {
  const globals = new Set(
    addSharedOptions(createCommand([], look), true).options.flatMap(({ long, short }) => [long, short]),
  );
  const mistakes: string[] = [];
  for (const place of await leaves()) {
    const name = place.path.join(" ");
    const command = build(place);
    const flags = command.options.map(({ long }) => long);
    for (const flag of flags)
      if (flags.indexOf(flag) !== flags.lastIndexOf(flag)) mistakes.push(`${name}: ${flag} twice`);
    if (!isOperation(place.leaf)) continue;
    const own = createInputSpec(place.leaf);
    for (const flag of own.flags) if (globals.has(`--${flag.name}`)) mistakes.push(`${name}: --${flag.name} is global`);
    const known = new Set([
      ...own.args.map(({ field }) => field),
      ...own.flags.map(({ path }) => path[0]),
      ...(place.leaf.hidden ?? []),
    ]);
    for (const field of fieldsOf(place.leaf.op))
      if (!known.has(field.name)) mistakes.push(`${name}: ${field.name} cannot be given`);
    for (const { field } of own.args) {
      if (!fieldsOf(place.leaf.op).some((candidate) => candidate.name === field))
        mistakes.push(`${name}: no field ${field}`);
    }
  }
  expect(mistakes).toEqual([]);
});

it("help shows every flag that is not hidden, with its description", async () => {
  const mistakes: string[] = [];
  for (const place of await leaves()) {
    const name = place.path.join(" ");
    const command = build(place);
    const help = command.helpInformation();
    if (!help.startsWith(`Usage: wcs ${name}`)) mistakes.push(`${name}: no usage`);
    if (!help.includes(summaryOf(place.leaf))) mistakes.push(`${name}: no summary`);
    for (const option of command.options.filter((candidate) => !candidate.hidden)) {
      const bare = option.flags.replace(/--(no-)?/, "");
      const shown = help.includes(option.flags) || help.includes(`--[no-]${bare}`);
      if (!shown) mistakes.push(`${name}: ${option.flags} is not in help`);
      if (!option.description) mistakes.push(`${name}: ${option.flags} is not explained`);
    }
  }
  expect(mistakes).toEqual([]);
});

it("help shows flags of objects within objects as families", async () => {
  const mistakes: string[] = [];
  for (const place of await leaves()) {
    if (!isOperation(place.leaf)) continue;
    const help = build(place).helpInformation();
    for (const { path, name } of createInputSpec(place.leaf).flags.filter((flag) => flag.path.length > 2)) {
      const field = kebab(path.at(-1) ?? "");
      const family = `--${name.slice(0, -field.length)}<field>`;
      if (!new RegExp(`${family}[^<]*\\b${field}\\b`).test(help)) mistakes.push(`${place.path.join(" ")}: --${name}`);
    }
  }
  expect(mistakes).toEqual([]);
});

it("columns name fields of the items", async () => {
  const mistakes: string[] = [];
  for (const { path, leaf } of await leaves()) {
    for (const column of (isOperation(leaf) && leaf.columns) || []) {
      try {
        parseFields(column, itemFields((leaf as OperationCommand).op));
      } catch (error) {
        mistakes.push(`${path.join(" ")}: ${(error as Error).message}`);
      }
    }
  }
  expect(mistakes).toEqual([]);
});

/** Commands that remove what one other command puts back. */
const takenBack = new Set([
  "conversations unreact",
  "events withdraw",
  "posts unlike",
  "conversations unmute",
  "posts unbookmark",
  "posts unmute",
  "posts withdraw",
]);
/** Commands that delete no data. */
const lossless = new Set(["counters reset"]);

it("commands that delete something ask first", async () => {
  const mistakes: string[] = [];
  for (const { path, leaf } of await leaves()) {
    if (isOperation(leaf) && leaf.op.method === "DELETE" && !leaf.confirm) mistakes.push(path.join(" "));
  }
  expect(mistakes.filter((name) => !takenBack.has(name) && !lossless.has(name))).toEqual([]);
});

/** Splits an example into words as a shell does. */
function wordsOf(example: string): string[] {
  const command = /(?:^|\| |&& |\$\(|^[A-Z_]+=\S+ )(wcs [^|#>)]*)/.exec(example)?.[1] ?? "";
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)]
    .map(([, single, double, plain]) => single ?? double ?? plain ?? "")
    .slice(1);
}

it("examples are command lines that parse", async () => {
  const mistakes: string[] = [];
  for (const place of await leaves()) {
    for (const example of place.leaf.examples ?? []) {
      try {
        const { path, entry, rest } = await findCommand(registry, wordsOf(example.replace(/<.*/, "")));
        if (!entry || isGroup(entry)) throw new Error("it leads nowhere");
        if (path.join(" ") !== place.path.join(" ")) throw new Error(`it is an example of ${path.join(" ")}`);
        parseLine(build({ path, leaf: entry }), rest);
      } catch (error) {
        mistakes.push(`${example}: ${(error as Error).message}`);
      }
    }
  }
  expect(mistakes).toEqual([]);
});

it("only --behind-proxy takes an optional value", async () => {
  const mistakes: string[] = [];
  for (const place of await leaves()) {
    for (const option of build(place).options as Option[]) {
      if (option.optional || option.variadic) mistakes.push(`${place.path.join(" ")}: ${option.flags}`);
    }
  }
  expect(mistakes).toEqual(["serve: --behind-proxy [networks]"]);
});
