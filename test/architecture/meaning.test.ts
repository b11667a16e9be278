import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { fieldsOf } from "../../src/contract/field-spec.ts";

const source = join(import.meta.dirname, "../../src");

/** Names that hold text for people. */
const text = String.raw`\b(?:message|description|summary|hint|reason|reasons|sentence)\b`;
const search = "(?:includes|startsWith|endsWith|match|matchAll|search|indexOf|replace|split)";

const decisions: Readonly<Record<string, RegExp>> = {
  "a regular expression applied to a text": new RegExp(String.raw`\.(?:test|exec)\((?:[^()]|\([^()]*\))*?${text}`),
  "a regular expression applied to an error": /\.(?:test|exec)\(String\(\w*(?:error|cause|failure)\b/i,
  "a search in a text": new RegExp(String.raw`${text}\)?[?!]?\.${search}\(`),
  "a decision by the name of a secret field":
    /\bname\)? ?[!=]==? ?["'\x60](?:\w*password|token|secret|current)["'\x60]/i,
  "a length of a text": new RegExp(String.raw`${text}\)?[?!]?\.length ?[<>]`),
  // A word without a space may be a code.
  "a comparison with a text": new RegExp(String.raw`(?<!typeof [\w.?]*)${text} ?[!=]==? ?["'\x60][^"'\x60]* `),
  "a switch over a text": new RegExp(String.raw`switch \([\w.?]*${text}\)`),
  "a search in the messages about a field":
    /\bfields[?!]?(?:\.\w+|\.?\[[^\]]+\])[?!]?(?:\.?\[\d+\][?!]?)?\.(?:some|every|find|includes|startsWith)\(/,
};

/** Lines that look at a text with a reason. */
const allowed: readonly { readonly file: string; readonly line: string; readonly reason: string }[] = [
  {
    file: "store/postgres/postgres-errors.ts",
    line: 'error instanceof Error && sqlState(error) === "" && known.test(error.message);',
    reason: "node-pg reports lost connections and missing passwords without a code or a class",
  },
  {
    file: "store/postgres/postgres-errors.ts",
    line: 'const [reason] = (error as Error).message.split(";");',
    reason: "Node adds its advice to the message; nothing depends on what it says",
  },
  {
    file: "cli/kit/parse-value.ts",
    line: "const [unplaced, issue = unplaced, line, column] = issuePattern.exec(message) ?? [];",
    reason: "JSON.parse has the place only in the message; it is shown, and nothing depends on it",
  },
  {
    file: "contract/parse-input.ts",
    line: "if (fields[field].includes(message)) return;",
    reason: "drops a repeated message; nothing depends on what it says",
  },
];

const decisionsIn = (line: string): string[] =>
  Object.entries(decisions).flatMap(([name, pattern]) => (pattern.test(line) ? [name] : []));

const linesOf = (file: string) =>
  readFileSync(join(source, file), "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !/^(\/\/|\/?\*)/.test(line));

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

it("code decides by codes and metadata, never by messages and descriptions", () => {
  const isAllowed = (file: string, line: string) => allowed.some((each) => each.file === file && each.line === line);
  const found = files.flatMap((file) =>
    linesOf(file).flatMap((line) =>
      decisionsIn(line)
        .filter(() => !isAllowed(file, line))
        .map((name) => `${file}: ${name}: ${line}`),
    ),
  );
  expect(found).toEqual([]);
});

it("the core gives no hints, which callers over HTTP would not get", () => {
  const core = files.filter((file) => file.startsWith("core/"));
  expect(core.filter((file) => linesOf(file).some((line) => /\bhint\b/.test(line)))).toEqual([]);
});

it("input fields that hold a secret are marked in the contract, and so are new passwords", async () => {
  const fields = (await allOperations()).flatMap((op) => {
    return fieldsOf(op).map((field) => ({ ...field, place: `${op.name} ${field.name}` }));
  });
  const looksSecret = /^(password|token|secret|current)(_|$)|smtp_url$/;
  const unmarked = fields.filter(({ name, kind, secret }) => kind === "string" && looksSecret.test(name) && !secret);
  expect(unmarked.map(({ place }) => place)).toEqual([]);
  expect(fields.filter(({ newPassword }) => newPassword).map(({ place }) => place)).toEqual([
    "auth.passwordReset password",
    "users.create password",
    "users.password password",
  ]);
});

it("every exception is needed", () => {
  const unused = allowed.filter(
    ({ file, line }) => !linesOf(file).some((each) => each === line && decisionsIn(line)[0]),
  );
  expect(unused).toEqual([]);
});

it.each([
  "if (unixTime.test(description)) return;",
  "reasons.some((reason) => beyond.test(reason))",
  'if (reason === "must be a text") return;',
  'if (error.message.includes("taken")) return;',
  "switch (error.message) {",
  'outcome.fields?.user_types?.some((each) => each.startsWith("names"))',
  'if ((error as Error).message.startsWith("no")) return;',
  "if (/timeout|terminated/i.test(String(error))) return;",
  'if (field.name === "password") return;',
  "const question = field.description.length < 40 ? field.description : name;",
])("the check finds %s", (line) => {
  expect(decisionsIn(line)).not.toEqual([]);
});
