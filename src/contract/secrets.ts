import type { z } from "zod";
import type { AnyOperation } from "./operation.ts";
import { isRecord } from "./parse-json.ts";

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

export function withoutSecrets(schema: Schema, value: unknown): unknown {
  if (value === undefined || value === null || !holdsSecret(schema)) return value;
  if (isSecret(schema)) return undefined;
  const { def } = schema._zod;
  const strip = (own: Schema | undefined, field: unknown) => (own ? withoutSecrets(own, field) : field);
  if ((def.type === "object" || def.type === "record") && isRecord(value)) {
    const { shape = {}, valueType } = def as { shape?: Record<string, Schema>; valueType?: Schema };
    const fields = Object.entries(value).map(
      ([name, field]) => [name, strip(shape[name] ?? valueType, field)] as const,
    );
    return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
  }
  if ((def.type === "array" || def.type === "tuple") && Array.isArray(value)) {
    const { items = [], element } = def as { items?: readonly Schema[]; element?: Schema };
    return value.map((item, index) => strip(items[index] ?? element, item));
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
