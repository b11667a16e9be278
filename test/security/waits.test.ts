import { setImmediate as turn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, type MockInstance, onTestFinished, vi } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { sessions } from "../../src/contract/sessions.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { maxWaits } from "../../src/contract/waits.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { TopicWatch } from "../../src/core/pipeline/topic-watch.ts";
import { createService, type Service } from "../../src/core/service.ts";
import type { Database } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { password, useWorld } from "../support/actors.ts";
import { type Talker, talker, talkers } from "../support/conversations.ts";
import { listening } from "../support/engine.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

/** Milliseconds; longer than any test, as the wait: nothing but a wake-up ends it in time. */
const never = 3_600_000;
const wait = 60;

// The instance runs in the process of the test, over HTTP as well.
let watched: MockInstance<TopicWatch["watch"]>;
/** Number of wake-ups in this test. Without one, a wait would find a change as well, but only at its end. */
let woken = 0;
beforeAll(() => {
  const { watch } = TopicWatch.prototype;
  watched = vi.spyOn(TopicWatch.prototype, "watch");
  watched.mockImplementation(function (this: TopicWatch, topics, wake) {
    return watch.call(this, topics, () => {
      woken += 1;
      wake();
    });
  });
});
afterEach(() => {
  watched.mockClear();
  woken = 0;
});
afterAll(() => void watched.mockRestore());

/** Resolves when so many waits have begun in this test, and would see a change. */
const waiting = (count: number) => {
  const begun = () => watched.mock.settledResults.filter(({ type }) => type === "fulfilled");
  return expect.poll(() => begun().length).toBeGreaterThanOrEqual(count);
};

const follow = (caller: Caller, { conversationId: id, id: after }: { conversationId: number; id: number }) =>
  caller.call(conversations.follow, { id, after, wait });

describeOnOneDatabase("waits", (environment) => {
  const world = useWorld(environment);
  const pair = async () => {
    const [ann, bob] = (await talkers(world(), 2)) as [Talker, Talker];
    return { ann, bob, begin: await ann.write([bob.id], "0") };
  };

  it("One user cannot hold more than 20 requests open; another one still can", async () => {
    const { ann, bob, begin } = await pair();
    const held = Array.from({ length: maxWaits }, () => follow(ann.caller, begin));
    await waiting(maxWaits);
    const local = world().instance.withToken(await world().instance.tokenOf(ann.id), "local");
    const { code, retryAfter } = await refusal(follow(local, begin));
    expect(code).toBe("too_many_requests");
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(wait);
    expect((await ann.get(begin.conversationId)).id).toBe(begin.conversationId);
    const others = follow(bob.caller, begin);
    const { id } = await bob.send(begin.conversationId, "1");
    for (const { data } of await Promise.all([...held, others])) expect(data.map((each) => each.id)).toEqual([id]);
    expect((await follow(ann.caller, begin)).data).toHaveLength(1);
  });

  it("A test of a webhook that may not be waited for is not sent", async () => {
    const { administrator } = world().actors;
    const {
      data: { id },
    } = await administrator.call(webhooks.create, { name: "Hook", uri: "http://receiver.invalid/" } as never);
    const { meta } = await administrator.call(webhooks.events, {});
    const held = Array.from({ length: maxWaits }, () =>
      administrator.call(webhooks.events, { after: meta.last_id, wait }),
    );
    await waiting(maxWaits);
    const count = async () =>
      (await world().instance.database.reader.selectFrom("deliveries").selectAll().execute()).length;
    const before = await count();
    const token = await world().instance.tokenOf(world().ids.administrator);
    const local = world().instance.withToken(token, "local");
    expect(await codeOf(local.call(webhooks.test, { id, wait: 1 }))).toBe("too_many_requests");
    expect(await count()).toBe(before);
    await world().addUser();
    for (const { data } of await Promise.all(held)) expect(data).not.toEqual([]);
    await administrator.call(webhooks.delete, { id });
  });

  const endings: readonly [how: string, end: (user: number) => Promise<unknown>][] = [
    ["deactivated", (id) => world().actors.administrator.call(users.deactivate, { id })],
    ["deleted", (id) => world().actors.administrator.call(users.delete, { id })],
    ["given another password", (id) => world().actors.administrator.call(users.password, { id, password } as never)],
  ];
  it.each(endings)("A user who is %s while a request waits gets no message by it", async (_, end) => {
    const { ann, bob, begin } = await pair();
    const held = codeOf(follow(bob.caller, begin));
    await waiting(1);
    await end(bob.id);
    await ann.send(begin.conversationId, "secret");
    expect(await held).toBe("unauthenticated");
  });

  it("A user who is taken out of a group while a request waits gets no message by it", async () => {
    const [ann, bob, cat] = (await talkers(world(), 3)) as [Talker, Talker, Talker];
    const begin = await ann.write([bob.id, cat.id], "0");
    const held = codeOf(follow(bob.caller, begin));
    await waiting(1);
    await ann.caller.call(conversations.participantRemove, { id: begin.conversationId, user: bob.id });
    await ann.send(begin.conversationId, "secret");
    expect(["forbidden", "not_found"]).toContain(await held);
  });

  it("Somebody who is no administrator any more while a request waits gets no events by it", async () => {
    const { administrator } = world().actors;
    const { id } = await world().addUser({ admin: true });
    const boss = await world().instance.as(id);
    const { meta } = await boss.call(webhooks.events, {});
    const held = codeOf(boss.call(webhooks.events, { after: meta.last_id, wait }));
    await waiting(1);
    await administrator.call(users.update, { id, admin: false });
    expect(await held).toBe("forbidden");
  });
});

