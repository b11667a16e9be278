import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { holdsSecret } from "../../src/contract/secrets.ts";
import { settings, settingsSchema } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { createService } from "../../src/core/service.ts";
import type { Database } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { countSecrets, rotateSecretKey, secretSettings } from "../../src/store/rotate-secret-key.ts";
import { createSecretCipher } from "../../src/store/secret-cipher.ts";
import { isFull } from "../support/effort.ts";
import { newEngine } from "../support/engine.ts";
import { type Instance, newDatabase, newInstance } from "../support/instance.ts";
import { openNewInstance } from "../support/new-instance.ts";
import { makeUsers, newWebhook } from "../support/outbox.ts";
import { codeOf, refusal } from "../support/outcome.ts";
import { receiverOfTest, verify } from "../support/receiver.ts";
import { allRows } from "../support/tables.ts";

const smtpUrl = "smtp://ann:hunter2222@mail.example.com:587";

it("The settings that are encrypted are those that the contract marks as secret", () => {
  const marked = Object.entries(settingsSchema().shape).filter(([, schema]) => holdsSecret(schema));
  expect(marked.map(([key]) => key)).toEqual(secretSettings);
});

// The longer form has the other database.
for (const kind of isFull ? (["postgres"] as const) : (["sqlite"] as const)) {
  describe(`encrypted secrets (${kind})`, () => {
    let instance: Instance;
    let opened: Database[];
    const secretKey = randomBytes(32);
    beforeEach(async () => {
      opened = [];
      const made = await newInstance({ database: kind, caller: "local" }, { secretKey });
      instance = { ...made, administrator: made.service.caller({ userId: 1 }) };
    });
    afterEach(async () => {
      await Promise.all(opened.map((database) => database.close()));
      await instance.close();
    });

    const open = async (key?: Uint8Array) => {
      const database = await openDatabase(instance.target, { secretKey: key });
      opened.push(database);
      return database;
    };
    const keyOf = async (database: Database) =>
      (await database.reader.selectFrom("instance").select("token_key").executeTakeFirstOrThrow()).token_key;
    const smtpUrlOf = async (database: Database) => (await createService({ database }).settings())["mail.smtp_url"];

    it("A new instance with a key encrypts its token key from the first", async () => {
      const { target, remove } = await newDatabase(kind);
      const database = await openNewInstance(target, 1, { secretKey });
      opened.push(database);
      onTestFinished(remove);
      expect(await countSecrets(database)).toMatchObject({ encrypted: 1, plain: 0 });
    });

    it("Callbacks are signed with the secrets that were shown, two while one is being replaced", async () => {
      const receiver = await receiverOfTest();
      const { id, secret } = await newWebhook(instance, receiver.url);
      await makeUsers(instance);
      await newEngine(instance).drain({ maxSeconds: 60 });
      const next = (await instance.administrator.call(webhooks.rotateSecret, { id })).data.secret!;
      await makeUsers(instance);
      await newEngine(instance).drain({ maxSeconds: 60 });
      const [first, second] = receiver.received;
      expect(verify(secret, first!).type).toBe("user.create");
      for (const each of [secret, next]) expect(verify(each, second!).type).toBe("user.create");
      expect(JSON.stringify(await allRows(instance.database))).not.toMatch(/whsec_/);
    });

    it("Without the key, or with another one, the database is not opened", async () => {
      const missing = await refusal(open());
      expect(missing).toMatchObject({ code: "unavailable", message: expect.stringContaining("no key is set") });
      const wrong = await refusal(open(randomBytes(32)));
      expect(wrong).toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("encrypted with another key"),
      });
      expect(await codeOf(open(secretKey).then(() => {}))).toBe("ok");
    });

    it("A new key opens all that the old one did; tokens and webhooks go on", async () => {
      const token = await instance.tokenOf(1);
      const receiver = await receiverOfTest();
      const { id, secret } = await newWebhook(instance, receiver.url);
      const next = (await instance.administrator.call(webhooks.rotateSecret, { id })).data.secret!;
      await instance.administrator.call(settings.set, { "mail.smtp_url": smtpUrl });
      const newKey = randomBytes(32);
      const before = await allRows(instance.database);
      expect(await rotateSecretKey(instance.database, createSecretCipher(newKey), { dryRun: true })).toBe(4);
      expect(await allRows(instance.database)).toEqual(before);
      expect(await rotateSecretKey(instance.database, createSecretCipher(newKey))).toBe(4);
      const database = await open(newKey);
      expect(await countSecrets(database)).toMatchObject({ encrypted: 4, plain: 0, keyId: database.secrets.keyId });
      expect(await smtpUrlOf(database)).toBe(smtpUrl);
      const service = createService({ database, clock: () => instance.now() * 1000 });
      expect(await codeOf(service.caller({ token }).call(users.current, {}))).toBe("ok");
      await service.caller({ userId: 1 }).call(users.update, { id: 1, title: "Told" });
      await newEngine({ ...instance, database }).drain({ maxSeconds: 60 });
      for (const each of [secret, next]) expect(verify(each, receiver.received[0]!).type).toBe("user.update");
    });

    it("A server that goes on with the old key writes no secret that nobody could read", async () => {
      await rotateSecretKey(await open(secretKey), createSecretCipher(randomBytes(32)));
      const before = await allRows(instance.database);
      const creating = instance.administrator.call(webhooks.create, { name: "ci", uri: "https://ci.example.com/" });
      expect(await refusal(creating)).toMatchObject({ code: "unavailable" });
      const setting = instance.administrator.call(settings.set, { "mail.smtp_url": smtpUrl });
      expect(await refusal(setting)).toMatchObject({ code: "unavailable" });
      expect(await allRows(instance.database)).toEqual(before);
    });

    it("A ciphertext that is copied to another place does not open there", async () => {
      const [one, other] = [
        await newWebhook(instance, "https://a.example/"),
        await newWebhook(instance, "https://b.example/"),
      ];
      await instance.database.write(async (tx) => {
        const { secret } = await tx
          .selectFrom("webhooks")
          .select("secret")
          .where("id", "=", one.id)
          .executeTakeFirstOrThrow();
        await tx.updateTable("webhooks").set({ secret }).where("id", "=", other.id).execute();
      });
      const rotating = instance.administrator.call(webhooks.rotateSecret, { id: other.id });
      expect(await refusal(rotating)).toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("copied from another place"),
      });
      expect(await codeOf(rotateSecretKey(instance.database, createSecretCipher(undefined)))).toBe("unavailable");
      expect(await codeOf(instance.administrator.call(webhooks.rotateSecret, { id: one.id }))).toBe("ok");
    });

    it("Each secret has a nonce of its own, and changing any part of it is noticed", async () => {
      const kept = await keyOf(instance.database);
      await rotateSecretKey(instance.database, instance.database.secrets);
      expect(await keyOf(instance.database)).not.toBe(kept);
      const { secrets } = instance.database;
      expect(secrets.open("instance.token_key", kept)).toMatch(/^[\w-]{43}$/);
      const [version, id, nonce, sealed = ""] = kept.split(".");
      const other = sealed.startsWith("A") ? "B" : "A";
      for (const changed of [`${other}${sealed.slice(1)}`, sealed.slice(0, 8), sealed.slice(0, -4), ""]) {
        const text = [version, id, nonce, changed].join(".");
        expect(() => secrets.open("instance.token_key", text), text).toThrow("damaged");
      }
    });

    it("Secrets are decrypted again, and then need no key", async () => {
      await instance.administrator.call(settings.set, { "mail.smtp_url": smtpUrl });
      expect(await rotateSecretKey(instance.database, createSecretCipher(undefined))).toBe(2);
      const database = await open();
      expect(await countSecrets(database)).toEqual({ encrypted: 0, plain: 2, keyId: null });
      expect(await smtpUrlOf(database)).toBe(smtpUrl);
      // One that has the key encrypts what is new, and from then on there is no way without it.
      await createService({ database: await open(secretKey) })
        .caller({ userId: 1 })
        .call(webhooks.create, { name: "ci", uri: "https://ci.example.com/" });
      expect(await countSecrets(database)).toMatchObject({ encrypted: 1, plain: 2 });
      expect(await codeOf(open())).toBe("unavailable");
      const writing = createService({ database }).caller({ userId: 1 });
      expect(await codeOf(writing.call(webhooks.create, { name: "x", uri: "https://x.example.com/" }))).toBe(
        "unavailable",
      );
    });
  });
}
