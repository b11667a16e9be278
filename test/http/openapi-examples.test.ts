import { readFileSync, writeFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import { auth } from "../../src/contract/auth.ts";
import { pathFields } from "../../src/contract/field-spec.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { withoutSecrets } from "../../src/contract/secrets.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { hasBody } from "../../src/http/encode-request.ts";
import { actorNames, password } from "../support/actors.ts";
import { newEngine } from "../support/engine.ts";
import { sqliteHttp } from "../support/instance.ts";
import { permissionTable, type Scene, useScene } from "../support/permission-table.ts";
import { newReceiver } from "../support/receiver.ts";
import { totpCode } from "../support/second-factor.ts";
import { operations } from "./support.ts";

/** Requests that an actor may make, and the answers of a service. `WCS_RECORD_EXAMPLES=1` records them again. */
const file = new URL("../../src/http/openapi-examples.json", import.meta.url);
// All at one time, so that a recording differs from the one before only by what changed, and by random values.
if (process.env.WCS_RECORD_EXAMPLES) vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 11, 1, 9) });
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

/** Calls the operation, as a dry run unless told otherwise, as the first actor of the table who may call it. */
async function record(op: AnyOperation, scene: Scene, dryRun = op.method !== "GET"): Promise<Example> {
  for (const [, outcomes, inputOf] of permissionTable[op.name] ?? []) {
    const name = actorNames[outcomes.trim().split(/\s+/).indexOf("yes")];
    if (name === undefined || name === "attacker") continue;
    const input = inputOf(scene, scene.ids[name]) as Record<string, unknown>;
    const answer = await scene.actors[name].call(op, input, { dryRun });
    const inPath = new Set(pathFields(op).map((field) => field.name));
    const body = Object.fromEntries(Object.entries(input).filter(([field]) => !inPath.has(field)));
    const response = shorten(answer, withoutSecrets(op.output(), answer), scene.instance.url);
    return {
      ...(hasBody(op) && Object.keys(bodySchema(op).shape).length > 0 && { request: body }),
      ...(op.status !== 204 && !op.bytes && { response: op.output().safeParse(response).success ? response : answer }),
    };
  }
  return {};
}

/** Calls the operations that nobody of the table may call, because they need what others returned. */
async function recordFurther(scene: Scene): Promise<Record<string, Example>> {
  const { instance, ids } = scene;
  await instance.administrator.call(users.password, { id: ids.colleague, password });
  const colleague = await instance.as(ids.colleague);
  const { secret } = await colleague.call(auth.twoFactorBegin, { password });
  const code = () => totpCode(secret, instance.now());
  const first = { code: code() };
  const confirmed = await colleague.call(auth.twoFactorConfirm, first);
  const recovery_codes = confirmed.recovery_codes.map((_, at) => `abcde-fgh${at}k`);
  const receiver = await newReceiver();
  const { id } = (await instance.administrator.call(webhooks.create, { name: "Sync", uri: receiver.url })).data;
  await scene.addUser();
  await newEngine(instance).drain({ maxSeconds: 5 });
  await receiver.close();
  const logs = await instance.administrator.call(webhooks.logs, { id });
  const entry = await instance.administrator.call(webhooks.log, { id, log: logs.data[0]?.id ?? 0 });
  const response = shorten(entry, entry, receiver.url);
  const proof = { password, otp: first.code };
  const further: Record<string, Example> = {};
  // A dry run returns no secrets.
  for (const op of [tokens.create, webhooks.create, webhooks.rotateSecret])
    further[op.name] = await record(op, scene, false);
  const { token } = await instance.administrator.call(tokens.create, { name: "nightly", scopes: ["units.list"] });
  const current = await instance.withToken(token).call(tokens.current, {});
  return {
    ...further,
    "auth.twoFactorConfirm": { request: first, response: { recovery_codes } },
    "auth.twoFactorRecoveryCodes": { request: proof, response: { recovery_codes } },
    "auth.twoFactorDisable": { request: proof },
    "webhooks.log": { response },
    "tokens.current": { response: current },
  };
}

it.runIf(process.env.WCS_RECORD_EXAMPLES)("examples are recorded", async () => {
  const scene = await open();
  const examples: Record<string, Example> = {};
  for (const op of operations) {
    const example = await record(op, scene);
    if (Object.keys(example).length > 0) examples[op.name] = example;
  }
  Object.assign(examples, await recordFurther(scene));
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