for (const database of ["sqlite", "postgres"] as const) {
  describe(`waits (${database})`, () => {
    const world = useWorld({ database, caller: "local" });
    const opened: Database[] = [];
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
    });

    /** A service on the database of the world as another process would have it; `queries` counts what it reads. */
    async function otherProcess(changed: Partial<Database> = {}, pollInterval = never) {
      const own = await openDatabase(world().instance.target);
      opened.push(own);
      return counting({ ...own, ...changed }, pollInterval);
    }

    function counting(on: Database, pollInterval = never, clock?: () => number) {
      const counter = { queries: 0 };
      const reader = on.reader.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          counter.queries += 1;
          return result;
        },
      });
      const service = createService({
        database: { ...on, reader },
        pollInterval,
        clock: clock ?? (() => world().instance.now() * 1000),
      });
      return { service, counter };
    }

    const on = (service: Service, { id }: Talker) => talker(id, service.caller({ userId: id }));
    const pair = async () => {
      const [ann, bob] = (await talkers(world(), 2)) as [Talker, Talker];
      return { ann, bob, begin: await ann.write([bob.id], "0") };
    };

    it("A message wakes those who wait for it by its announcement alone", async () => {
      const { ann, bob, begin } = await pair();
      const { service } = counting(world().instance.database);
      const held = follow(on(service, bob).caller, begin);
      await waiting(1);
      const { id } = await ann.send(begin.conversationId, "1");
      expect((await held).data.map((each) => each.id)).toEqual([id]);
      expect(woken).toBeGreaterThan(0);
    });

    const signOuts: readonly [what: string, signOut: (user: number, token: string) => Promise<unknown>][] = [
      ["Another password", (id) => world().actors.administrator.call(users.password, { id, password } as never)],
      ["users.deactivate", (id) => world().actors.administrator.call(users.deactivate, { id })],
      ["users.delete", (id) => world().actors.administrator.call(users.delete, { id })],
      ["sessions.endCurrent", (_, token) => world().instance.withToken(token).call(sessions.endCurrent, {})],
      ["sessions.endOthers", async (id) => (await world().instance.as(id)).call(sessions.endOthers, {})],
      [
        "sessions.end",
        async (_, token) => {
          const caller = world().instance.withToken(token);
          const { data } = await caller.call(sessions.list, {});
          await caller.call(sessions.end, { id: data.find(({ current }) => current)!.id });
        },
      ],
    ];
    it.each(signOuts)("%s ends the waits of its user by its announcement alone", async (_, signOut) => {
      const { ann, bob, begin } = await pair();
      const { service } = counting(world().instance.database);
      const place = { id: begin.conversationId, after: begin.id, wait };
      const follows = (token: string) => codeOf(service.invoke(conversations.follow, place, { token }));
      // Began earlier, so that it ends first when nothing but time ends them.
      const earlier = follows(await world().instance.tokenOf(ann.id)).then(
        (code) => `nothing happened for ${wait} s: ${code}`,
      );
      await waiting(1);
      const token = await world().instance.tokenOf(bob.id);
      const held = follows(token);
      await waiting(2);
      await signOut(bob.id, token);
      expect(await Promise.race([held, earlier])).toBe("unauthenticated");
      await ann.send(begin.conversationId, "1");
      await earlier;
    });

    it("Another password ends a request that begins to wait just after it", async () => {
      const { ann, bob, begin } = await pair();
      const { service } = counting(world().instance.database);
      const place = { id: begin.conversationId, after: begin.id, wait };
      const origin = { token: await world().instance.tokenOf(bob.id) };
      // Began earlier, so that it ends first when nothing but time ends them.
      const earlier = follow(on(service, ann).caller, begin).then(() => `nothing happened for ${wait} s`);
      await waiting(1);
      const watch = watched.getMockImplementation()!;
      watched.mockImplementationOnce(async function (this: TopicWatch, topics, wake) {
        await world().actors.administrator.call(users.password, { id: bob.id, password } as never);
        return watch.call(this, topics, wake);
      });
      const held = codeOf(service.invoke(conversations.follow, place, origin));
      expect(await Promise.race([held, earlier])).toBe("unauthenticated");
      await ann.send(begin.conversationId, "1");
      await earlier;
    });

    it("A message wakes those who wait for it in another process", async () => {
      const { ann, bob, begin } = await pair();
      const { service } = await otherProcess();
      const held = follow(on(service, bob).caller, begin);
      await waiting(1);
      const { id } = await ann.send(begin.conversationId, "1");
      expect((await held).data.map((each) => each.id)).toEqual([id]);
      expect(woken).toBeGreaterThan(0);
    });

    it("A change that nobody announced is found by the look that all who wait share", async () => {
      const { ann, bob, begin } = await pair();
      const mute = { announce() {}, onChange: () => () => {} };
      const sender = await otherProcess(mute);
      const { service } = await otherProcess(mute, 50);
      const held = follow(on(service, bob).caller, begin);
      await waiting(1);
      const { id } = await on(sender.service, ann).send(begin.conversationId, "1");
      expect((await held).data.map((each) => each.id)).toEqual([id]);
      expect(woken).toBeGreaterThan(0);
    });

    it("A change while the look that all share is reading is found by another look", async () => {
      const { ann, bob, begin } = await pair();
      const own = world().instance.database;
      const [reading, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const isState = (row: object | undefined) => Object.keys(row ?? {}).join() === "id,last_position";
      let look: (() => void) | undefined;
      const reader = own.reader.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          if (look === undefined || !isState(result.rows[0])) return result;
          reading.resolve();
          await goOn.promise;
          return result;
        },
      });
      const listeners: Parameters<Database["onChange"]>[0][] = [];
      const onChange: Database["onChange"] = (listener) => {
        listeners.push(listener);
        return () => {};
      };
      const { service } = counting({ ...own, reader, onChange });
      const held = follow(on(service, bob).caller, begin);
      await waiting(1);
      look = () => listeners[0]!(undefined);
      look();
      await reading.promise;
      const { id } = await ann.send(begin.conversationId, "1");
      look();
      goOn.resolve();
      expect((await held).data.map((each) => each.id)).toEqual([id]);
      expect(woken).toBeGreaterThan(0);
    });

    /** Resolves when the first look of each who waits is over: no more queries come in the time of twenty others. */
    const settled = async (counter: { readonly queries: number }) => {
      const { reader } = world().instance.database;
      for (let known = -1; known !== counter.queries; ) {
        known = counter.queries;
        for (let n = 0; n < 20; n++) {
          await reader.selectFrom("instance").select("id").execute();
          await turn();
        }
      }
    };

    /** Queries that reading one message costs while 60 requests of others wait in other conversations. */
    const costOfWake = async ({ service, counter }: ReturnType<typeof counting>, idle: number) => {
      const { ann, bob, begin } = await pair();
      const readers = await Promise.all(Array.from({ length: idle }, () => pair()));
      const abort = new AbortController();
      const held = readers.flatMap((each) =>
        Array.from({ length: maxWaits }, () =>
          codeOf(
            on(service, each.bob).caller.call(
              conversations.follow,
              { id: each.begin.conversationId, after: each.begin.id, wait: 60 },
              { signal: abort.signal },
            ),
          ),
        ),
      );
      const own = follow(on(service, bob).caller, begin);
      await waiting(held.length + 1);
      await settled(counter);
      const before = counter.queries;
      await ann.send(begin.conversationId, "1");
      await own;
      await settled(counter);
      const queries = counter.queries - before;
      abort.abort();
      await Promise.all(held);
      watched.mockClear();
      return queries;
    };

    it("A message in one conversation runs no query for those who wait in others", async () => {
      // The database wakes its first listener when it is connected, which would cost queries at any time.
      onTestFinished(await listening(world().instance.database, database));
      const process = counting(world().instance.database);
      const alone = await costOfWake(process, 0);
      expect(alone).toBeGreaterThan(0);
      // A query that a busy machine delays for longer than `settled` takes counts as well, but not one for each of the 60.
      expect(await costOfWake(process, 3)).toBeLessThan(alone + maxWaits);
    });

    it("A message from another process runs not a query for each who waits, but some for all", async () => {
      const process = await otherProcess();
      const alone = await costOfWake(process, 0);
      expect(await costOfWake(process, 3)).toBeLessThan(alone + maxWaits);
    });

    it("A user who is deactivated by another process gets no message, and no answer with a token of before", async () => {
      const { ann, bob, begin } = await pair();
      const { service } = await otherProcess();
      const token = await world().instance.tokenOf(bob.id);
      const held = codeOf(
        service.invoke(conversations.follow, { id: begin.conversationId, after: begin.id, wait }, { token }),
      );
      await waiting(1);
      await world().actors.administrator.call(users.deactivate, { id: bob.id });
      await ann.send(begin.conversationId, "secret");
      expect(await held).toBe("unauthenticated");
    });

    it("tokens.revoke ends the waits with the token, also when another token was created before the next look", async () => {
      const { ann, bob, begin } = await pair();
      const listeners: Parameters<Database["onChange"]>[0][] = [];
      const onChange: Database["onChange"] = (listener) => {
        listeners.push(listener);
        return () => {};
      };
      const { service } = counting({ ...world().instance.database, onChange });
      // Began earlier, so that it ends first when nothing but time ends them.
      const earlier = follow(on(service, ann).caller, begin).then(() => `nothing happened for ${wait} s`);
      await waiting(1);
      const { id, token } = await bob.caller.call(tokens.create, { name: "old", scopes: ["read"] });
      const place = { id: begin.conversationId, after: begin.id, wait };
      const held = codeOf(service.invoke(conversations.follow, place, { token: token! }));
      await waiting(2);
      await bob.caller.call(tokens.create, { name: "new", scopes: ["read"] });
      await bob.caller.call(tokens.revoke, { id });
      listeners[0]!(undefined);
      expect(await Promise.race([held, earlier])).toBe("unauthenticated");
      await ann.send(begin.conversationId, "1");
      listeners[0]!(undefined);
      await earlier;
    });

    it("A participant who is taken out by another process gets no message", async () => {
      const [ann, bob, cat] = (await talkers(world(), 3)) as [Talker, Talker, Talker];
      const begin = await ann.write([bob.id, cat.id], "0");
      const { service } = await otherProcess();
      const held = codeOf(follow(on(service, bob).caller, begin));
      await waiting(1);
      await ann.caller.call(conversations.participantRemove, { id: begin.conversationId, user: bob.id });
      await ann.send(begin.conversationId, "secret");
      expect(["forbidden", "not_found"]).toContain(await held);
    });

    it("A request of a user whom another process has changed waits once", async () => {
      const { ann, bob, begin } = await pair();
      const { service } = await otherProcess();
      const origin = { token: await world().instance.tokenOf(bob.id) };
      await service.invoke(users.current, {}, origin);
      await world().actors.administrator.call(users.update, { id: bob.id, admin: true });
      const place = { id: begin.conversationId, after: begin.id, wait };
      const held = service.invoke(conversations.follow, place, origin) as ReturnType<typeof follow>;
      await waiting(1);
      const { id } = await ann.send(begin.conversationId, "1");
      expect((await held).data.map((each) => each.id)).toEqual([id]);
      expect(watched).toHaveBeenCalledTimes(1);
    });

    it("A wait ends with its token", async () => {
      const { bob, begin } = await pair();
      const [{ jwt: token, expires }] = await bob.caller.call(auth.renew, {});
      let left = 1000;
      const { service } = counting(world().instance.database, never, () => expires * 1000 - left);
      const input = { id: begin.conversationId, after: begin.id, wait: 60 };
      const held = refusal(service.invoke(conversations.follow, input, { token }));
      await waiting(1);
      left = 0;
      const { message, code } = await held;
      expect({ code, message }).toEqual({ code: "unauthenticated", message: "The token has expired; sign in again." });
    });

    it("A server that ends lets those who wait answer with what there is", async () => {
      const { bob, begin } = await pair();
      const { service } = counting(world().instance.database);
      const administrator = service.caller({ userId: world().ids.administrator });
      const { last_id: after } = (await administrator.call(webhooks.events, {})).meta;
      // Time stands still, so that it ends no wait.
      const stopped = vi.spyOn(performance, "now").mockReturnValue(performance.now());
      onTestFinished(() => stopped.mockRestore());
      const held = [follow(on(service, bob).caller, begin), administrator.call(webhooks.events, { after, wait })];
      await waiting(2);
      service.endWaits();
      for (const { data } of await Promise.all(held)) expect(data).toEqual([]);
      expect((await follow(on(service, bob).caller, begin)).data).toEqual([]);
    });

    it("A wait that ends leaves those who wait for something else awake", async () => {
      const [{ ann, bob, begin }, other] = [await pair(), await pair()];
      const { service } = counting(world().instance.database);
      const held = follow(on(service, bob).caller, begin);
      const ended = follow(on(service, other.bob).caller, other.begin);
      await waiting(2);
      await other.ann.send(other.begin.conversationId, "1");
      expect((await ended).data).toHaveLength(1);
      const before = woken;
      const { id } = await ann.send(begin.conversationId, "1");
      expect((await held).data.map((each) => each.id)).toEqual([id]);
      expect(woken).toBeGreaterThan(before);
    });

    it("A process in which nobody waits does not listen for changes", async () => {
      const { ann, bob, begin } = await pair();
      const own = world().instance.database;
      let listeners = 0;
      const onChange: Database["onChange"] = (listener) => {
        listeners += 1;
        const stop = own.onChange(listener);
        return () => {
          listeners -= 1;
          stop();
        };
      };
      const { service } = counting({ ...own, onChange });
      const held = follow(on(service, bob).caller, begin);
      await waiting(1);
      expect(listeners).toBe(1);
      await ann.send(begin.conversationId, "1");
      await held;
      expect(listeners).toBe(0);
    });
  });
}
