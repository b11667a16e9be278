import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { pathFields } from "../../src/contract/field-spec.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { withoutSecrets } from "../../src/contract/secrets.ts";
import { hasBody } from "../../src/http/encode-request.ts";
import { actorNames } from "../support/actors.ts";
import { sqliteHttp } from "../support/instance.ts";
import { permissionTable, type Scene, useScene } from "../support/permission-table.ts";
import { operations } from "./support.ts";

/** Requests that an actor may make, and the answers of a service. `WCS_RECORD_EXAMPLES=1` records them anew. */
const file = new URL("../../src/http/openapi-examples.json", import.meta.url);
const open = useScene(sqliteHttp);

interface Example {
  readonly request?: unknown;
  readonly response?: unknown;
}

/** The schema of a request body: the fields that are not in the path. */
function bodySchema(op: AnyOperation) {
  const inPath = new Set(pathFields(op).map(({ name }) => name));
  const shape: z.ZodRawShape = (op.input() as z.ZodObject).shape;
  return z.strictObject(Object.fromEntries(Object.entries(shape).filter(([name]) => !inPath.has(name))));
}

/** Returns the value without most items of its lists, and with a placeholder for each secret. */
function shorten(value: unknown, withoutSecret: unknown, base: string): unknown {
  if (value !== undefined && withoutSecret === undefined) return Array.isArray(value) ? value : "a secret";
  if (typeof value === "string") return value.replaceAll(base, "https://wcs.example.com");
  if (Array.isArray(value))
    return value.slice(0, 2).map((item, at) => shorten(item, (withoutSecret as unknown[])[at], base));
  if (typeof value !== "object" || value === null) return value;
  const kept = withoutSecret as Record<string, unknown>;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shorten(field, kept[name], base)]));
}

/** Makes a dry run of the operation as the first actor of the table who may call it. */
async function record(op: AnyOperation, scene: Scene): Promise<Example> {
  for (const [, outcomes, inputOf] of permissionTable[op.name] ?? []) {
    const name = actorNames[outcomes.trim().split(/\s+/).indexOf("yes")];
    if (name === undefined || name === "attacker") continue;
    const input = inputOf(scene, scene.ids[name]) as Record<string, unknown>;
    const answer = await scene.actors[name].call(op, input, { dryRun: op.method !== "GET" });
    const inPath = new Set(pathFields(op).map((field) => field.name));
    const body = Object.fromEntries(Object.entries(input).filter(([field]) => !inPath.has(field)));
    const response = shorten(answer, withoutSecrets(op.output(), answer), scene.instance.url);
    return {
      ...(hasBody(op) && Object.keys(bodySchema(op).shape).length > 0 && { request: body }),
      ...(op.status !== 204 && !op.bytes && { response: op.output().safeParse(response).success ? response : answer }),
    };
  }
  throw new Error(`${op.name}: nobody may call it`);
}

it.runIf(process.env.WCS_RECORD_EXAMPLES)("examples are recorded", async () => {
  const scene = await open();
  const examples: Record<string, Example> = {};
  for (const op of operations) {
    const example = await record(op, scene);
    if (Object.keys(example).length > 0) examples[op.name] = example;
  }
  writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`);
});

it("every operation with a body or an answer has an example, which its schemas accept", () => {
  const examples: Record<string, Example> = JSON.parse(readFileSync(file, "utf8"));
  const wrong: string[] = [];
  for (const op of operations) {
    const { request, response } = examples[op.name] ?? {};
    const body = bodySchema(op);
    const takesBody = hasBody(op) && Object.keys(body.shape).length > 0;
    if (takesBody && !body.safeParse(request).success) wrong.push(`${op.name}: request`);
    const answers = op.status !== 204 && !op.bytes;
    if (answers && !op.output().safeParse(response).success) wrong.push(`${op.name}: response`);
  }
  expect(wrong).toEqual([]);
  expect(Object.keys(examples).filter((name) => !operations.some((op) => op.name === name))).toEqual([]);
});
