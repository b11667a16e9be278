import { expect, it } from "vitest";
import { audit } from "../../src/contract/audit.ts";
import { auth } from "../../src/contract/auth.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { sessions } from "../../src/contract/sessions.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { createClient } from "../../src/http/client/client.ts";
import { password, useWorld, type World } from "../support/actors.ts";
import { forgeries } from "../support/forgeries.ts";
import { describeEverywhere, describeOnOneDatabase } from "../support/instance.ts";
import { observeWaits } from "../support/observe-waits.ts";
import { codeOf, refusal, tally } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { startSecondProcess } from "../support/second-process.ts";

useQuickPasswords();

const day = 86_400;

/** Steps of both suites with users who sign in. */
function signingIn(world: () => World) {
  /** A user with a password, and sign-ins of it. */
  const person = async (fields: object = {}) => {
    const { id, email } = await world().addUser({ password, ...fields });
    const signIn = async (by = world().stranger) => {
      const [{ jwt }] = await by.call(auth.authenticate, { username: email!, password });
      return { jwt, caller: world().instance.withToken(jwt) };
    };
    return { id, signIn };
  };
  const current = (caller: Caller) => codeOf(caller.call(users.current, {}));
  const list = async (caller: Caller) => (await caller.call(sessions.list, {})).data;
  const idOf = async (caller: Caller) => (await list(caller)).find((each) => each.current)!.id;
  return { person, current, list, idOf };
}

describeEverywhere("sessions of requests that compete", (environment) => {
  const world = useWorld(environment);
  const { person, current, list, idOf } = signingIn(world);

  it("simultaneous requests get the responses of their own callers and sessions", async () => {
    const { actors, ids, stranger } = world();
    const { id, signIn } = await person();
    const [first, second, third] = [await signIn(), await signIn(), await signIn()];
    const [one, two, three] = await Promise.all([first, second, third].map(({ caller }) => idOf(caller)));
    expect(new Set([one, two, three]).size).toBe(3);
    const idOfUser = async (caller: Caller) => (await caller.call(users.current, {})).id;
    const ask = () =>
      Promise.all([
        idOf(first.caller),
        idOfUser(actors.member),
        current(third.caller),
        idOf(second.caller),
        idOfUser(first.caller),
        idOfUser(actors.administrator),
        current(stranger),
      ]);
    const known = [one, ids.member, "ok", two, id, ids.administrator, "unauthenticated"];
    expect(await ask()).toEqual(known);
    expect(await ask()).toEqual(known);
    await first.caller.call(sessions.end, { id: three! });
    expect(await ask()).toEqual(known.with(2, "unauthenticated"));
  });

  it("sessions.end: the next request in another process is refused, also if it has just served the session", async () => {
    const { instance } = world();
    const second = await startSecondProcess(instance.target);
    try {
      const { id, signIn } = await person({ admin: true });
      const [lost, kept] = [await signIn(), await signIn()];
      for (const { jwt } of [lost, kept]) expect(await second.call(jwt, users.current, {})).toHaveProperty("answer");
      await kept.caller.call(sessions.end, { id: await idOf(lost.caller) });
      const refused = { refusal: { code: "unauthenticated" } };
      // A change comes first, while that process still takes the session for valid.
      expect(await second.call(lost.jwt, users.update, { id, phone: "1" })).toMatchObject(refused);
      expect(await second.call(lost.jwt, users.current, {})).toMatchObject(refused);
      expect(await second.call(lost.jwt, auth.renew, {})).toMatchObject(refused);
      const { meta } = await kept.caller.call(webhooks.events, {});
      const begun = observeWaits();
      const waiting = codeOf(kept.caller.call(webhooks.events, { after: meta.last_id, wait: 60 }));
      await begun();
      expect((await kept.caller.call(users.current, {})).phone).toBeNull();
      expect(await second.call(kept.jwt, sessions.endCurrent, {})).not.toHaveProperty("refusal");
      expect(await current(kept.caller)).toBe("unauthenticated");
      expect(await waiting).toBe("unauthenticated");
    } finally {
      second.stop();
    }
  });

  it("sessions.end ends waiting requests of the session", async () => {
    const { caller } = await (await person({ admin: true })).signIn();
    const { meta } = await caller.call(webhooks.events, {});
    const begun = observeWaits();
    const waiting = codeOf(caller.call(webhooks.events, { after: meta.last_id, wait: 60 }));
    await begun();
    await caller.call(sessions.endCurrent, {});
    expect(await waiting).toBe("unauthenticated");
  });

  it.each([users.deactivate, users.delete])(
    "a sign-in at the moment of $name leaves no session behind",
    async (end) => {
      const { instance, actors } = world();
      for (let round = 0; round < 5; round++) {
        const { id, signIn } = await person();
        const signIns = Array.from({ length: 10 }, () => codeOf(signIn()));
        await Promise.all([...signIns, actors.administrator.call(end, { id })]);
        const { database } = instance;
        expect(await database.reader.selectFrom("sessions").select("id").where("user_id", "=", id).execute()).toEqual(
          [],
        );
      }
    },
  );

  it("auth.authenticate during users.password leaves no session of the old password", async () => {
    const { instance, actors } = world();
    for (let round = 0; round < 5; round++) {
      const { id, signIn } = await person();
      const signIns = Array.from({ length: 10 }, () => codeOf(signIn()));
      const change = actors.administrator.call(users.password, { id, password: "another good password" });
      await Promise.all([...signIns, change]);
      const { database } = instance;
      expect(await database.reader.selectFrom("sessions").select("id").where("user_id", "=", id).execute()).toEqual([]);
    }
  });

  it("auth.renew: no token of 50 simultaneous renewals is valid after the session ended", async () => {
    const { instance } = world();
    const { signIn } = await person();
    const [lost, kept] = [await signIn(), await signIn()];
    const id = await idOf(lost.caller);
    // Some fail before the end of the session is reported.
    const renewals = Promise.allSettled(Array.from({ length: 50 }, () => lost.caller.call(auth.renew, {})));
    await kept.caller.call(sessions.end, { id });
    for (const outcome of await renewals) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "unauthenticated" });
      else expect(await current(instance.withToken(outcome.value[0].jwt))).toBe("unauthenticated");
    }
    expect(await current(kept.caller)).toBe("ok");
  });

  it("sessions.end: one of 50 simultaneous calls for a session succeeds", async () => {
    const { signIn } = await person();
    const [lost, kept] = [await signIn(), await signIn()];
    const id = await idOf(lost.caller);
    const endings = Array.from({ length: 50 }, () => kept.caller.call(sessions.end, { id }));
    expect(await tally(endings)).toEqual({ ok: 1, not_found: 49 });
  });

  it("auth.authenticate: a user has at most 100 sessions; another sign-in ends the oldest", async () => {
    const { instance } = world();
    const { id, signIn } = await person();
    const other = await person();
    const elsewhere = await other.signIn();
    const first = await signIn();
    const second = await signIn();
    for (let count = 2; count < 100; count++) await instance.tokenOf(id);
    expect(await list(first.caller)).toHaveLength(100);
    const last = await signIn();
    expect([await current(first.caller), await current(second.caller)]).toEqual(["unauthenticated", "ok"]);
    expect(await list(last.caller)).toHaveLength(100);
    await other.signIn();
    expect(await current(elsewhere.caller), "a session of another user").toBe("ok");
  });

  it("sessions.list: the last use is recorded at most once per minute", async () => {
    const { instance } = world();
    const { signIn } = await person();
    const [used, other] = [await signIn(), await signIn()];
    const id = await idOf(used.caller);
    const began = instance.now();
    const lastUse = async () => (await list(other.caller)).find((each) => each.id === id)!.last_used_at;
    instance.wait(59);
    await current(used.caller);
    expect(await lastUse()).toBe(began);
    instance.wait(1);
    await Promise.all(Array.from({ length: 20 }, () => current(used.caller)));
    await expect.poll(lastUse).toBe(began + 60);
  });
});

