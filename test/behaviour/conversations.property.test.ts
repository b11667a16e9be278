import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import type { OutputOf } from "../../src/contract/operation.ts";
import { newWorld, type World } from "../support/actors.ts";
import { conversationMistakes } from "../support/conversation-mistakes.ts";
import { ConversationModel } from "../support/conversation-model.ts";
import { type Message, type Talker, talkers } from "../support/conversations.ts";
import { tries } from "../support/effort.ts";
import { codeOf } from "../support/outcome.ts";

/** Steps before each page: the number of new messages, some of which contain "hit", and the messages to delete. */
const script = fc.record({
  initial: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
  limit: fc.integer({ min: 1, max: 5 }),
  events: fc.array(
    fc.record({ add: fc.array(fc.boolean(), { maxLength: 2 }), remove: fc.array(fc.nat(30), { maxLength: 2 }) }),
    { maxLength: 14 },
  ),
});

const step = fc.record({
  what: fc.constantFrom(
    ...(["send", "send", "send", "erase", "seen", "clear", "archive", "unarchive"] as const),
    ...(["add", "remove", "leave", "promote", "demote"] as const),
  ),
  // The last one is the administrator at first.
  who: fc.constantFrom(0, 1, 2, 3, 3, 3),
  whom: fc.nat(3),
  at: fc.nat(20),
});
type Page = OutputOf<typeof conversations.messages>;
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

for (const database of ["sqlite", "postgres"] as const) {
  describe(`conversations (${database})`, () => {
    const runs = database === "sqlite" ? 40 : 12;
    let world: World;
    let people: [Talker, Talker, Talker, Talker];
    beforeAll(async () => {
      world = await newWorld({ database, caller: "local" });
      people = (await talkers(world, 4)) as typeof people;
    });
    afterAll(async () => {
      const found = await conversationMistakes(world.instance.database);
      await world.instance.close();
      expect(found).toEqual([]);
    });

    for (const query of [undefined, "hit"]) {
      const matches = ({ deleted, message }: Message) => query === undefined || (!deleted && message.includes(query));

      it(`messages ${query ?? ""}: both directions return each message that existed throughout once`, async () => {
        const property = fc.asyncProperty(script, async ({ initial, limit, events }) => {
          const [ann, bob] = (await talkers(world, 2)) as [Talker, Talker];
          const there = new Map<number, Message>();
          const write = async (hit: boolean) => {
            const message = await ann.write([bob.id], hit ? "a hit" : "a miss");
            there.set(message.id, message);
          };
          for (const hit of initial) await write(hit);
          const id = [...there.values()][0]!.conversationId;
          let at = 0;
          const happen = async () => {
            const { add = [], remove = [] } = events[at++] ?? {};
            for (const hit of add) await write(hit);
            for (const index of remove) {
              const message = [...there.values()][index % there.size]!;
              if (message.deleted) continue;
              await ann.caller.call(conversations.messageDelete, { id, messageId: message.id });
              there.set(message.id, { ...message, deleted: true, message: "" });
            }
          };
          const wanted = () => [...there.values()].filter(matches).map((message) => message.id);
          const walk = async (direction: "next_cursor" | "prev_cursor", from?: string) => {
            const before = wanted();
            const seen: number[] = [];
            let last: Page | undefined;
            for (let cursor: string | null | undefined = from; cursor !== null; ) {
              await happen();
              const page: Page = await bob.caller.call(conversations.messages, { id, limit, query, cursor });
              expect(page.data.length).toBeLessThanOrEqual(limit);
              const ids = page.data.map((message) => message.id);
              seen.push(...(direction === "next_cursor" ? ids : ids.reverse()));
              if (ids.length > 0) last = page;
              cursor = page.meta[direction];
            }
            const order = (a: number, b: number) => (direction === "next_cursor" ? b - a : a - b);
            expect(seen, "in the order of the list, none twice").toEqual([...new Set(seen)].sort(order));
            return { seen, last, stayed: wanted().filter((message) => before.includes(message)) };
          };
          const forth = await walk("next_cursor");
          expect(forth.stayed.filter((message) => !forth.seen.includes(message))).toEqual([]);
          const cursor = forth.last?.meta.prev_cursor;
          if (cursor == null) return;
          const from = Math.max(...forth.last!.data.map((message) => message.id));
          const back = await walk("prev_cursor", cursor);
          expect(back.stayed.filter((message) => message > from && !back.seen.includes(message))).toEqual([]);
          expect(Math.min(...back.seen)).toBeGreaterThan(from);
        });
        await fc.assert(property, { numRuns: tries(runs) });
      });
    }

    it("after any sequence of calls, each participant sees what a simple model predicts", async () => {
      const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const [ann, bob, cat] = people;
        // Somebody new, so that the group is new, too.
        const [dan] = (await talkers(world, 1)) as [Talker];
        const all = [ann, bob, cat, dan];
        const first = await dan.write([ann.id, bob.id], "text");
        const model = new ConversationModel([dan.id, ann.id, bob.id], dan.id, first.id);
        for (const each of steps) await act(each, all, model, first.conversationId);
        for (const person of all) {
          const id = first.conversationId;
          const expected = model.seenBy(person.id);
          if (expected === undefined) {
            expect(await codeOf(person.get(id))).toBe("not_found");
            continue;
          }
          const shown = await person.get(id);
          const { data } = await person.caller.call(conversations.messages, { id, limit: 100 });
          expect({
            unread: shown.unread_message_count,
            archived: shown.archived_at !== null,
            latest: shown.latest_message?.id ?? null,
            people: shown.participants.map((each) => `${each.id} ${each.role}`),
            messages: data.map((message) => message.id),
            listed: (await person.listed({ status: "normal" })).includes(id),
            listedUnread: (await person.listed({ status: "unread" })).includes(id),
            listedArchived: (await person.listed({ status: "archived" })).includes(id),
          }).toEqual(expected);
        }
      });
      await fc.assert(property, { numRuns: tries(runs) });
    });
  });
}

