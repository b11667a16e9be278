import { z } from "zod";

type JsonSchema = z.core.JSONSchema.BaseSchema;
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Examples by the name of the field. */
const byName: Readonly<Record<string, string>> = {
  first_name: "Ada",
  last_name: "Lovelace",
  name: "Copenhagen",
  title: "Summer party",
  email: "ada@example.com",
  username: "ada@example.com",
  phone: "+45 12 34 56 78",
  password: "correct horse battery",
  password_confirm: "correct horse battery",
  datetime_start: "2026-05-01T09:00",
  datetime_end: "2026-05-01T10:00",
  byday: "MO",
  scopes: "read",
  current: "the password until now",
  timezone: "Europe/Copenhagen",
  language: "da",
  reference: "cph-1",
  emoji: "👍",
  birthday: "1990-12-10",
  city: "Copenhagen",
  country: "Denmark",
  "mail.smtp_url": "smtps://mail.example.com",
};

const exampleTime = 1_777_626_000;

/** Examples by format or placeholder. */
const byFormat: Readonly<Record<string, string>> = {
  date: "2026-05-01",
  "date-time": "2026-05-01T09:00:00Z",
  time: "09:00:00Z",
  email: "ada@example.com",
  uri: "https://www.example.com/",
  url: "https://www.example.com/",
  zone: "Europe/Copenhagen",
  tag: "da",
};

/**
 * Returns an example of a schema, as a request (`input`) or a response (`output`): with all fields or, if these exclude
 * each other, with the required ones. Undefined when neither is valid.
 */
export function exampleOf(schema: z.ZodType, io: "input" | "output"): Json | undefined {
  const root = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline", target: "draft-2020-12" });
  const candidates = [true, false].map((full) => new ExampleBuilder(root, full).build(root, "", []));
  return candidates.find((each) => schema.safeParse(each).success);
}

class ExampleBuilder {
  readonly #definitions: Readonly<Record<string, JsonSchema>>;
  /** True to include optional fields. */
  readonly #full: boolean;

  constructor({ $defs = {} }: JsonSchema, full: boolean) {
    this.#definitions = $defs;
    this.#full = full;
  }

  /** `above` holds the references that lead here; a schema within itself becomes null or an empty list. */
  build(schema: JsonSchema, name: string, above: readonly string[]): Json {
    if (schema.$ref !== undefined) return this.#resolve(schema.$ref, name, above);
    if (schema.const !== undefined) return schema.const as Json;
    if (schema.default !== undefined) return schema.default as Json;
    if (schema.format === "unix-time") return exampleTime;
    if (schema.enum !== undefined) return schema.enum[0] as Json;
    const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
    if (choices) return this.build(choices.find((each) => this.#isOpen(each, above)) ?? { type: "null" }, name, above);
    if (schema.type === "object") return this.#object(schema, above);
    if (schema.type === "array") return this.#array(schema, name, above);
    return scalar(schema, name);
  }

  #resolve(ref: string, name: string, above: readonly string[]): Json {
    const definition = this.#definitions[ref.split("/").at(-1) ?? ""];
    return definition === undefined || above.includes(ref) ? null : this.build(definition, name, [...above, ref]);
  }

  #isOpen({ type, $ref }: JsonSchema, above: readonly string[]): boolean {
    return type !== "null" && !($ref !== undefined && above.includes($ref));
  }

  #object({ properties = {}, required = [] }: JsonSchema, above: readonly string[]): Json {
    const names = Object.keys(properties).filter((name) => this.#full || required.includes(name));
    return Object.fromEntries(names.map((name) => [name, this.build(properties[name] as JsonSchema, name, above)]));
  }

  #array({ items, prefixItems }: JsonSchema, name: string, above: readonly string[]): Json {
    if (prefixItems) return prefixItems.map((each) => this.build(each as JsonSchema, name, above));
    const item = items as JsonSchema | undefined;
    return item === undefined || item.not !== undefined || !this.#isOpen(item, above)
      ? []
      : [this.build(item, name, above)];
  }
}

function scalar(schema: JsonSchema, name: string): Json {
  const { format = "", minimum = 1 } = schema;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "null") return null;
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return Math.max(minimum, 1);
  if (type !== "string") return {};
  const { placeholder } = schema as { placeholder?: string };
  return byName[name] ?? byFormat[format] ?? byFormat[placeholder ?? ""] ?? "text";
}
