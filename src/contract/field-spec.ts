import type { z } from "zod";
import { memoize } from "./bounded-map.ts";
import { type FieldMetadata, referenceNouns } from "./field-metadata.ts";
import type { AnyOperation } from "./operation.ts";

type FieldKind = "integer" | "number" | "boolean" | "string" | "array" | "object" | "other";

/** Describes a field as data: enough to read it from a query string, to make a flag of it, and to show its value. */
export interface Field extends Omit<FieldMetadata, "id" | "values"> {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly default: unknown;
  readonly values: readonly string[] | undefined;
  /** Explains values that do not explain themselves. */
  readonly explanations: FieldMetadata["values"];
  /** True for a list that may be empty. */
  readonly emptiable: boolean;
  readonly items: Field | undefined;
  readonly fields: readonly Field[] | undefined;
}

export function fieldsOf(op: AnyOperation): readonly Field[] {
  return fieldOf("", op.input()).fields ?? [];
}

const pathField = /\{(\w+)(?:=(\w+))?\}/g;

/** Returns the names of the input fields in the path, in order, with the name that each has there. */
export const pathFields = memoize(
  ({ path }: Pick<AnyOperation, "path">): readonly Readonly<Record<"wire" | "name", string>>[] =>
    Array.from(path.matchAll(pathField), ([, wire = "", name]) => ({ wire, name: name ?? wire })),
);

export function fillPath(op: Pick<AnyOperation, "path">, textOf: (name: string) => string): string {
  return op.path.replace(pathField, (_, wire: string, name = wire) => textOf(name));
}

/** Returns the path of the thing that an operation created: its `location`, filled in from the response. */
export function pathOfCreated(op: AnyOperation, location: string, output: unknown): string {
  const created = output as Record<string, unknown>;
  const wrapped = (op.item ? created[op.item] : undefined) as Record<string, unknown> | undefined;
  return location.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = created[name] ?? wrapped?.[name];
    if (value === undefined) throw new Error(`${op.name}: the response has no ${name} for its Location`);
    return encodeURIComponent(String(value));
  });
}

/** Returns the metadata of a schema, completed from the schemas that it wraps. */
export const metadataOf = (schema: z.core.$ZodType): FieldMetadata => unwrap(schema).metadata;

/** Returns a description for a reference whose schema has none: `ID of the unit`. */
export function describeReference({ refersTo, items }: Pick<Field, "refersTo" | "items">): string | undefined {
  if (refersTo !== undefined) return `ID of the ${referenceNouns[refersTo]}`;
  return items?.refersTo === undefined ? undefined : `IDs of ${referenceNouns[items.refersTo]}s`;
}

/** Returns the description with the explanations of the values: `Who can see it: public (everyone), private (members)`. */
export function describeField(
  description: string | undefined,
  explanations: FieldMetadata["values"],
): string | undefined {
  const values = Object.entries(explanations ?? {}).map(([name, explanation]) => `${name} (${explanation})`);
  return [description, values.join(", ")].filter(Boolean).join(": ") || undefined;
}

export function fieldOf(name: string, schema: z.ZodType): Field {
  const { inner, required, nullable, fallback, metadata } = unwrap(schema);
  const { def } = inner._zod;
  return {
    ...metadata,
    name,
    required,
    nullable,
    kind: kindOf(inner),
    default: fallback,
    explanations: metadata.values,
    values: def.type === "enum" ? Object.values((def as z.core.$ZodEnumDef).entries).map(String) : undefined,
    emptiable: def.type === "array" && !def.checks?.some((check) => check._zod.def.check === "min_length"),
    items: def.type === "array" ? fieldOf("", (def as z.core.$ZodArrayDef).element as z.ZodType) : undefined,
    fields:
      def.type === "object"
        ? Object.entries((def as z.core.$ZodObjectDef).shape).map(([key, value]) => fieldOf(key, value as z.ZodType))
        : undefined,
  };
}

/** Unwraps `optional`, `nullable`, `default` and unions of a schema, and returns their meaning. */
function unwrap(schema: z.core.$ZodType) {
  let inner = schema;
  let required = true;
  let nullable = false;
  let fallback: unknown;
  const meta: Record<string, unknown> = { ...(schema as z.ZodType).meta() };
  for (;;) {
    const { def } = inner._zod;
    if (def.type === "optional" || def.type === "nullable" || def.type === "default") {
      if (def.type === "nullable") nullable = true;
      else required = false;
      if (def.type === "default") fallback = (def as z.core.$ZodDefaultDef).defaultValue;
      inner = (def as z.core.$ZodOptionalDef).innerType;
    } else if (def.type === "union") {
      const { options } = def as z.core.$ZodUnionDef;
      nullable ||= options.some((option) => acceptsNull(option));
      // The last alternative is the full form.
      inner = options.at(-1)!;
    } else break;
    for (const [key, value] of Object.entries((inner as z.ZodType).meta() ?? {})) meta[key] ??= value;
  }
  return { inner, required, nullable, fallback, metadata: meta as FieldMetadata };
}

/** Returns whether a schema is null, possibly with a transformation after it. */
function acceptsNull({ _zod: { def } }: z.core.$ZodType): boolean {
  return def.type === "null" || (def.type === "pipe" && acceptsNull((def as z.core.$ZodPipeDef).in));
}

function kindOf(schema: z.core.$ZodType): FieldKind {
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
