import { beforeEach, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import type { CallOptions } from "../../src/contract/operation.ts";
import { users } from "../../src/contract/users.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, tally } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

describeOnOneDatabase("auth", (environment) => {
  const world = useWorld(environment);
  const signIn = (username: string, as: string, options?: CallOptions) =>
    world().stranger.call(auth.authenticate, { username, password: as }, options);

  // All attempts come from one address, so those of one test would count in the next.
  beforeEach(() => world().instance.wait(901));

  it("auth.authenticate returns one valid token", async () => {
    const { instance, ids } = world();
    const answer = await signIn("member@example.com", password);
    expect(answer).toEqual([{ jwt: expect.any(String), expires: instance.now() + 86_400 }]);
    expect((await instance.withToken(answer[0].jwt).call(users.current, {})).id).toBe(ids.member);
  });

  it("auth.authenticate accepts the e-mail address in any case", async () => {
    expect(await codeOf(signIn("MEMBER@Example.COM", password))).toBe("ok");
  });

  it("auth.authenticate ignores an invalid token", async () => {
    const { instance } = world();
    const input = { username: "member@example.com", password };
    expect(await codeOf(instance.withToken("rubbish").call(auth.authenticate, input))).toBe("ok");
  });

  it("auth.authenticate refuses unknown users and wrong passwords with the same message", async () => {
    const { actors, addUser } = world();
    const deactivated = await addUser({ password });
    await actors.administrator.call(users.deactivate, { id: deactivated.id });
    const deleted = await addUser({ password });
    await actors.administrator.call(users.delete, { id: deleted.id });
    const wrong = await refusal(signIn("member@example.com", "wrong"));
    expect(wrong).toMatchObject({ code: "unauthenticated", fields: undefined, retryAfter: undefined });
    expect(await refusal(signIn("nobody@example.com", password))).toEqual(wrong);
    expect(await refusal(signIn("manager@example.com", password)), "without a password").toEqual(wrong);
    expect(await refusal(signIn(deactivated.email!, password))).toEqual(wrong);
    expect(await refusal(signIn(deleted.email!, password))).toEqual(wrong);
    expect(await refusal(signIn("Deleted user", password))).toEqual(wrong);
  });

  it("auth.authenticate compares passwords exactly, except for the form of Unicode", async () => {
    const { addUser } = world();
    const { email } = await addUser({ password: "Smørrebrød på ø\u0301 🥪" });
    expect(await codeOf(signIn(email!, "Smørrebrød på ǿ 🥪"))).toBe("ok");
    expect(await codeOf(signIn(email!, "smørrebrød på ǿ 🥪"))).toBe("unauthenticated");
    expect(await codeOf(signIn(email!, "Smørrebrød på ǿ 🥪 "))).toBe("unauthenticated");
  });

  it("auth.authenticate: after 10 failures from an address an account has to wait there, whatever the case of its name", async () => {
    const { instance, ids } = world();
    for (let attempt = 0; attempt < 10; attempt++) {
      const name = attempt % 2 === 0 ? "member@example.com" : "Member@Example.com";
      expect(await codeOf(signIn(name, `guess ${attempt}`))).toBe("unauthenticated");
      instance.wait(10);
    }
    const { code, retryAfter } = await refusal(signIn("member@example.com", password));
    expect(code).toBe("too_many_requests");
    expect(retryAfter).toBeGreaterThan(900 - 100 - 5);
    expect(retryAfter).toBeLessThanOrEqual(900 - 100);
    expect(await codeOf(world().actors.member.call(users.current, {})), "is signed in still").toBe("ok");
    instance.wait(retryAfter!);
    const [token] = await signIn("member@example.com", password);
    expect((await instance.withToken(token.jwt).call(users.current, {})).id).toBe(ids.member);
  });

  it("auth.authenticate: failures from before the clock was set back do not count", async () => {
    const { instance } = world();
    for (let attempt = 0; attempt < 10; attempt++) await codeOf(signIn("member@example.com", "guess"));
    expect(await codeOf(signIn("member@example.com", password))).toBe("too_many_requests");
    instance.wait(-7200);
    expect(await codeOf(signIn("member@example.com", password))).toBe("ok");
    instance.wait(7200);
  });

  it("auth.authenticate: failures on a server whose clock is up to a minute ahead count", async () => {
    const { instance } = world();
    for (let attempt = 0; attempt < 10; attempt++) await codeOf(signIn("member@example.com", "guess"));
    instance.wait(-60);
    expect(await codeOf(signIn("member@example.com", password))).toBe("too_many_requests");
    instance.wait(-1);
    expect(await codeOf(signIn("member@example.com", password))).toBe("ok");
    instance.wait(61);
  });

  it("auth.authenticate: a success clears the failures before it", async () => {
    for (let round = 0; round < 2; round++) {
      for (let attempt = 0; attempt < 9; attempt++) await codeOf(signIn("member@example.com", "guess"));
      expect(await codeOf(signIn("member@example.com", password))).toBe("ok");
    }
  });

  it("auth.authenticate: after 30 failures a network address has to wait", async () => {
    const guesses = Array.from({ length: 30 }, (_, n) => signIn(`guess${n}@example.com`, "guess"));
    expect(await tally(guesses)).toEqual({ unauthenticated: 30 });
    expect(await refusal(signIn("member@example.com", password))).toMatchObject({
      code: "too_many_requests",
      retryAfter: expect.any(Number),
    });
    world().instance.wait(900);
    expect(await codeOf(signIn("member@example.com", password))).toBe("ok");
  });

  it("auth.authenticate counts failures of dry runs, too", async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await codeOf(signIn("member@example.com", "guess", { dryRun: true }))).toBe("unauthenticated");
    }
    expect(await codeOf(signIn("member@example.com", password, { dryRun: true }))).toBe("too_many_requests");
    expect(await codeOf(signIn("member@example.com", password))).toBe("too_many_requests");
  });

  it("auth.authenticate: a success in a dry run is no failure", async () => {
    for (let attempt = 0; attempt < 12; attempt++) {
      expect(await codeOf(signIn("member@example.com", password, { dryRun: true }))).toBe("ok");
    }
  });
});
