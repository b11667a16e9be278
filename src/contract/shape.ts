import type { z } from "zod";
import type { AnyOperation } from "./operation.ts";

export type Kind = "integer" | "number" | "boolean" | "string" | "array" | "object" | "other";

/** What can be told of a field without parsing: enough to read it from a query string, or to make a flag of it. */
export interface Field {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly secret: boolean;
  /** Text of several lines. */
  readonly multiline: boolean;
  readonly default: unknown;
  readonly description: string | undefined;
  /** What the interface calls things of this form. */
  readonly model: string | undefined;
  /** The only values it takes. */
  readonly values: readonly string[] | undefined;
  /** Of an array: its items. */
  readonly items: Field | undefined;
  /** Of an object: its fields. */
  readonly fields: readonly Field[] | undefined;
}

/** The fields of an operation's input. */
export function fieldsOf(op: AnyOperation): readonly Field[] {
  return shape("", op.input()).fields ?? [];
}

/** Names of the input fields that stand in the path, in order, with how each is written there. */
export function pathFields(op: AnyOperation): { wire: string; name: string }[] {
  return [...op.path.matchAll(/\{(\w+)(?:=(\w+))?\}/g)].map(([, wire = "", name]) => ({ wire, name: name ?? wire }));
}

/** The path of what an operation created: its `location`, with fields of the response. */
export function pathOfCreated(op: AnyOperation, location: string, output: unknown): string {
  const created = output as Record<string, unknown>;
  const wrapped = (op.item ? created[op.item] : undefined) as Record<string, unknown> | undefined;
  return location.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = created[name] ?? wrapped?.[name];
    if (value === undefined) throw new Error(`${op.name}: the response has no ${name} for its Location`);
    return encodeURIComponent(String(value));
  });
}

export function shape(name: string, schema: z.ZodType): Field {
  let inner = schema as z.core.$ZodType;
  let required = true;
  let nullable = false;
  let fallback: unknown;
  const meta = { ...(schema.meta() as Record<string, unknown> | undefined) };
  for (;;) {
    const { def } = inner._zod;
    if (def.type === "optional" || def.type === "nullable" || def.type === "default") {
      if (def.type === "optional") required = false;
      if (def.type === "nullable") nullable = true;
      if (def.type === "default") {
        required = false;
        fallback = (def as z.core.$ZodDefaultDef).defaultValue;
      }
      inner = (def as z.core.$ZodOptionalDef).innerType;
      for (const [key, value] of Object.entries((inner as z.ZodType).meta() ?? {})) meta[key] ??= value;
    } else if (def.type === "union") {
      // The last alternative is the full form.
      inner = (def as z.core.$ZodUnionDef).options.at(-1)!;
    } else break;
  }
  const { def } = inner._zod;
  return {
    name,
    required,
    nullable,
    kind: kindOf(inner),
    secret: meta.secret === true,
    multiline: meta.multiline === true,
    default: fallback,
    description: meta.description as string | undefined,
    model: meta.id as string | undefined,
    values: def.type === "enum" ? Object.values((def as z.core.$ZodEnumDef).entries).map(String) : undefined,
    items: def.type === "array" ? shape("", (def as z.core.$ZodArrayDef).element as z.ZodType) : undefined,
    fields:
      def.type === "object"
        ? Object.entries((def as z.core.$ZodObjectDef).shape).map(([key, value]) => shape(key, value as z.ZodType))
        : undefined,
  };
}

function kindOf(schema: z.core.$ZodType): Kind {
  const { def } = schema._zod;
  switch (def.type) {
    case "number":
      return (def as { format?: string }).format === "safeint" ? "integer" : "number";
    case "boolean":
    case "string":
    case "array":
    case "object":
      return def.type;
    case "enum":
      return "string";
    default:
      return "other";
  }
}
