import { sql } from "kysely";
import { expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import type { Database } from "../../src/store/database.ts";
import { isPostgres } from "../../src/store/dialect.ts";
import { useWorld } from "../support/actors.ts";
import { type Message, type Talker, talkers } from "../support/conversations.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, tally } from "../support/outcome.ts";

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

/** A database that runs other work once, when messages were read and before the next statement. */
function interruptedAfterMessages(database: Database, other: () => Promise<unknown>): Database {
  let isDone = false;
  const reader = database.reader.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!isDone && result.rows[0] && "conversation_id" in result.rows[0]) {
        isDone = true;
        await other();
      }
      return result;
    },
  });
  return { ...database, reader };
}

async function waitingForLocks({ reader }: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(reader);
  return rows[0]?.count ?? 0;
}

describeEverywhere("races in conversations", (environment) => {
  const world = useWorld(environment);

  /** All messages of a conversation, read in pages from the newest on, and back from the oldest. */
  const walks = async ({ caller }: Talker, id: number) => {
    const walk = async (direction: "next_cursor" | "prev_cursor", input: object) => {
      const found: Message[][] = [];
      let cursor: string | null | undefined;
      do {
        const page = await caller.call(conversations.messages, { id, limit: 7, ...(cursor ? { cursor } : input) });
        found.push(page.data);
        cursor = page.meta[direction];
      } while (cursor);
      return direction === "next_cursor" ? found.flat() : found.reverse().flat();
    };
    const forth = await walk("next_cursor", {});
    const back = await walk("prev_cursor", { starter_message_id: forth.at(-1)!.id });
    return { forth, back };
  };

  it("conversations.send: 20 simultaneous messages are stored once each, in one order for all", async () => {
    const people = await talkers(world(), 20);
    const [first, ...others] = people as [Talker, ...Talker[]];
    const { conversationId: id } = await first.write(
      others.map((other) => other.id),
      "0",
    );
    const sent = await Promise.all(
      people.map(async (person, n) => {
        const own: Message[] = [];
        for (let round = 0; round < 5; round++) own.push(await person.send(id, `${n} ${round}`));
        return own;
      }),
    );
    const { forth, back } = await walks(first, id);
    expect(back).toEqual(forth);
    expect((await walks(others[7]!, id)).forth).toEqual(forth);
    const ids = forth.map((message) => message.id);
    expect(ids.toSorted((a, b) => b - a)).toEqual([...new Set(ids)]);
    expect(forth).toHaveLength(101);
    const texts = forth.map((message) => message.message).reverse();
    for (const own of sent) {
      const order = own.map((message) => texts.indexOf(message.message));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
    for (const person of people) {
      const unread = person === first ? 95 : 96;
      expect(await person.get(id)).toMatchObject({ unread_message_count: unread, latest_message: { id: ids[0] } });
    }
  });

  it("conversations.follow returns no messages to who is removed, or deletes the conversation, while they are read", async () => {
    const [first, second, third] = (await talkers(world(), 3)) as [Talker, Talker, Talker];
    const { database } = world().instance;
    const { conversationId: id } = await first.write([second.id, third.id], "Secret");
    const followWhile = (other: () => Promise<unknown>) => {
      const service = createService({ database: interruptedAfterMessages(database, other) });
      return service.caller({ userId: second.id }).call(conversations.follow, { id, after: 0 });
    };
    expect((await followWhile(async () => {})).data).toHaveLength(1);
    expect(await followWhile(() => second.caller.call(conversations.delete, { id }))).toMatchObject({ data: [] });
    await first.send(id, "Another secret");
    const remove = () => first.caller.call(conversations.participantRemove, { id, user: second.id });
    expect(await codeOf(followWhile(remove))).toBe("not_found");
  });

  it("conversations.create does not send to somebody who joins the group at the same moment", async () => {
    const [first, second, third, fourth] = (await talkers(world(), 4)) as [Talker, Talker, Talker, Talker];
    const { database } = world().instance;
    const { conversationId: id } = await first.write([second.id, third.id], "Three of us");
    const joined = Promise.withResolvers<void>();
    const sending = Promise.withResolvers<void>();
    const writeLocking: Database["writeLocking"] = (work) =>
      database.writeLocking(async (tx) => {
        const result = await work(tx);
        joined.resolve();
        await sending.promise;
        return result;
      });
    const service = createService({ database: { ...database, writeLocking } });
    const adding = service.caller({ userId: first.id }).call(conversations.participantAdd, { id, users: [fourth.id] });
    await joined.promise;
    const sent = second.write([first.id, third.id], "Not for the fourth");
    if (isPostgres(database.reader)) await expect.poll(() => waitingForLocks(database)).toBe(1);
    sending.resolve();
    await adding;
    expect((await sent).conversationId).not.toBe(id);
    expect(await fourth.texts(id)).not.toContain("Not for the fourth");
  });

  it("conversations.follow returns each of many simultaneous messages once, in their order", async () => {
    const people = await talkers(world(), 6);
    const [first, ...others] = people as [Talker, ...Talker[]];
    const { conversationId: id, id: begin } = await first.write(
      others.map((other) => other.id),
      "0",
    );
    const following = (async () => {
      const found: number[] = [];
      for (let after = begin; found.length < 30; ) {
        const { data, meta } = await first.caller.call(conversations.follow, { id, after, wait: 60, limit: 4 });
        if (data.length === 0) break;
        found.push(...data.map((message) => message.id));
        after = meta.last_id;
      }
      return found;
    })();
    await Promise.all(
      others.map(async (person) => {
        for (let round = 0; round < 6; round++) await person.send(id, `${round}`);
      }),
    );
    const { forth } = await walks(first, id);
    expect(await following).toEqual(
      forth
        .slice(0, -1)
        .map((message) => message.id)
        .reverse(),
    );
  });

  it("conversations.send: 10 simultaneous requests with one Idempotency-Key send one message", async () => {
    const [ann, bob] = (await talkers(world(), 2)) as [Talker, Talker];
    const { conversationId: id } = await ann.write([bob.id], "0");
    const once = () =>
      ann.caller.call(conversations.send, { id, message: "1" }, { idempotencyKey: `key ${id}`.replace(" ", "-") });
    const codes = await tally(times(10, once));
    expect(Object.keys(codes).filter((code) => code !== "ok" && code !== "conflict")).toEqual([]);
    expect(codes.ok).toBeGreaterThan(0);
    expect((await once()).message).toBe("1");
    expect(await ann.texts(id)).toEqual(["1", "0"]);
  });

  it("conversations.create: two users who write to each other simultaneously get one direct conversation", async () => {
    for (let round = 0; round < 5; round++) {
      const [ann, bob] = (await talkers(world(), 2)) as [Talker, Talker];
      const made = await Promise.all([ann.write([bob.id], "a"), bob.write([ann.id], "b"), ann.write([bob.id], "c")]);
      expect(new Set(made.map((message) => message.conversationId)).size).toBe(1);
      expect((await ann.texts(made[0].conversationId)).sort()).toEqual(["a", "b", "c"]);
    }
  });

  it("conversations.create: simultaneous requests for the same group get one conversation", async () => {
    const people = await talkers(world(), 4);
    const made = await Promise.all(
      people.map((person) =>
        person.write(
          people.filter((other) => other !== person).map((other) => other.id),
          "Hello",
        ),
      ),
    );
    expect(new Set(made.map((message) => message.conversationId)).size).toBe(1);
  });

  it("conversations.send, messageDelete and seen: unread counts are right after simultaneous calls", async () => {
    const people = await talkers(world(), 5);
    const [first, ...others] = people as [Talker, ...Talker[]];
    const { conversationId: id } = await first.write(
      others.map((other) => other.id),
      "0",
    );
    await Promise.all(
      people.map(async (person, n) => {
        for (let round = 0; round < 6; round++) {
          const { id: messageId } = await person.send(id, `${round}`);
          if ((round + n) % 3 === 0) await person.caller.call(conversations.messageDelete, { id, messageId });
          if ((round + n) % 4 === 0) await person.caller.call(conversations.seen, { id });
          if ((round + n) % 5 === 0) await person.caller.call(conversations.delete, { id });
          if ((round + n) % 5 === 1) await person.caller.call(conversations.archive, { id });
        }
      }),
    );
    // The recount at the end of the suite is the expectation.
    expect(await codeOf(first.get(id))).toBe("ok");
  });

  it("conversations.seen: a message sent at the same moment is either seen or unread", async () => {
    const [ann, bob, cat] = (await talkers(world(), 3)) as [Talker, Talker, Talker];
    const { conversationId: id } = await ann.write([bob.id, cat.id], "0");
    let writing = true;
    const whileWriting = async (work: () => Promise<unknown>) => {
      while (writing) await work();
    };
    await Promise.all([
      (async () => {
        for (let round = 0; round < 40; round++) {
          const { id: messageId } = await ann.send(id, "next");
          if (round % 4 === 0) await ann.caller.call(conversations.messageDelete, { id, messageId });
        }
        writing = false;
      })(),
      whileWriting(() => bob.caller.call(conversations.seen, { id })),
      whileWriting(() => cat.caller.call(conversations.delete, { id })),
    ]);
    // The recount at the end of the suite is the expectation.
    expect((await bob.get(id)).unread_message_count).toBeLessThanOrEqual(40);
  });

  it("conversations.participantRemove: a participant who is removed while sending has sent before or is refused", async () => {
    for (let round = 0; round < 4; round++) {
      const [ann, bob, cat] = (await talkers(world(), 3)) as [Talker, Talker, Talker];
      const { conversationId: id } = await ann.write([bob.id, cat.id], "0");
      const [sent] = await Promise.all([
        codeOf(bob.send(id, "1")),
        ann.caller.call(conversations.participantRemove, { id, user: bob.id }),
      ]);
      expect(await ann.texts(id)).toEqual(sent === "ok" ? ["left", "1", "0"] : ["left", "0"]);
    }
  });

  it("conversations.participantRemove: when two administrators leave simultaneously, a participant becomes administrator", async () => {
    const [ann, bob, cat] = (await talkers(world(), 3)) as [Talker, Talker, Talker];
    const { conversationId: id } = await ann.write([bob.id, cat.id], "0");
    await ann.caller.call(conversations.participantUpdate, { id, user: bob.id, role: "administrator" });
    const leave = ({ caller, id: user }: Talker) => caller.call(conversations.participantRemove, { id, user });
    expect(await tally([leave(ann), leave(bob)])).toEqual({ ok: 2 });
    expect((await cat.get(id)).participants.map((each) => [each.id, each.role])).toEqual([[cat.id, "administrator"]]);
  });

  it("conversations.participantRemove: when an administrator leaves while the other is deactivated, a participant becomes administrator", async () => {
    for (const count of times(8, (n) => n)) {
      const [ann, bob, cat] = (await talkers(world(), 3)) as [Talker, Talker, Talker];
      const { conversationId: id } = await ann.write([bob.id, cat.id], `${count}`);
      await ann.caller.call(conversations.participantUpdate, { id, user: bob.id, role: "administrator" });
      const leave = ann.caller.call(conversations.participantRemove, { id, user: ann.id });
      const end = world().actors.administrator.call(users.deactivate, { id: bob.id });
      expect(await tally([leave, end])).toEqual({ ok: 2 });
      const roles = (await cat.get(id)).participants.map((each) => [each.id, each.role]);
      expect(roles).toContainEqual([cat.id, "administrator"]);
    }
  });
});
