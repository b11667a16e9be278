import crypto, { argon2Sync } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { beforeEach, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import type { ServiceError } from "../../src/contract/errors.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { password, useWorld, type World } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { mailedToken } from "../support/password-mail.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

const signInAs = ({ stranger }: World, username: string, as: string) =>
  stranger.call(auth.authenticate, { username, password: as });

/** Calls `work` several times at once, and returns how many hashes ran at the same moment. */
async function maxHashesAtOnce(times: number, work: (at: number) => Promise<unknown>): Promise<number> {
  const { argon2 } = crypto;
  const running = { now: 0, max: 0 };
  crypto.argon2 = (algorithm, parameters, done) => {
    running.now += 1;
    running.max = Math.max(running.max, running.now);
    argon2(algorithm, parameters, (error, tag) => {
      running.now -= 1;
      done(error, tag);
    });
  };
  syncBuiltinESMExports();
  try {
    await Promise.allSettled(Array.from({ length: times }, (_, at) => work(at)));
  } finally {
    crypto.argon2 = argon2;
    syncBuiltinESMExports();
  }
  return running.max;
}

describeOnOneDatabase("passwords", (environment) => {
  useQuickPasswords();
  const world = useWorld(environment);
  const set = (id: number, to: string, current?: string) =>
    world().actors.administrator.call(users.password, { id, password: to, current });
  const signIn = (username: string, as: string) => signInAs(world(), username, as);

  beforeEach(() => world().instance.wait(901));

  it("users.password accepts 8 to 128 characters of any kind", async () => {
    const { id, email } = await world().addUser();
    expect(await wrongFields(set(id, "7 chars"))).toEqual(["password"]);
    expect((await refusal(set(id, ""))).fields).toEqual({ password: ["must have at least 8 characters"] });
    expect(await wrongFields(set(id, "é".repeat(129)))).toEqual(["password"]);
    for (const good of ["8 chars!", "        ", "æøå漢字🥪🥪🥪", "🥪".repeat(128), "a\0b\n\tc d e", "é".repeat(128)]) {
      expect(await set(id, good), good).toBeUndefined();
      expect(await codeOf(signIn(email!, good)), good).toBe("ok");
    }
  });

  it("users.create hashes the passwords of one actor one after the other, so that others do not wait for all", async () => {
    const { actors, units } = world();
    let number = 0;
    const create = (by: Caller) => {
      number += 1;
      const email = `hashed${number}@example.com`;
      const input = { first_name: "A", last_name: "B", email, unit: units.harbour, password };
      return by.call(users.create, input, { dryRun: true });
    };
    expect(await maxHashesAtOnce(5, () => create(actors.manager))).toBe(1);
    expect(await maxHashesAtOnce(6, (at) => create(at % 2 ? actors.manager : actors.administrator))).toBe(2);
  });

  it("users.create and users.password for others do not delay the own sign-in", async () => {
    const { actors, units, addUser } = world();
    const { id } = await addUser();
    const own = () => signIn("manager@example.com", password);
    const input = { first_name: "A", last_name: "B", email: "late@example.com", unit: units.harbour, password };
    const create = () => actors.manager.call(users.create, input, { dryRun: true });
    const change = () => actors.manager.call(users.password, { id, password }, { dryRun: true });
    for (const other of [create, change])
      expect(await maxHashesAtOnce(4, (at) => (at === 0 ? own() : other()))).toBe(2);
  });

  it.each<[string, (world: World, id: number, email: string) => Promise<(at: number) => Promise<unknown>>]>([
    ["auth.authenticate", async (world, _, email) => () => signInAs(world, email, password)],
    [
      "auth.authenticate with wrong passwords",
      async (world, _, email) => (at) => signInAs(world, email, `wrong ${at}`),
    ],
    ["auth.authenticate of nobody", async (world) => (at) => signInAs(world, "nobody@example.com", `wrong ${at}`)],
    [
      "users.password",
      async ({ instance }, id) => {
        const self = await instance.as(id);
        return (at) => self.call(users.password, { id, password: `new password ${at}`, current: password });
      },
    ],
    [
      "auth.twoFactorBegin",
      async ({ instance }, id) => {
        const self = await instance.as(id);
        return () => self.call(auth.twoFactorBegin, { password });
      },
    ],
    [
      "auth.passwordReset",
      async ({ instance, stranger }, _, email) => {
        await stranger.call(auth.passwordRequest, { email });
        const token = await mailedToken(instance, email);
        const input = (text: string) => ({ email, token, password: text, password_confirm: text });
        return (at) => stranger.call(auth.passwordReset, input(`new password ${at}`));
      },
    ],
  ])("%s has one hash of an account at a time, so that others do not wait for all", async (_, prepare) => {
    const { id, email } = await world().addUser({ password });
    const work = await prepare(world(), id, email!);
    expect(await maxHashesAtOnce(5, work)).toBe(1);
  });

  it("users.password counts a surrogate pair as one character", async () => {
    const { id } = await world().addUser();
    expect(await wrongFields(set(id, "🥪".repeat(7)))).toEqual(["password"]);
    expect(await wrongFields(set(id, "🥪".repeat(129)))).toEqual(["password"]);
  });

  it("users.password refuses common passwords in any case", async () => {
    const { id } = await world().addUser();
    for (const common of ["password", "PASSWORD", "12345678", "qwertyuiop", "iloveyou", "Football1"]) {
      expect(await wrongFields(set(id, common)), common).toEqual(["password"]);
    }
  });

  it("users.password refuses short patterns as common passwords", async () => {
    const { id } = await world().addUser();
    for (const pattern of ["00000000", "aaaaaaaaa", "12341234", "123123123123", "abcdEFGH", "0123456789", "87654321"]) {
      expect(await wrongFields(set(id, pattern)), pattern).toEqual(["password"]);
    }
    for (const other of ["x".repeat(128), "1231231231231", "abcdefgh!", "12345-12345", "abcabcabx"]) {
      expect(await codeOf(set(id, other)), other).toBe("ok");
    }
  });

  it("users.password refuses the user's address and names in any case", async () => {
    const { id, email } = await world().addUser({ first_name: "Søren-Åge", last_name: "Kierkegård" });
    for (const own of [email!, email!.toUpperCase(), "Kierkegård", "KIERKEGARD", "soren-age kierkegard"]) {
      expect(await wrongFields(set(id, own)), own).toEqual(["password"]);
    }
    expect(await codeOf(set(id, `${email} and more`))).toBe("ok");
  });

  it("users.create applies the same rules to passwords", async () => {
    const { addUser } = world();
    expect(await wrongFields(addUser({ password: "short" }))).toEqual(["password"]);
    expect(await wrongFields(addUser({ email: "long.name@example.com", password: "long.name@example.com" }))).toEqual([
      "password",
    ]);
  });

  it("users.create and users.password tell by codes what is wrong", async () => {
    const { id } = await world().addUser();
    const { call } = world().actors.administrator;
    const { units } = world();
    const issuesOf = (work: Promise<unknown>) => work.catch(({ issues }: ServiceError) => issues);
    const created = { first_name: "Ada", last_name: "Lovelace", email: "codes@example.com", unit: units.root };
    const common = { field: "password", code: "common_password" };
    expect(await issuesOf(set(id, "password123"))).toEqual([common]);
    expect(await issuesOf(call(users.create, { ...created, password: "password123" }))).toEqual([common]);
    expect(await issuesOf(call(users.create, { ...created, password: "password123", email: "x" }))).toEqual([
      { field: "email", code: "wrong_format", params: { format: "email" } },
      common,
    ]);
    expect(await issuesOf(call(users.create, { ...created, service: true, language: "xx" }))).toMatchObject([
      { field: "email", code: "service_account" },
      { field: "language", code: "language_not_offered" },
    ]);
  });

  it("users.password requires the current password for the actor's own", async () => {
    const { instance, addUser } = world();
    const { id, email } = await addUser({ password });
    const own = await instance.as(id);
    expect(await wrongFields(own.call(users.password, { id, password: "another password" }))).toEqual(["current"]);
    const wrong = { id, password: "another password", current: "wrong" };
    expect(await wrongFields(own.call(users.password, wrong))).toEqual(["current"]);
    expect(await own.call(users.password, { ...wrong, current: password })).toBeUndefined();
    expect(await codeOf(own.call(users.current, {}))).toBe("unauthenticated");
    expect(await codeOf(signIn(email!, password))).toBe("unauthenticated");
    expect(await codeOf(signIn(email!, "another password"))).toBe("ok");
  });

  it("users.password requires the current password of administrators, too", async () => {
    const { instance, addUser } = world();
    const { id } = await addUser({ password, admin: true });
    const own = await instance.as(id);
    expect(await wrongFields(own.call(users.password, { id, password: "another password" }))).toEqual(["current"]);
    await world().actors.administrator.call(users.update, { id, admin: false });
  });

  it("users.password: users without a password set their first one without a current one", async () => {
    const { instance, addUser } = world();
    const { id } = await addUser();
    expect(await codeOf((await instance.as(id)).call(users.password, { id, password }))).toBe("ok");
  });

  it("users.password limits guesses of the current password, also in dry runs, apart from sign-ins", async () => {
    const { instance, addUser } = world();
    const { id, email } = await addUser({ password });
    const own = await instance.as(id);
    const guess = (current: string, dryRun: boolean) =>
      own.call(users.password, { id, password: "another password", current }, { dryRun });
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await codeOf(guess(`guess ${attempt}`, attempt % 2 === 0))).toBe("validation_failed");
    }
    expect(await refusal(guess(password, false))).toMatchObject({
      code: "too_many_requests",
      retryAfter: expect.any(Number),
    });
    expect(await codeOf(signIn(email!, password))).toBe("ok");
    instance.wait(900);
    expect(await codeOf(guess(password, false))).toBe("ok");
  });

  it("users.password by an administrator clears wrong guesses", async () => {
    const { instance, addUser } = world();
    const { id } = await addUser({ password });
    const change = async (current: string) =>
      codeOf((await instance.as(id)).call(users.password, { id, password: "another password", current }));
    for (let attempt = 0; attempt < 10; attempt++) await change(`guess ${attempt}`);
    expect(await change(password)).toBe("too_many_requests");
    await set(id, "set by an administrator");
    expect(await change("set by an administrator")).toBe("ok");
  });

  it("users.password applies the setting passwords.min_length", async () => {
    const { instance, addUser, actors } = world();
    const { id } = await addUser();
    await actors.administrator.call(settings.set, { "passwords.min_length": 20 });
    instance.wait(1);
    expect((await refusal(set(id, "nineteen characters"))).fields).toEqual({
      password: ["must have at least 20 characters"],
    });
    expect(await codeOf(set(id, "twenty characters ok"))).toBe("ok");
    await actors.administrator.call(settings.set, { "passwords.min_length": null });
    instance.wait(1);
  });
});

