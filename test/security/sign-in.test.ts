import { createHash } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import type { CallOptions } from "../../src/contract/operation.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import type { Database } from "../../src/store/database.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, refusal, tally } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { allRows } from "../support/tables.ts";

const attacker = "203.0.113.1";
const office = "198.51.100.7";

useQuickPasswords();

describeEverywhere("attacks on signing in", (environment) => {
  const world = useWorld(environment);
  const signIn = (address: string, username: string, as: string, options?: CallOptions) =>
    world().instance.from(address).call(auth.authenticate, { username, password: as }, options);
  const guess = (address: string, username: string, count: number, options?: CallOptions) =>
    tally(Array.from({ length: count }, (_, n) => signIn(address, username, `guess ${n}`, options)));
  /** Adds users with the same password, without the work of hashing it for each. */
  const addUsers = async (count: number) => {
    const { actors, addUser, instance } = world();
    const first = await addUser({ password });
    const names = Array.from({ length: count - 1 }, (_, n) => `more${n}.${first.id}@example.com`);
    const rows = names.map((email) => ({ first_name: "More", last_name: "Users", email, unit: "harbour" }));
    if (count > 1) await actors.administrator.call(users.import, { rows });
    await instance.database.write((tx) =>
      tx
        .updateTable("users")
        .set((eb) => ({
          password_hash: eb.selectFrom("users as first").select("password_hash").where("id", "=", first.id),
        }))
        .where("id", ">", first.id)
        .execute(),
    );
    return [first.email!, ...names];
  };
  const addUser = async () => {
    const { id, email } = await world().addUser({ password });
    return { id, email: email! };
  };
  const events = () => world().instance.database.reader.selectFrom("rate_limit_events").selectAll().execute();
  /** Counts further failures of the same account as if they had been seen from elsewhere. */
  const addFailures = async (like: { account: string }, networks: readonly string[]) => {
    const row = {
      kind: "sign_in",
      account: like.account,
      pending: 0,
      expires_at: world().instance.now() + 900,
    } as const;
    const rows = networks.map((network) => ({ ...row, network }));
    await world().instance.database.write((tx) => tx.insertInto("rate_limit_events").values(rows).execute());
  };

  beforeEach(() => world().instance.wait(3601));

  it("An attacker who guesses ten wrong passwords does not lock the account for its owner", async () => {
    const { email } = await addUser();
    expect(await guess(attacker, email, 1)).toEqual({ unauthenticated: 1 });
    world().instance.wait(100);
    expect(await guess(attacker, email, 9)).toEqual({ unauthenticated: 9 });
    expect(await refusal(signIn(attacker, email, password))).toMatchObject({
      code: "too_many_requests",
      retryAfter: 800,
    });
    expect(await codeOf(signIn(office, email, password))).toBe("ok");
    expect(await codeOf(signIn(attacker, email, password)), "the owner's success is not the attacker's").toBe(
      "too_many_requests",
    );
    world().instance.wait(800);
    expect(await codeOf(signIn(attacker, email, password))).toBe("ok");
  });

  it("An attacker with many addresses gets no more than 100 guesses at one account", async () => {
    const { email } = await addUser();
    await guess(attacker, email, 1);
    const [event] = await events();
    const networks = Array.from({ length: 98 }, (_, n) => `192.0.2.${n}`);
    await addFailures(event!, networks);
    expect(await guess("192.0.2.200", email, 1)).toEqual({ unauthenticated: 1 });
    expect(await guess("192.0.2.201", email, 3)).toEqual({ too_many_requests: 3 });
    expect(await refusal(signIn(office, email, password))).toMatchObject({ retryAfter: 900 });
  });

  it("An attacker with a whole IPv6 network gets no more guesses than one with a single address", async () => {
    const { email } = await addUser();
    const one = (n: number) => `2001:db8:1:2:${n}::${n}`;
    const first = Array.from({ length: 10 }, (_, n) => signIn(one(n), email, "guess"));
    expect(await tally(first)).toEqual({ unauthenticated: 10 });
    expect(await codeOf(signIn(one(99), email, password))).toBe("too_many_requests");
    expect(await codeOf(signIn("2001:db8:1:3::1", email, password)), "the neighbour").toBe("ok");
    const more = Array.from({ length: 20 }, (_, n) => signIn(one(n), `nobody${n}@example.com`, "guess"));
    expect(await tally(more)).toEqual({ unauthenticated: 20 });
    expect(await codeOf(signIn(one(100), "nobody20@example.com", "guess"))).toBe("too_many_requests");
  });

  it("An attacker who sends 50 guesses at the same time, also in a dry run, gets 10 checked", async () => {
    const [one, other] = [await addUser(), await addUser()];
    const found = { unauthenticated: 10, too_many_requests: 40 };
    expect(await guess(attacker, one.email, 50)).toEqual(found);
    expect(await guess(office, other.email, 50, { dryRun: true })).toEqual(found);
    expect(await guess(attacker, "nobody@example.com", 50)).toEqual(found);
    expect((await events()).filter(({ pending }) => pending === 1)).toEqual([]);
  });

  it("An attacker who divides 50 guesses among two services on one database gets 10 checked at one account, 30 at many", async () => {
    const { database, now } = world().instance;
    const services = [1, 2].map(() => createService({ database, clock: () => now() * 1000 }));
    const { email } = await addUser();
    const guesses = Array.from({ length: 50 }, (_, n) =>
      services[n % 2]!.invoke(
        auth.authenticate,
        { username: email, password: `guess ${n}` },
        { address: attacker, network: attacker },
      ),
    );
    expect(await tally(guesses)).toEqual({ unauthenticated: 10, too_many_requests: 40 });
    const accounts = Array.from({ length: 50 }, (_, n) =>
      services[n % 2]!.invoke(
        auth.authenticate,
        { username: `nobody${n}@example.com`, password: "guess" },
        { address: office, network: office },
      ),
    );
    expect(await tally(accounts), "accounts").toEqual({ unauthenticated: 30, too_many_requests: 20 });
  });

  it("An attacker who tries 50 accounts at the same time gets 30 checked", async () => {
    const guesses = Array.from({ length: 50 }, (_, n) => signIn(attacker, `nobody${n}@example.com`, "guess"));
    expect(await tally(guesses)).toEqual({ unauthenticated: 30, too_many_requests: 20 });
  });

  it("Embedded callers, who come from no network, are limited by account only", async () => {
    const { service } = world().instance;
    const guesses = Array.from({ length: 32 }, (_, n) =>
      service.invoke(auth.authenticate, { username: `nobody${n}@example.com`, password: "guess" }, {}),
    );
    expect(await tally(guesses)).toEqual({ unauthenticated: 32 });
  });

  it("45 users of one address who sign in at the same time all succeed", async () => {
    const made = await addUsers(45);
    expect(await tally(made.map((email) => signIn(office, email, password)))).toEqual({ ok: 45 });
    expect(await events()).toEqual([]);
  });

  it("Attempts of a process that was killed lock nobody out: others wait for them, and they expire", async () => {
    const { email } = await addUser();
    const { database, now, wait } = world().instance;
    const pending = async () =>
      (await events()).filter((event) => event.pending === 1 && event.expires_at > now()).length;
    /** Signs in ten times in processes that end before they write the result. */
    const leave = async () => {
      for (let left = 1; left <= 10; left++) {
        let writes = 0;
        const writeLocking: Database["writeLocking"] = (work) =>
          ++writes === 1 ? database.writeLocking(work) : new Promise(() => {});
        const killed = createService({ database: { ...database, writeLocking }, clock: () => now() * 1000 });
        void killed.invoke(
          auth.authenticate,
          { username: email, password: "guess" },
          { address: office, network: office },
        );
        await expect.poll(pending).toBe(left);
      }
    };
    await leave();
    const waiting = codeOf(signIn(office, email, password));
    expect(await codeOf(signIn(attacker, email, password)), "elsewhere").toBe("ok");
    await database.write((tx) => tx.deleteFrom("rate_limit_events").where("pending", "=", 1).execute());
    expect(await waiting).toBe("ok");
    await leave();
    wait(30);
    expect(await codeOf(signIn(office, email, password))).toBe("ok");
  });

  it("An attacker's failures do not outlive a new password, whoever sets it", async () => {
    const { instance, actors } = world();
    const { id, email } = await addUser();
    const set = (to: string) => ({ id, password: to });
    const token = "the token of the mail";
    const mailed = async (to: string) => {
      const token_hash = createHash("sha256").update(token).digest("base64url");
      const row = { user_id: id, kind: "password_reset" as const, token_hash, expires_at: instance.now() + 60 };
      await instance.database.write((tx) => tx.insertInto("password_tokens").values(row).execute());
      const input = { token, email, password: to, password_confirm: to };
      await instance.from(office).call(auth.passwordReset, input);
    };
    const ways: [string, (to: string) => Promise<unknown>][] = [
      ["an administrator", (to) => actors.administrator.call(users.password, set(to))],
      ["a manager", (to) => actors.manager.call(users.password, set(to))],
      ["a mail", mailed],
    ];
    for (const [who, change] of ways) {
      await guess(office, email, 10);
      const fresh = `new password by ${who}`;
      expect(await codeOf(signIn(office, email, fresh)), who).toBe("too_many_requests");
      await change(fresh);
      expect(await codeOf(signIn(office, email, fresh)), who).toBe("ok");
    }
  });

  it("An attacker with a stolen token gets ten guesses at the password, and cannot lock signing in by them", async () => {
    const { instance } = world();
    const { id, email } = await addUser();
    const own = await instance.as(id);
    const change = (current: string) => own.call(users.password, { id, password: "another password", current });
    const guesses = Array.from({ length: 25 }, (_, n) => change(`guess ${n}`));
    expect(await tally(guesses)).toEqual({ validation_failed: 10, too_many_requests: 15 });
    expect(await refusal(change(password))).toMatchObject({ code: "too_many_requests", retryAfter: 900 });
    expect(await codeOf(signIn("127.0.0.1", email, password))).toBe("ok");
    instance.wait(900);
    const everywhere = Array.from({ length: 100 }, (_, n) => `10.9.0.${n}`);
    await addFailures({ account: `user:${id}` }, everywhere);
    expect(await codeOf(signIn("127.0.0.1", email, password))).toBe("too_many_requests");
    expect(await codeOf(change(password)), "failed sign-ins do not lock the change").toBe("ok");
  });

  it("A password typed into the field for the user name is stored nowhere", async () => {
    const typed = "correct horse battery staple";
    expect(await codeOf(signIn(office, typed, "x"))).toBe("unauthenticated");
    expect(
      await codeOf(world().instance.from(office).call(auth.passwordRequest, { email: "horse@battery.example" })),
    ).toBe("ok");
    const rows = JSON.stringify(await allRows(world().instance.database));
    for (const text of [typed, "horse@battery.example"]) {
      expect(rows).not.toContain(text);
      expect(rows).not.toContain(createHash("sha256").update(text).digest("base64url"));
    }
  });

  it("What no longer counts is removed by what comes later", async () => {
    await guess(attacker, "nobody@example.com", 5);
    world().instance.wait(900);
    await guess(office, "somebody@example.com", 1);
    expect(await events()).toHaveLength(1);
  });
});
