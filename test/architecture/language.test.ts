import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Completes } from "../../src/cli/kit/command-spec.ts";
import {
  type CommandEntry,
  type CustomCommand,
  isGroup,
  isOperation,
  type OperationCommand,
} from "../../src/cli/kit/command-spec.ts";
import { buildOperation, createInputSpec } from "../../src/cli/kit/input-spec.ts";
import { registry } from "../../src/cli/registry.ts";
import { noPaint } from "../../src/cli/terminal/terminal.ts";
import { allOperations } from "../../src/contract/all-operations.ts";
import { describeReference, type Field, fieldsOf } from "../../src/contract/field-spec.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { settings } from "../../src/contract/settings.ts";

const root = join(import.meta.dirname, "../..");

/** Returns the comments of a file as single lines of text. Consecutive `//` lines are one comment. */
function commentsIn(code: string): string[] {
  const blocks = code.matchAll(/^[ \t]*\/\*\*?([\s\S]*?)\*\//gm);
  const lines = code.matchAll(/^[ \t]*\/\/(.*(?:\n[ \t]*\/\/.*)*)|[;,{([] \/\/ (.*)$/gm);
  return [...blocks, ...lines].map(([, own = "", trailing = ""]) =>
    (own + trailing).replace(/\n[ \t]*(\*|\/\/)?/g, " ").trim(),
  );
}

const forbiddenOpening = /^(What|Whether|Of|Whom|Whoever)\b/;
const forbiddenWord = /\b(whoever|anew|he|his|him)\b/i;

it("comments are recognized, and forbidden ones too", () => {
  const code = [
    "/** What it is. */",
    "/**",
    " * Made",
    " * anew.",
    " */",
    "const a = 1; // Of old",
    "  // Kept for",
    "  // whoever reads.",
    'const accept = "*/*"; // the type',
    'const url = "https://he.example";',
  ];
  const comments = commentsIn(code.join("\n"));
  expect(comments).toEqual(["What it is.", "Made  anew.", "Of old", "Kept for  whoever reads.", "the type"]);
  expect(comments.map((comment) => forbiddenOpening.test(comment) || forbiddenWord.test(comment))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});

it.each(["src", "scripts", "test"])("no comment in %s begins or speaks in a way that the style forbids", (folder) => {
  const issues: string[] = [];
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
    // This file contains forbidden comments as samples.
    if (!name.endsWith(".ts") || name === "architecture/language.test.ts") continue;
    for (const comment of commentsIn(readFileSync(join(root, folder, name), "utf8"))) {
      if (forbiddenOpening.test(comment) || forbiddenWord.test(comment)) issues.push(`${name}: ${comment}`);
    }
  }
  expect(issues).toEqual([]);
});

/** A flag, an argument or a field as help shows it. */
interface Described {
  /** The command or operation. */
  readonly place: string;
  readonly name: string;
  readonly description: string | undefined;
  /** The values of a choice. */
  readonly values?: readonly string[] | undefined;
  /** The placeholder of the value, which may name the values. */
  readonly shown?: string | undefined;
}

const wordsOf = (text: string) =>
  text
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

/** Returns the reasons for which a description does not help its reader. */
function faultsOf({ name, description = "", values = [], shown = "" }: Described): string[] {
  const words = wordsOf(description.replace(/\((?:required|default .*)\)$/, ""));
  const known = new Set(wordsOf(name));
  return [
    ...(words.length === 0 ? ["no description"] : []),
    ...(words.length > 0 && words.every((word) => known.has(word)) ? ["repeats the name"] : []),
    ...(/^[a-z]/.test(description) ? ["starts with a lower-case letter"] : []),
    ...(/\.$/.test(description) ? ["ends with a full stop"] : []),
    ...(/[{[]object|undefined|\(default \)/.test(description) ? ["shows an internal value"] : []),
    ...values.filter((value) => !`${shown} ${description}`.includes(value)).map((value) => `does not show ${value}`),
  ];
}

const look = { width: 100, paint: noPaint };
const choiceOf = (completes: Completes | undefined) => (typeof completes === "object" ? completes : undefined);

/** Returns the flags and arguments that derive from the input of an operation, and those that its command adds. */
function describedInOperation(place: string, leaf: OperationCommand): Described[] {
  const spec = createInputSpec(leaf);
  const { options, registeredArguments } = buildOperation(leaf, [place], look, spec);
  const fields = new Map(spec.flags.map(({ name, field }) => [`--${name}`, field]));
  const own = new Map(spec.more.map(({ flags, completes }) => [flags, choiceOf(completes)]));
  return [
    ...options.map(({ flags, long, description }) => {
      const field = fields.get(long ?? "");
      const values = field?.values ?? field?.items?.values ?? own.get(flags);
      return { place, name: long ?? flags, description, values, shown: flags };
    }),
    ...registeredArguments.map((argument, at) => {
      const field = spec.fields.find(({ name }) => name === spec.args[at]?.field);
      return { place, name: argument.name(), description: argument.description, values: field?.values };
    }),
  ];
}

function describedInOwn(place: string, { flags = [], args = [], description: text }: CustomCommand): Described[] {
  return [
    ...flags.map(({ flags: shown, description, completes }) => {
      return { place, name: shown.replace(/ .*/, ""), description, values: choiceOf(completes), shown };
    }),
    ...args.map(({ name, description, completes }) => {
      return { place, name, description, values: choiceOf(completes), shown: text };
    }),
  ];
}

/** Returns the flags and arguments of all commands. */
async function describedInHelp(): Promise<Described[]> {
  const found: Described[] = [];
  const walk = (place: string, entry: CommandEntry): void => {
    if (isGroup(entry)) for (const [name, child] of Object.entries(entry.commands)) walk(`${place} ${name}`, child);
    else found.push(...(isOperation(entry) ? describedInOperation(place, entry) : describedInOwn(place, entry)));
  };
  for (const [name, { load }] of Object.entries(registry)) walk(name, await load());
  return found;
}

/** Returns the input fields of an operation, also those within objects and lists. */
function inputFields(op: AnyOperation): Described[] {
  const walk = (fields: readonly Field[], place: string): Described[] =>
    fields.flatMap((field) => [
      { place, name: field.name, description: field.description ?? describeReference(field) },
      ...walk(field.fields ?? field.items?.fields ?? [], `${place}.${field.name}`),
    ]);
  return walk(fieldsOf(op), op.name);
}

const faults = (all: readonly Described[]) =>
  all.flatMap((each) => faultsOf(each).map((fault) => `${each.place} ${each.name}: ${fault}`));

it.each([
  [{ place: "users create", name: "--title", description: undefined }, "no description"],
  [{ place: "users create", name: "--user-types", description: "User types (required)" }, "repeats the name"],
  [{ place: "users create", name: "--title", description: "job title" }, "starts with a lower-case letter"],
  [{ place: "users create", name: "--title", description: "Job title." }, "ends with a full stop"],
  [
    { place: "posts list", name: "--sort", description: "Time to sort by", values: ["updated"] },
    "does not show updated",
  ],
] as const)("%j is recognized as a fault of a description", (described, fault) => {
  expect(faultsOf(described)).toEqual([fault]);
});

it("every flag and argument of every command is described in a way that helps", async () => {
  expect(faults(await describedInHelp())).toEqual([]);
});

it("every input field of the contract is described in a way that helps", async () => {
  expect(faults((await allOperations()).flatMap(inputFields))).toEqual([]);
});

it("every setting is described in a way that helps", () => {
  expect(faults(inputFields(settings.set))).toEqual([]);
});

it("summaries of operations are sentences in the imperative, and descriptions whole sentences", async () => {
  const faulty = (await allOperations()).flatMap(({ name, summary, description }) => [
    ...(/^[A-Z][a-z]+ .*[^.]$/.test(summary) ? [] : [`${name}: ${summary}`]),
    ...(/^(The|A|An|One|Who|How|Your|What)\b/.test(summary) ? [`${name}: ${summary}`] : []),
    ...(description === undefined || /^\S.*\.$/s.test(description) ? [] : [`${name}: ${description}`]),
  ]);
  expect(faulty).toEqual([]);
});
