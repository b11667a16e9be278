import type { z } from "zod";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Types that other types refer to by name. */
export type NamedTypes = Map<string, { readonly text: string; readonly description: string | undefined }>;

/** Returns a comment of one line; nothing without a text. */
export function docComment(text: string | undefined, indent = ""): string {
  return text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;
}

/** Returns the TypeScript type of the values that a JSON schema describes. Adds the types that it refers to. */
export function typeText(root: JsonSchema, io: "input" | "output", named: NamedTypes): string {
  return new TypeWriter(root, io, named).write(root, "");
}

/** Returns the alternatives of a schema, with those of an alternative in its place; undefined without any. */
function choicesOf({ anyOf, oneOf }: JsonSchema): JsonSchema[] | undefined {
  return (anyOf ?? oneOf)?.flatMap((each) => choicesOf(each as JsonSchema) ?? [each as JsonSchema]);
}

class TypeWriter {
  readonly #definitions: Readonly<Record<string, JsonSchema>>;
  readonly #io: "input" | "output";
  readonly #named: NamedTypes;

  constructor({ $defs = {} }: JsonSchema, io: "input" | "output", named: NamedTypes) {
    this.#definitions = $defs;
    this.#io = io;
    this.#named = named;
  }

  write(schema: JsonSchema | boolean, indent: string): string {
    if (typeof schema === "boolean") return schema ? "unknown" : "never";
    if (schema.$ref !== undefined) return this.#name(schema.$ref);
    if (schema.id !== undefined && this.#definitions[schema.id] === undefined) return this.#define(schema.id, schema);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    const choices = choicesOf(schema);
    if (choices) return this.#union(choices, indent);
    if (schema.allOf) return schema.allOf.map((each) => this.write(each, indent)).join(" & ");
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    return types.map((type) => this.#ofType(type, schema, indent)).join(" | ");
  }

  #union(schemas: readonly JsonSchema[], indent: string): string {
    const texts = new Set(schemas.map((each) => this.write(each, indent)));
    // A text of any content includes those that are listed.
    const isIncluded = (text: string) => texts.has("string") && text.startsWith('"');
    return [...texts].filter((text) => !isIncluded(text)).join(" | ");
  }

  #name(ref: string): string {
    const id = ref.split("/").at(-1) ?? "";
    const definition = this.#definitions[id];
    if (definition === undefined) throw new Error(`${ref} is not defined`);
    return this.#define(id, definition);
  }

  /** Adds a type by its name, once. Returns the name, which is another one where an input differs from an output. */
  #define(id: string, definition: JsonSchema): string {
    const name = this.#io === "input" ? `${id}Input` : id;
    if (!this.#named.has(name)) {
      const { description } = definition;
      // Reserves the name, because the type may contain itself.
      this.#named.set(name, { text: "", description });
      const { id: _, ...own } = definition;
      this.#named.set(name, { text: this.write(own, ""), description });
    }
    return name;
  }

  #ofType(type: string | undefined, schema: JsonSchema, indent: string): string {
    switch (type) {
      case "object":
        return this.#object(schema, indent);
      case "array":
        return this.#array(schema, indent);
      case "integer":
        return "number";
      case "string":
      case "number":
      case "boolean":
      case "null":
        return type;
      default:
        return schema.not === undefined ? "unknown" : "never";
    }
  }

  #object({ properties, required = [], additionalProperties }: JsonSchema, indent: string): string {
    const fields = Object.entries(properties ?? {});
    if (fields.length === 0) {
      const isEmpty = additionalProperties === undefined || additionalProperties === false;
      return `Record<string, ${isEmpty ? "never" : this.write(additionalProperties, indent)}>`;
    }
    const inner = `${indent}  `;
    const lines = fields.map(([name, schema]) => {
      const isOptional = !required.includes(name);
      const type = this.write(schema, inner) + (isOptional && this.#io === "input" ? " | undefined" : "");
      const { description } = schema as JsonSchema;
      const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
      return `${docComment(description, inner)}${inner}${key}${isOptional ? "?" : ""}: ${type};\n`;
    });
    return `{\n${lines.join("")}${indent}}`;
  }

  #array({ items, prefixItems }: JsonSchema, indent: string): string {
    if (prefixItems) return `[${prefixItems.map((each) => this.write(each as JsonSchema, indent)).join(", ")}]`;
    if (items === undefined || Array.isArray(items)) return "unknown[]";
    const item = this.write(items as JsonSchema, indent);
    return /[|&]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
  }
}