describeOnOneDatabase("hashes of passwords", (environment) => {
  const world = useWorld(environment);

  it("users.password is stored as an argon2id hash only", async () => {
    const { instance, addUser } = world();
    const { id } = await addUser({ password: "find me in the file" });
    const row = await instance.database.reader
      .selectFrom("users")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(row.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(JSON.stringify(row)).not.toContain("find me");
  });

  const parameters = { memory: 19_456, passes: 2, parallelism: 1 };
  for (const old of [{ memory: 64 }, { passes: 1 }, { parallelism: 2 }]) {
    it(`auth.authenticate replaces a hash that was made with ${JSON.stringify(old)}`, async () => {
      const { instance, addUser } = world();
      const { id, email } = await addUser({ password });
      const { database } = instance;
      await database.write((tx) =>
        tx
          .updateTable("users")
          .set({ password_hash: hashWith({ ...parameters, ...old }) })
          .where("id", "=", id)
          .execute(),
      );
      const hash = async () =>
        (
          await database.reader
            .selectFrom("users")
            .select("password_hash")
            .where("id", "=", id)
            .executeTakeFirstOrThrow()
        ).password_hash;
      const token = await instance.tokenOf(id);
      expect(await codeOf(signInAs(world(), email!, "wrong password"))).toBe("unauthenticated");
      expect(await codeOf(signInAs(world(), email!, "old password"))).toBe("ok");
      const renewed = await hash();
      expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(renewed).toBe(hashWith(parameters, Buffer.from(renewed!.split("$")[4]!, "base64")));
      expect(await codeOf(signInAs(world(), email!, "old password"))).toBe("ok");
      expect(await hash(), "once").toBe(renewed);
      expect(await codeOf(instance.withToken(token).call(users.current, {})), "tokens stay").toBe("ok");
    });
  }
});

/** The hash of "old password", made without the code under test. */
function hashWith(
  parameters: { memory: number; passes: number; parallelism: number },
  nonce: Buffer = Buffer.alloc(16, 7),
): string {
  const tag = argon2Sync("argon2id", { message: "old password", nonce, tagLength: 32, ...parameters });
  const bare = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  const { memory, passes, parallelism } = parameters;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${bare(nonce)}$${bare(tag)}`;
}
