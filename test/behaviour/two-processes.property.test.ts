import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { settings } from "../../src/contract/settings.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { createService } from "../../src/core/service.ts";
import type { Database } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { newWorld, type World } from "../support/actors.ts";
import { isFull, tries } from "../support/effort.ts";
import type { DatabaseKind } from "../support/instance.ts";
import { outcome } from "../support/outcome.ts";
import { type SecondProcess, startSecondProcess } from "../support/second-process.ts";

interface Request {
  readonly op: AnyOperation;
  readonly input: object;
}
const request = (op: AnyOperation, input: object = {}): Request => ({ op, input });

/** A request, who sends it, and to which process. */
interface Step {
  readonly request: Request;
  readonly actor: number;
  readonly second: boolean;
}

/** Changes of everything that decides permissions, and of some visible data. */
function changesIn({ ids, types, units: { north, harbour, yard, south } }: World): Request[] {
  const { member, manager, outsider } = ids;
  const set = (user: number, userTypes: number[]) => request(users.membershipSet, { user, from: harbour, userTypes });
  return [
    request(usertypes.update, { id: types.editor, abilities: { news: true } }),
    request(usertypes.update, { id: types.editor, abilities: { news: false, user: true } }),
    set(member, []),
    set(member, [types.editor]),
    request(users.membershipAdd, { user: outsider, unit: harbour, userTypes: [types.manager] }),
    request(users.membershipRemove, { user: outsider, unit: harbour }),
    request(users.membershipSet, { user: member, from: harbour, unit: yard }),
    request(users.membershipSet, { user: member, from: yard, unit: harbour }),
    request(units.move, { id: harbour, parent: south }),
    request(units.move, { id: harbour, parent: north }),
    request(users.update, { id: manager, admin: true }),
    request(users.update, { id: manager, admin: false }),
    request(users.deactivate, { id: outsider }),
    request(users.reactivate, { id: outsider }),
    request(users.update, { id: member, title: "Mate", phone: "1" }),
    request(users.update, { id: member, title: "Captain", settings: { show_birthdays: "unit" } }),
    request(settings.set, { name: "One" }),
    request(settings.set, { name: "Two" }),
    request(posts.update, { id: 1, title: "Soup" }),
    request(posts.update, { id: 1, title: "Salad", units: [{ id: harbour, falldown: true }] }),
  ];
}

function readsIn({ ids, units: { harbour } }: World): Request[] {
  return [
    request(users.current),
    request(users.get, { id: ids.member }),
    request(users.get, { id: ids.outsider }),
    request(users.list, { unit: harbour }),
    request(users.birthdays),
    request(units.get, { id: harbour }),
    request(posts.get, { id: 1 }),
    request(posts.list),
    request(settings.list),
  ];
}

describe.each<DatabaseKind>(["sqlite", "postgres"])("two processes (%s)", (database) => {
  let world: World;
  let second: SecondProcess;
  let tokens: string[];
  let fresh: Database;

  beforeAll(async () => {
    world = await newWorld({ database, caller: "local" });
    const { instance, actors, ids, types, units: places } = world;
    await actors.administrator.call(users.membershipSet, {
      user: ids.member,
      from: places.harbour,
      userTypes: [types.editor],
    });
    await actors.administrator.call(posts.create, {
      content_type: "news",
      title: "Soup",
      body: "",
      unit: places.harbour,
    });
    tokens = await Promise.all(
      [ids.administrator, ids.manager, ids.member, ids.outsider].map((id) => instance.tokenOf(id)),
    );
    second = await startSecondProcess(instance.target);
    fresh = await openDatabase(instance.target);
  });
  afterAll(async () => {
    second.stop();
    await fresh.close();
    await world.instance.close();
  });

  /** The response of a service without cached facts, or with facts read after the last change. */
  const answerFromData = (token: string, { op, input }: Request, service = createService({ database: fresh })) =>
    outcome(service.invoke(op, input, { token }));

  it("the next request of every actor in the other process sees each change", async () => {
    const telling = [users.current, users.get, users.list, posts.get, settings.list].map(({ name }) => name);
    const reads = readsIn(world).filter(({ op }) => telling.includes(op.name));
    for (const [at, change] of changesIn(world).entries()) {
      for (const token of tokens) await second.call(token, users.current, {});
      await outcome(world.instance.service.invoke(change.op, change.input, { token: tokens[0]! }));
      const service = createService({ database: fresh });
      for (const [asking, token] of tokens.entries()) {
        // In the short form, each actor makes one of the requests after a change, and another one after the next change.
        for (const read of isFull ? reads : [reads[(at + asking) % reads.length]!]) {
          const expected = await answerFromData(token, read, service);
          const answer = await second.call(token, read.op, read.input);
          expect(plain(answer), `${read.op.name} after ${JSON.stringify(change.input)}`).toEqual(plain(expected));
        }
      }
    }
  });

  it("the next request of the other process sees a change, and no response is stale or for another actor", async () => {
    const step = (requests: Request[]) =>
      fc.record({ request: fc.constantFrom(...requests), actor: fc.nat(3), second: fc.boolean() });
    const change = step(changesIn(world)).map((each) => ({ ...each, actor: each.actor % 2 }));
    const history = fc.array(
      fc.oneof({ weight: 1, arbitrary: change }, { weight: 2, arbitrary: step(readsIn(world)) }),
      { minLength: 10, maxLength: 30 },
    );
    const run = async (steps: Step[]) => {
      for (const { request, actor, second: elsewhere } of steps) {
        const token = tokens[actor]!;
        const expected = request.op.method === "GET" ? await answerFromData(token, request) : undefined;
        const answer = elsewhere
          ? await second.call(token, request.op, request.input)
          : await outcome(world.instance.service.invoke(request.op, request.input, { token }));
        if (expected !== undefined) expect(plain(answer)).toEqual(plain(expected));
      }
    };
    await fc.assert(fc.asyncProperty(history, run), { numRuns: tries(60) });
  });
});

/** The response as another process gets it, without the last use of a session, which is written after the request. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, inner) => (key === "last_used_at" ? undefined : inner));