/** Runs a step, also on the model, and compares the results. */
async function act({ what, who, whom, at }: Step, people: readonly Talker[], model: ConversationModel, id: number) {
  const me = people[who]!;
  const other = people[what === "leave" ? who : whom]!;
  const messageId = model.messageAt(at);
  const { caller } = me;
  const latest = async () => (await caller.call(conversations.follow, { id })).meta.last_id;
  let made: number | undefined;
  const calls: Record<Step["what"], () => Promise<unknown>> = {
    send: async () => {
      made = (await me.send(id, "text")).id;
    },
    erase: () => caller.call(conversations.messageDelete, { id, messageId }),
    seen: () => caller.call(conversations.seen, { id }),
    clear: () => caller.call(conversations.delete, { id }),
    archive: () => caller.call(conversations.archive, { id }),
    unarchive: () => caller.call(conversations.unarchive, { id }),
    add: async () => {
      await caller.call(conversations.participantAdd, { id, users: [other.id] });
      made = await latest();
    },
    remove: () => caller.call(conversations.participantRemove, { id, user: other.id }),
    leave: () => caller.call(conversations.participantRemove, { id, user: other.id }),
    promote: () => caller.call(conversations.participantUpdate, { id, user: other.id, role: "administrator" }),
    demote: () => caller.call(conversations.participantUpdate, { id, user: other.id, role: "member" }),
  };
  const code = await codeOf(calls[what]());
  if (what === "remove" || what === "leave") {
    const inside = people.find((person) => person !== other && model.has(person.id));
    if (code === "ok" && inside) made = (await inside.caller.call(conversations.follow, { id })).meta.last_id;
  }
  expect(code).toBe(model.act(what, me.id, other.id, messageId, made));
}