describeOnOneDatabase("sessions", (environment) => {
  const world = useWorld(environment);
  const { person, current, list, idOf } = signingIn(world);

  it("an API token sees the devices of its owner only when its scopes let it list sessions", async () => {
    const { instance, actors } = world();
    for (const [scopes, seen] of [
      [["users.*"], 0],
      [["users.*", "sessions.list"], 1],
      [["read"], 1],
    ] as const) {
      const { token = "" } = await actors.member.call(tokens.create, { name: scopes.join(" "), scopes: [...scopes] });
      const { devices } = await instance.withToken(token).call(users.current, {});
      expect(devices.length > 0 ? 1 : 0, scopes.join(" ")).toBe(seen);
    }
  });

  it("auth.authenticate starts a session, which sessions.list and the user's own devices show", async () => {
    const { instance, actors } = world();
    const { id, signIn } = await person();
    const first = await signIn();
    instance.wait(5);
    const second = await signIn(instance.from("192.0.2.7"));
    const isHttp = environment.caller === "http";
    const shown = {
      content_type: "session",
      id: expect.any(Number),
      user_agent: isHttp ? "test" : null,
      address: "127.0.0.1",
      current: true,
      created_at: instance.now() - 5,
      last_used_at: instance.now() - 5,
      expires_at: instance.now() - 5 + day,
    };
    const other = {
      ...shown,
      address: "192.0.2.7",
      current: false,
      created_at: instance.now(),
      last_used_at: instance.now(),
      expires_at: instance.now() + day,
    };
    const found = await list(first.caller);
    expect(found).toEqual([shown, other]);
    expect((await list(second.caller)).map((each) => each.current)).toEqual([false, true]);
    expect((await first.caller.call(users.current, {})).devices).toEqual(found);
    expect((await first.caller.call(users.get, { id })).devices).toEqual(found);
    const { administrator } = actors;
    expect((await administrator.call(users.get, { id })).devices).toEqual([]);
    expect((await administrator.call(users.update, { id, title: "Mate" })).devices).toEqual([]);
    expect((await list(administrator)).map((each) => each.id)).not.toContain(found[0]!.id);
  });

  it("the events of webhooks contain no session", async () => {
    const { actors } = world();
    const { id, signIn } = await person();
    const { caller } = await signIn();
    await actors.administrator.call(webhooks.events, {});
    await caller.call(users.update, { id, phone: "1" });
    const { data } = await actors.administrator.call(webhooks.events, { after: 0, limit: 500 });
    expect(data.length).toBeGreaterThan(0);
    expect(JSON.stringify(data)).not.toMatch(/"devices":\[\{/);
    expect(JSON.stringify(data)).not.toContain("last_used_at");
  });

  it("auth.renew stays in the session, and extends it", async () => {
    const { instance } = world();
    const { signIn } = await person();
    const { caller } = await signIn();
    const [before] = await list(caller);
    instance.wait(day / 2);
    const [{ jwt, expires }] = await caller.call(auth.renew, {});
    const found = await list(instance.withToken(jwt));
    expect(found).toMatchObject([
      { id: before!.id, created_at: before!.created_at, expires_at: expires, current: true },
    ]);
  });

  it("sessions.end: the tokens of the session are refused at once, those of another one are not", async () => {
    const { instance, actors, ids } = world();
    const { signIn, id: user } = await person();
    const [lost, kept] = [await signIn(), await signIn()];
    const [{ jwt }] = await lost.caller.call(auth.renew, {});
    const renewed = instance.withToken(jwt);
    const id = await idOf(lost.caller);
    expect([await current(lost.caller), await current(renewed), await current(kept.caller)]).toEqual([
      "ok",
      "ok",
      "ok",
    ]);
    await kept.caller.call(sessions.end, { id });
    for (const caller of [lost.caller, renewed]) {
      expect(await refusal(caller.call(users.current, {}))).toMatchObject({
        code: "unauthenticated",
        message: "The session of the token has ended; sign in again.",
      });
      expect(await codeOf(caller.call(auth.renew, {}))).toBe("unauthenticated");
      expect(await codeOf(caller.call(sessions.end, { id }))).toBe("unauthenticated");
    }
    expect(await current(kept.caller)).toBe("ok");
    expect((await list(kept.caller)).map((each) => each.id)).not.toContain(id);
    expect(await codeOf(kept.caller.call(sessions.end, { id }))).toBe("not_found");
    expect(ids.administrator).toBe(1);
    const { data } = await actors.administrator.call(audit.list, { path: `/sessions/${id}` });
    expect(data).toMatchObject([{ actor: { id: user }, operation: "sessions.end" }]);
  });

  it("sessions.end: a session of another user does not exist, for administrators either", async () => {
    const { actors } = world();
    const { signIn } = await person();
    const { caller } = await signIn();
    const id = await idOf(caller);
    for (const other of [actors.administrator, actors.manager, actors.outsider]) {
      expect(await refusal(other.call(sessions.end, { id }))).toMatchObject({
        code: "not_found",
        message: `You have no session ${id}.`,
      });
    }
    expect(await current(caller)).toBe("ok");
  });

  it("sessions.endOthers keeps the session of the request, and those of other users", async () => {
    const { actors } = world();
    const { signIn } = await person();
    const all = [await signIn(), await signIn(), await signIn()];
    await all[1]!.caller.call(sessions.endOthers, {});
    expect(await Promise.all(all.map(({ caller }) => current(caller)))).toEqual([
      "unauthenticated",
      "ok",
      "unauthenticated",
    ]);
    expect(await list(all[1]!.caller)).toHaveLength(1);
    expect(await current(actors.administrator)).toBe("ok");
  });

  it("sessions.endCurrent ends the session of the request, and no other", async () => {
    const { actors } = world();
    const { signIn, id } = await person();
    const [first, second] = [await signIn(), await signIn()];
    await first.caller.call(sessions.endCurrent, {});
    expect([await current(first.caller), await current(second.caller)]).toEqual(["unauthenticated", "ok"]);
    const { data } = await actors.administrator.call(audit.list, { actor: id, operation: "sessions.endCurrent" });
    expect(data).toMatchObject([{ path: "/sessions/current" }]);
  });

  it("sessions.endCurrent: an embedded caller without a token has no session", async () => {
    const caller = world().instance.service.caller({ userId: 1 });
    expect(await codeOf(caller.call(sessions.endCurrent, {}))).toBe("not_found");
    expect((await list(caller)).filter((each) => each.current)).toEqual([]);
    expect(await current(world().actors.administrator)).toBe("ok");
  });

  const endings: Record<string, (id: number) => Promise<unknown>> = {
    "users.password": (id) => world().actors.administrator.call(users.password, { id, password: "another password" }),
    "users.deactivate": (id) => world().actors.administrator.call(users.deactivate, { id }),
    "users.delete": (id) => world().actors.administrator.call(users.delete, { id }),
  };

  for (const [name, end] of Object.entries(endings)) {
    it(`${name} ends all sessions of the user, removes their addresses and wakes waiting requests`, async () => {
      const { instance } = world();
      const { id, signIn } = await person();
      const callers = [(await signIn()).caller, (await signIn()).caller];
      const { database } = instance;
      const announced: string[] = [];
      const stop = database.onChange((topics = []) => announced.push(...topics));
      await end(id);
      stop();
      expect(announced).toContain(`user:${id}`);
      for (const caller of callers) expect(await current(caller)).toBe("unauthenticated");
      expect(await database.reader.selectFrom("sessions").selectAll().where("user_id", "=", id).execute()).toEqual([]);
    });
  }

  it("a token with a session of another user, or an unknown one, is refused", async () => {
    const { instance } = world();
    const { forged, control } = await forgeries(instance);
    expect(await current(instance.withToken(control))).toBe("ok");
    const wrong = forged.filter(({ name }) => /session|sid/.test(name));
    expect(wrong.length).toBeGreaterThanOrEqual(6);
    for (const { name, token } of wrong) expect(await current(instance.withToken(token)), name).toBe("unauthenticated");
  });

  it("auth.authenticate in a dry run starts no session", async () => {
    const { instance, addUser } = world();
    const { id, email } = await addUser({ password });
    const input = { username: email!, password };
    const [{ jwt }] = await world().stranger.call(auth.authenticate, input, { dryRun: true });
    expect(await current(instance.withToken(jwt))).toBe("unauthenticated");
    expect(await list(await instance.as(id))).toHaveLength(1);
  });

  it("sessions.list and sessions.end with an API token: the sessions of its owner, within its scopes", async () => {
    const { instance } = world();
    const { signIn } = await person();
    const { caller } = await signIn();
    const withScopes = async (...scopes: string[]) => {
      const { token } = await caller.call(tokens.create, { name: scopes.join(), scopes });
      return instance.withToken(token);
    };
    const reading = await withScopes("read");
    expect(await list(reading)).toMatchObject([{ current: false }]);
    const id = await idOf(caller);
    for (const op of [sessions.endOthers, sessions.endCurrent])
      expect(await codeOf(reading.call(op, {}))).toBe("forbidden");
    expect(await codeOf(reading.call(sessions.end, { id }))).toBe("forbidden");
    const writing = await withScopes("write");
    expect(await codeOf(writing.call(sessions.endCurrent, {}))).toBe("forbidden");
    const ending = await withScopes("sessions.end", "sessions.endOthers");
    expect(await codeOf(ending.call(users.current, {}))).toBe("forbidden");
    await ending.call(sessions.end, { id });
    expect(await current(caller)).toBe("unauthenticated");
    const again = await signIn();
    await ending.call(sessions.endOthers, {});
    expect(await current(again.caller)).toBe("unauthenticated");
    expect(await current(reading)).toBe("ok");
  });

  it("sessions.list: the user agent is one line of at most 200 characters", async () => {
    const { instance } = world();
    const { id, email } = await world().addUser({ password });
    const agent = `Browser\t${"x".repeat(300)}`;
    const client = createClient({ url: instance.url, userAgent: agent });
    const [{ jwt }] = await client.call(auth.authenticate, { username: email!, password });
    await client.close();
    const [session] = await list(instance.withToken(jwt));
    expect(session!.user_agent).toBe(`Browser${"x".repeat(193)}`);
    expect(await list(await instance.as(id))).toMatchObject([{}, { user_agent: null, address: null }]);
  });

  it("sessions.list omits expired sessions, and the next sign-in removes them", async () => {
    const { instance } = world();
    const { id, signIn } = await person();
    await signIn();
    instance.wait(5);
    const { caller } = await signIn();
    instance.wait(day - 5);
    const stored = () =>
      instance.database.reader.selectFrom("sessions").select("id").where("user_id", "=", id).execute();
    expect(await list(caller)).toHaveLength(1);
    expect(await stored()).toHaveLength(2);
    await signIn();
    expect(await stored()).toHaveLength(2);
    expect(await list(caller)).toHaveLength(2);
  });
});
