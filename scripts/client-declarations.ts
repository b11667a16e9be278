import { readFileSync } from "node:fs";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { parseAst } from "rolldown/parseAst";
import { z } from "zod";
import { allOperations } from "../src/contract/all-operations.ts";
import { errorCodes } from "../src/contract/errors.ts";
import type { AnyOperation } from "../src/contract/operation.ts";
import { groupEntries } from "../src/contract/operation-groups.ts";
import { describeSchema } from "../src/http/openapi.ts";
import { docComment, type NamedTypes, typeText } from "./schema-types.ts";

/** Declarations that are taken over from the sources. Their type `Issue` is that of the responses. */
const sources: Readonly<Record<string, readonly string[]>> = {
  "src/contract/errors.ts": ["FieldErrors", "ErrorDetails", "ServiceError"],
  "src/http/fetch-client/client-types.ts": ["ConnectOptions", "CallOptions", "Arguments", "Operation", "ListOperation"],
};

/** Returns the type declarations of the client package, which need neither zod nor the sources. */
export async function clientDeclarations(): Promise<string> {
  const operations = await allOperations();
  const codes = Object.keys(errorCodes).map((code) => JSON.stringify(code));
  const named: NamedTypes = new Map();
  const types = operations.flatMap((op) => typesOf(op, named));
  const groups = groupEntries.map(([group, { summary }]) => {
    const methods = operations.filter(({ name }) => name.startsWith(`${group}.`)).map(methodOf);
    return `${docComment(summary, "  ")}  readonly ${group}: {\n${methods.join("")}  };\n`;
  });
  return [
    "// Made from the contract of the service by scripts/client-declarations.ts.\n",
    `/** Codes of errors. */\nexport type ErrorCode = ${codes.join(" | ")};`,
    ...Object.entries(sources).flatMap(([file, names]) => declarationsOf(file, names)),
    ...[...named].map(([name, { text, description }]) => `${docComment(description)}export type ${name} = ${text};`),
    ...types,
    `/** A connection to the service, with a method for each operation. */\nexport interface Client {\n${groups.join("")}}`,
    `/** Connects to a service. Sends nothing yet. */\nexport declare function connect(options: ConnectOptions): Client;\n`,
  ].join("\n");
}

/** Returns the name of an operation's types: `UsersList` for `users.list`. */
const typeName = ({ name }: AnyOperation) => name.replace(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase());

function typesOf(op: AnyOperation, named: NamedTypes): string[] {
  const input = typeText(jsonSchema(op.input(), "input"), "input", named);
  const output = op.bytes
    ? "Response"
    : op.status === 204
      ? "undefined"
      : typeText(jsonSchema(op.output(), "output"), "output", named);
  return [
    `/** Input of \`${op.name}\`. */\nexport type ${typeName(op)}Input = ${input};`,
    `/** Output of \`${op.name}\`. */\nexport type ${typeName(op)}Output = ${output};`,
  ];
}

function jsonSchema(schema: z.ZodType, io: "input" | "output") {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      const description = describeSchema(zodSchema);
      if (description !== undefined) jsonSchema.description = description;
    },
  });
}

function methodOf(op: AnyOperation): string {
  const types = `${typeName(op)}Input, ${typeName(op)}Output`;
  const item = `${typeName(op)}Output[${JSON.stringify(op.list?.items)}][number]`;
  const type = op.list ? `ListOperation<${types}, ${item}>` : `Operation<${types}>`;
  const text = [`${op.summary}.`, op.description].filter(Boolean).join(" ");
  return `${docComment(text, "    ")}    readonly ${op.name.split(".")[1]}: ${type};\n`;
}

interface Statement {
  readonly start: number;
  readonly end: number;
  readonly declaration?: { readonly id?: { readonly name?: string } };
}

/** Returns exported declarations of a source file, with their comments. */
function declarationsOf(file: string, names: readonly string[]): string[] {
  const { code } = isolatedDeclarationSync(file, readFileSync(file, "utf8"));
  const statements = parseAst(code, { lang: "dts" }).body as readonly Statement[];
  return names.map((name) => {
    const at = statements.findIndex(({ declaration }) => declaration?.id?.name === name);
    const statement = statements[at];
    if (statement === undefined) throw new Error(`${file} does not export ${name}`);
    // Declarations must not have the modifier.
    return code
      .slice(statements[at - 1]?.end ?? 0, statement.end)
      .trim()
      .replaceAll("override ", "");
  });
}
