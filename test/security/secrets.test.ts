import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { auth } from "../../src/contract/auth.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { holdsSecret } from "../../src/contract/secrets.ts";
import { settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { encode } from "../../src/http/codec.ts";
import { isFull } from "../support/effort.ts";
import { type Instance, newInstance } from "../support/instance.ts";
import { makeUsers, newWebhook } from "../support/outbox.ts";
import { mailedToken } from "../support/password-mail.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { enrol, totpCode } from "../support/second-factor.ts";
import { allRows } from "../support/tables.ts";

useQuickPasswords();

const operations = await allOperations();
/** Operations that only read store nothing. */
const isSecretive = (op: AnyOperation) => op.method !== "GET" && (holdsSecret(op.input()) || holdsSecret(op.output()));
const secretive = operations.filter(isSecretive);

/** A call of an operation: its input, and the secrets in that and in the answer. */
interface Call {
  readonly input: object;
  readonly given?: readonly string[];
  readonly got?: (answer: never) => readonly string[];
}

const jwt = ([{ jwt }]: [{ jwt: string }]) => [jwt, jwt.split(".")[2]!];
const webhookSecret = ({ data }: { data: { secret: string } }) => [data.secret, data.secret.slice(6)];
const password = "a very secret horse";

const recoveryCodes = ({ recovery_codes }: { recovery_codes: string[] }) =>
  recovery_codes.flatMap((code) => [code, code.replaceAll("-", "")]);

/** Gives the administrator a password and no second factor. */
async function giveOwnPassword({ administrator }: Instance): Promise<void> {
  await administrator.call(users.twoFactorReset, { id: 1 });
  await administrator.call(users.password, { id: 1, password, current: password });
}

/** A call of every operation that changes something, with a secret in its input or output. */
const calls: Record<string, (instance: Instance, user: { id: number; email: string }) => Promise<Call>> = {
  "auth.authenticate": async (instance, { id, email }) => {
    await instance.administrator.call(users.password, { id, password });
    return { input: { username: email, password }, given: [password], got: jwt };
  },
  "auth.renew": async () => ({ input: {}, got: jwt }),
  "auth.twoFactorBegin": async (instance) => {
    await giveOwnPassword(instance);
    const got = ({ secret, uri }: { secret: string; uri: string }) => [secret, uri];
    return { input: { password }, given: [password], got };
  },
  "auth.twoFactorConfirm": async (instance) => {
    await giveOwnPassword(instance);
    const { secret } = await instance.administrator.call(auth.twoFactorBegin, { password });
    return { input: { code: totpCode(secret, instance.now()) }, given: [secret], got: recoveryCodes };
  },
  "auth.twoFactorRecoveryCodes": async (instance) => {
    await giveOwnPassword(instance);
    const { codes } = await enrol(instance.administrator, instance, password);
    return { input: { password }, given: [password, ...codes], got: recoveryCodes };
  },
  "auth.twoFactorDisable": async (instance) => {
    await giveOwnPassword(instance);
    await enrol(instance.administrator, instance, password);
    return { input: { password }, given: [password] };
  },
  "auth.passwordReset": async (instance, { email }) => {
    await instance.withToken(undefined).call(auth.passwordRequest, { email });
    const token = await mailedToken(instance, email);
    return { input: { token, email, password, password_confirm: password }, given: [token, password] };
  },
  "users.create": async () => ({
    input: { first_name: "Cy", last_name: "New", email: "cy@example.com", unit: 1, password },
    given: [password],
  }),
  "users.password": async (_, { id }) => ({ input: { id, password }, given: [password] }),
  "tokens.create": async () => ({
    input: { name: "nightly", scopes: ["read"] },
    got: ({ token }: { token: string }) => [token, token.slice(4)],
  }),
  "webhooks.create": async () => ({ input: { name: "ci", uri: "https://ci.example.com/" }, got: webhookSecret }),
  "webhooks.rotateSecret": async (instance) => ({
    input: { id: (await newWebhook(instance, "https://ci.example.com/")).id },
    got: webhookSecret,
  }),
  "settings.set": async () => ({
    input: { "mail.smtp_url": "smtp://ann:hunter2222@mail.example.com:587" },
    given: ["hunter2222", "smtp://ann:hunter2222@mail.example.com:587"],
  }),
};

/** Calls over HTTP, with the header whatever the operation; a public one without a token. */
async function send(instance: Instance, op: AnyOperation, input: object, key: string): Promise<[number, unknown]> {
  const { path, body } = encode(op, input as Record<string, unknown>);
  const response = await fetch(`${instance.url}/api${path}`, {
    method: op.method,
    headers: {
      "content-type": "application/json",
      "idempotency-key": key,
      ...(op.access !== "public" && { authorization: `Bearer ${await instance.tokenOf(1)}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return [response.status, text === "" ? undefined : JSON.parse(text)];
}

/** Returns the hashes that anybody would guess an input is kept as: SHA-256 without a key. */
function plainHashes(op: AnyOperation, input: object): string[] {
  const forms = [input, op.input().parse(input)].map((form) => JSON.stringify(form));
  return forms
    .flatMap((form) => [form, `${op.name} ${form}`, `${op.name}${form}`])
    .flatMap((text) =>
      (["hex", "base64", "base64url"] as const).map((as) => createHash("sha256").update(text).digest(as)),
    );
}

it("Every operation with a secret is called here", () => {
  expect(secretive.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort());
});

// The longer form has the other database.
for (const database of isFull ? (["postgres"] as const) : (["sqlite"] as const)) {
  describe(`secrets of operations (${database})`, () => {
    const kinds = { encrypted: { secretKey: randomBytes(32) }, plain: {} };
    for (const [kind, options] of Object.entries(kinds)) {
      describe(kind, () => {
        let instance: Instance;
        beforeAll(async () => {
          const made = await newInstance({ database, caller: "http" }, options);
          instance = { ...made, administrator: made.service.caller({ userId: 1 }) };
        });
        afterAll(() => instance.close());

        for (const op of secretive) {
          const where = kind === "plain" ? "what is stored for repeats" : "the database";
          it(`A copy of ${where} does not give away the secrets of ${op.name}, nor a hash to guess them by`, async () => {
            const [id = 0] = await makeUsers(instance);
            const { email } = await instance.administrator.call(users.get, { id });
            const { input, given = [], got } = await calls[op.name]!(instance, { id, email: email! });
            const [status, answer] = await send(instance, op, input, `key-of-${op.name}`);
            expect([status, answer]).toEqual([op.status, answer]);
            const secrets = [...given, ...(got?.(answer as never) ?? [])];
            expect(secrets.every((secret) => secret.length > 8)).toBe(true);
            const rows = await allRows(instance.database);
            const kept = JSON.stringify(kind === "plain" ? rows.idempotency_keys : rows);
            expect([...secrets, ...plainHashes(op, input)].filter((text) => kept.includes(text))).toEqual([]);
          });
        }

        it("A repeat of users.create gets the first answer even with another password, since no hash holds that", async () => {
          const { input } = await calls["users.create"]!(instance, { id: 0, email: "" });
          const person = { ...input, email: "twice@example.com" };
          const first = await send(instance, users.create, person, "twice");
          expect(first[0]).toBe(201);
          const second = await send(instance, users.create, { ...person, password: "another secret horse" }, "twice");
          expect(second).toEqual(first);
          expect((await send(instance, users.create, { ...person, first_name: "Di" }, "twice"))[0]).toBe(422);
        });

        it("A repeat of webhooks.create and rotateSecret gets the webhook, and no secret, also when it was deleted", async () => {
          const input = { name: "once", uri: "https://once.example.com/" };
          const [, first] = await send(instance, webhooks.create, input, "create");
          const { secret, ...rest } = (first as { data: { id: number; secret: string } }).data;
          expect(secret).toMatch(/^whsec_/);
          expect(await send(instance, webhooks.create, input, "create")).toEqual([201, { data: rest }]);
          const { data } = await instance.administrator.call(webhooks.list, {});
          expect(data.filter(({ name }) => name === "once")).toHaveLength(1);
          const [, rotated] = await send(instance, webhooks.rotateSecret, { id: rest.id }, "rotate");
          const { secret: next, ...same } = (rotated as { data: { id: number; secret: string } }).data;
          expect(next).not.toBe(secret);
          await instance.administrator.call(webhooks.delete, { id: rest.id });
          const left = JSON.stringify((await allRows(instance.database)).webhooks);
          expect([secret, next].filter((text) => left.includes(text))).toEqual([]);
          expect(await send(instance, webhooks.rotateSecret, { id: rest.id }, "rotate")).toEqual([200, { data: same }]);
          expect(await send(instance, webhooks.create, input, "create")).toEqual([201, { data: rest }]);
        });
      });
    }
  });
}

it("A setting that the contract marks as secret is shown by no operation", async () => {
  const shown = operations.filter(({ name }) => name.startsWith("settings.")).filter((op) => holdsSecret(op.output()));
  expect(shown).toEqual([]);
  expect(holdsSecret(settings.set.input())).toBe(true);
});
