import { beforeEach, describe, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import type { ArgumentsOf } from "../../src/contract/operation.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import { password, useWorld } from "../support/actors.ts";
import { counted } from "../support/counted.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { refusal } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

const attacker = "203.0.113.1";
const office = "198.51.100.7";

describeOnOneDatabase("attacks by password requests", (environment) => {
  const world = useWorld(environment);
  const request = (address: string, email: string) =>
    world().instance.from(address).call(auth.passwordRequest, { email });
  /** Mails to set a password, by user; those that wait are taken for sent. */
  const mailsSent = async () => {
    const { database } = world().instance;
    await database.write((tx) => tx.updateTable("mails").set({ state: "done" }).execute());
    const query = database.reader
      .selectFrom("mails")
      .select("user_id")
      .where("kind", "=", "password_reset")
      .orderBy("id");
    return (await query.execute()).map(({ user_id }) => user_id);
  };
  const tokenOf = (user: number) =>
    world().instance.database.reader.selectFrom("password_tokens").selectAll().where("user_id", "=", user).execute();

  beforeEach(() => world().instance.wait(3600));

  it("An attacker with many addresses has 5 mails an hour sent to a user, and is answered as before", async () => {
    const { instance, addUser } = world();
    const { id, email } = await addUser();
    const sent = async () => (await mailsSent()).filter((user) => user === id).length;
    let token = await tokenOf(id);
    for (let n = 1; n <= 8; n++) {
      expect(await request(`203.0.113.${n}`, n % 2 ? email! : email!.toUpperCase())).toBeUndefined();
      expect(await sent()).toBe(Math.min(n, 5));
      if (n > 5) expect(await tokenOf(id), "the link in the last mail stays good").toEqual(token);
      token = await tokenOf(id);
    }
    instance.wait(3600);
    await request(office, email!);
    expect(await sent()).toBe(6);
  });

  it("A manager who gives an address to one account after the other has 5 mails an hour sent to it", async () => {
    const { actors, addUser } = world();
    const people = [await addUser(), await addUser(), await addUser()];
    const before = (await mailsSent()).length;
    const victim = "victim@elsewhere.example";
    for (const [n, { id, email }] of people.entries()) {
      await actors.manager.call(users.update, { id, email: victim });
      for (const host of [1, 2, 3]) {
        await request(`203.0.${n}.${host}`, victim);
        await mailsSent();
      }
      await actors.manager.call(users.update, { id, email: email! });
    }
    expect((await mailsSent()).length - before).toBe(5);
    await request(office, people[2]!.email!);
    expect((await mailsSent()).at(-1)).toBe(people[2]!.id);
  });

  it("An attacker with one address has 30 mails an hour sent, and others are served", async () => {
    const { actors, addUser } = world();
    const { id, email } = await addUser();
    const emails = Array.from({ length: 33 }, (_, n) => `victim${n}@example.com`);
    const rows = emails.map((each) => ({ first_name: "Vic", last_name: "Tim", email: each, unit: "harbour" }));
    await actors.administrator.call(users.import, { rows });
    const before = (await mailsSent()).length;
    for (const each of emails) expect(await request(attacker, each)).toBeUndefined();
    await request(attacker, email!);
    expect((await mailsSent()).length - before).toBe(30);
    await request(office, email!);
    expect((await mailsSent()).at(-1)).toBe(id);
  });
});

describe.each(["sqlite", "postgres"] as const)("the work done (%s)", (database) => {
  const world = useWorld({ database, caller: "local" });
  /** Sends requests one after the other, each from another address, and counts the statements of each. */
  const statementsOf = async <O extends (typeof auth)[keyof typeof auth]>(op: O, inputs: readonly ArgumentsOf<O>[]) => {
    const { instance } = world();
    const counting = counted(instance.database);
    const service = createService({ database: counting.database, clock: () => instance.now() * 1000 });
    const counts: number[] = [];
    // The first request finds nothing in memory.
    for (const [n, input] of [inputs[0]!, ...inputs].entries()) {
      const before = counting.statements();
      const origin = { address: `192.0.2.${n}`, network: `192.0.2.${n}` };
      await service.invoke(op, input, origin).catch(() => {});
      counts.push(counting.statements() - before);
    }
    return counts.slice(1);
  };
  const known = () => ["member@example.com", "colleague@example.com"];
  const unknown = ["nobody@example.com", "deactivated@example.com"];
  const same = (counts: number[]) => {
    expect(counts[0]).toBeGreaterThan(0);
    expect(new Set(counts).size, counts.join()).toBe(1);
  };

  it("An attacker cannot tell from the work of a reset which addresses are known", async () => {
    const { instance } = world();
    await instance.from(office).call(auth.passwordRequest, { email: "member@example.com" });
    const reset = (email: string) => ({ email, token: "guess", password, password_confirm: password });
    same(await statementsOf(auth.passwordReset, [...known(), ...unknown].map(reset)));
    const refusals = await Promise.all(
      [...known(), ...unknown].map((email) => refusal(instance.from(office).call(auth.passwordReset, reset(email)))),
    );
    expect(refusals[0]?.code).toBe("validation_failed");
    for (const each of refusals) expect(each).toEqual(refusals[0]);
  });

  it("An attacker cannot tell from the work of a request which addresses are known, nor when no mail goes out", async () => {
    const emails = [...unknown, ...known(), ...Array<string>(7).fill("member@example.com")];
    same(
      await statementsOf(
        auth.passwordRequest,
        emails.map((email) => ({ email })),
      ),
    );
  });

  it("An attacker cannot tell from the work of a failed sign-in which addresses are known", async () => {
    const guess = (username: string) => ({ username, password: "guess" });
    same(await statementsOf(auth.authenticate, [...known(), ...unknown].map(guess)));
  });
});
