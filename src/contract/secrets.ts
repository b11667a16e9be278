import type { z } from "zod";
import type { AnyOperation } from "./operation.ts";
import { isRecord } from "./parse-input.ts";

type Schema = z.core.$ZodType;

/** Returns true when the schema, or a schema inside it, is marked `secret`. */
export function holdsSecret(schema: Schema): boolean {
  const known = holders.get(schema);
  if (known !== undefined) return known;
  // Ends the walk where a schema contains itself.
  holders.set(schema, false);
  const holds = isSecret(schema) || innerSchemas(schema).some(holdsSecret);
  holders.set(schema, holds);
  return holds;
}

const holders = new WeakMap<Schema, boolean>();

/** Returns the value without everything that its schema marks `secret`. */
export function withoutSecrets(schema: Schema, value: unknown): unknown {
  if (value === undefined || value === null || !holdsSecret(schema)) return value;
  if (isSecret(schema)) return undefined;
  const { def } = schema._zod;
  if (def.type === "object" && isRecord(value)) {
    const { shape } = def as z.core.$ZodObjectDef;
    return mapFields(value, (name, field) => (shape[name] ? withoutSecrets(shape[name], field) : field));
  }
  if (def.type === "record" && isRecord(value)) {
    const { valueType } = def as z.core.$ZodRecordDef;
    return mapFields(value, (_, field) => withoutSecrets(valueType, field));
  }
  if (def.type === "array" && Array.isArray(value)) {
    const { element } = def as z.core.$ZodArrayDef;
    return value.map((item) => withoutSecrets(element, item));
  }
  if (def.type === "tuple" && Array.isArray(value)) {
    const { items } = def as z.core.$ZodTupleDef;
    return value.map((item, index) => (items[index] ? withoutSecrets(items[index], item) : item));
  }
  return innerSchemas(schema).reduce<unknown>((rest, inner) => withoutSecrets(inner, rest), value);
}

/** Returns true when repeats with an Idempotency-Key get the first answer, which is stored without its secrets. */
export function isReplayable(op: AnyOperation): boolean {
  return op.method === "POST" && op.access !== "public" && !needsSecret(op.output());
}

/** Returns true when every valid value holds a secret. Alternatives of a union count as if all were taken. */
export function needsSecret(schema: Schema): boolean {
  if (schema._zod.def.type === "optional" || !holdsSecret(schema)) return false;
  return isSecret(schema) || innerSchemas(schema).some(needsSecret);
}

function isSecret(schema: Schema): boolean {
  return (schema as z.ZodType).meta()?.secret === true;
}

function innerSchemas(schema: Schema): readonly Schema[] {
  const { def } = schema._zod;
  switch (def.type) {
    case "object":
      return Object.values((def as z.core.$ZodObjectDef).shape);
    case "array":
      return [(def as z.core.$ZodArrayDef).element];
    case "tuple":
      return (def as z.core.$ZodTupleDef).items;
    case "record":
      return [(def as z.core.$ZodRecordDef).valueType];
    case "union":
      return (def as z.core.$ZodUnionDef).options;
    case "pipe":
      return [(def as z.core.$ZodPipeDef).in, (def as z.core.$ZodPipeDef).out];
    default:
      return "innerType" in def ? [(def as z.core.$ZodOptionalDef).innerType] : [];
  }
}

function mapFields(fields: Record<string, unknown>, change: (name: string, field: unknown) => unknown) {
  const changed = Object.entries(fields).map(([name, field]) => [name, change(name, field)] as const);
  return Object.fromEntries(changed.filter(([, field]) => field !== undefined));
}
