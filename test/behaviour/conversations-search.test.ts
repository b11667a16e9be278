import { expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { useWorld } from "../support/actors.ts";
import { type Talker, talkers, textsOf } from "../support/conversations.ts";
import { describeEverywhere } from "../support/instance.ts";

describeEverywhere("searching messages", (environment) => {
  const world = useWorld(environment);
  const pair = async (...texts: string[]) => {
    const [ann, bob] = (await talkers(world(), 2)) as [Talker, Talker];
    const { conversationId: id } = await ann.write([bob.id], texts[0] ?? "Nothing");
    for (const text of texts.slice(1)) await ann.send(id, text);
    return { ann, bob, id, find: (query: string) => bob.texts(id, { query }) };
  };

  it("conversations.messages finds all words in any order, and the beginning of the last one", async () => {
    const { find } = await pair("The crane is broken", "A broken crate", "Cranes everywhere");
    expect(await find("broken")).toEqual(["A broken crate", "The crane is broken"]);
    expect(await find("broken cra")).toEqual(["A broken crate", "The crane is broken"]);
    expect(await find("cra broken")).toEqual([]);
    expect(await find("crane broken")).toEqual(["The crane is broken"]);
    expect(await find("crane")).toEqual(["Cranes everywhere", "The crane is broken"]);
    expect(await find("rane")).toEqual([]);
    expect(await find("broken crane broken")).toEqual(["The crane is broken"]);
    expect(await find("bro crane bro")).toEqual([]);
  });

  it("conversations.messages ignores case, accents and the form of Unicode", async () => {
    const { find } = await pair("Søndag på CAFÉ Ærø", "Straße nach İzmir");
    for (const query of ["sondag", "SØNDAG", "café", "cafe\u0301", "aero", "ærø"])
      expect(await find(query)).toHaveLength(1);
    for (const query of ["strasse", "STRASSE", "izmir"]) expect(await find(query)).toEqual(["Straße nach İzmir"]);
  });

  it("conversations.messages finds messages that are far apart, in both directions", async () => {
    const { ann, bob, id, find } = await pair("Crane first");
    const { database } = world().instance;
    /** Messages without words, up to that position. */
    const fillTo = async (last_position: number) => {
      await database.write(async (tx) => {
        const talk = tx.selectFrom("conversations").select("last_position").where("id", "=", id);
        const { last_position: before } = await talk.executeTakeFirstOrThrow();
        const common = { conversation_id: id, type: "normal", author_id: bob.id, message: "...", created_at: 1 };
        const rows = Array.from({ length: last_position - before }, (_, at) => ({
          ...common,
          position: before + at + 1,
        }));
        await insertRows(tx, "messages", rows);
        await tx.updateTable("conversations").set({ last_position }).where("id", "=", id).execute();
        const seen = tx.updateTable("conversation_participants").set({ seen_position: last_position, unread_count: 0 });
        await seen.where("conversation_id", "=", id).execute();
      });
    };
    await fillTo(4094);
    for (const text of ["Crane before", "Crane behind", "Other"]) await ann.send(id, text);
    await fillTo(20_000);
    await ann.send(id, "Crane last");
    const all = ["Crane last", "Crane behind", "Crane before", "Crane first"];
    expect(await find("crane")).toEqual(all);
    expect(await find("crane be")).toEqual(["Crane behind", "Crane before"]);
    expect(await find("last crane")).toEqual(["Crane last"]);
    expect(await find("missing crane")).toEqual([]);
    const page = (cursor?: string) =>
      bob.caller.call(conversations.messages, { id, query: "crane", limit: 1, ...(cursor && { cursor }) });
    const seen = [];
    let { data, meta } = await page();
    for (; ; { data, meta } = await page(meta.next_cursor!)) {
      seen.push(...textsOf(data));
      if (meta.next_cursor === null) break;
    }
    for (; meta.prev_cursor !== null; ) {
      ({ data, meta } = await page(meta.prev_cursor));
      seen.push(...textsOf(data));
    }
    expect(seen).toEqual([...all, ...all.toReversed().slice(1)]);
  });

  it("conversations.messages finds words of any script", async () => {
    const texts = {
      Japanese: ["明日は東京タワーに行きます", "東京"],
      Chinese: ["我们明天去北京开会", "北京"],
      Thai: ["พรุ่งนี้ประชุมที่กรุงเทพ", "ประชุม"],
      Arabic: ["الاجتماع غدًا في القاهرة", "غدا"],
      Korean: ["내일 회의가 있습니다", "회의가"],
      Russian: ["Завтра совещание", "СОВЕЩ"],
      Greek: ["Αύριο συνάντηση στους δρόμους", "δρομουσ"],
      Hindi: ["कल बैठक है", "बैठक"],
      halfwidth: ["ﾀﾜｰの上", "タワー"],
      mathematical: ["𝐁𝐨𝐥𝐝 claims", "bold"],
      Adlam: ["𞤀𞤣𞤤𞤢𞤥 word", "𞤢𞤣𞤤"],
    };
    const { find } = await pair(...Object.values(texts).map(([text]) => text!));
    for (const [script, [text, query]] of Object.entries(texts)) {
      expect([script, await find(query!)]).toEqual([script, [text]]);
    }
  });

  it("conversations.messages treats search operators as words, and ignores punctuation", async () => {
    const { find } = await pair("this AND that or NEAR them", 'say "hello" to c* and c:\\temp');
    expect(await find("and")).toHaveLength(2);
    expect(await find("that AND this")).toEqual(["this AND that or NEAR them"]);
    expect(await find("this NOT that")).toEqual([]);
    expect(await find("that OR missing")).toEqual([]);
    expect(await find("NEAR(this them)")).toEqual(["this AND that or NEAR them"]);
    expect(await find('"hello')).toEqual(['say "hello" to c* and c:\\temp']);
    expect(await find("words:hello")).toEqual([]);
    for (const query of ["*", '"', "'", "!!!", "^", "-hello )(", "& | !", "\\", ":*", "a:*b"]) {
      expect(Array.isArray(await find(query))).toBe(true);
    }
    expect(await find("!!!")).toEqual([]);
    expect(await find("-hello )(")).toHaveLength(1);
  });

  it("conversations.messages finds long words and numbers", async () => {
    const { find } = await pair(`${"x".repeat(3000)} 3.14`, `${"語".repeat(2000)}`, "2024-05-17 at 10:30");
    expect(await find("x".repeat(100))).toHaveLength(1);
    expect(await find(`${"x".repeat(64)}y`)).toHaveLength(1);
    expect(await find(`${"x".repeat(63)}y`)).toEqual([]);
    expect(await find("3.1")).toHaveLength(1);
    expect(await find("2024-05")).toEqual(["2024-05-17 at 10:30"]);
  });

  it("conversations.messages finds only normal messages of the conversation", async () => {
    const { ann, bob, find } = await pair("joined the wedding");
    await ann.write([bob.id, (await talkers(world(), 1))[0]!.id], "joined elsewhere");
    expect(await find("joined")).toEqual(["joined the wedding"]);
  });

  it("conversations.messages never finds service messages", async () => {
    const [ann, bob, cat] = (await talkers(world(), 3)) as [Talker, Talker, Talker];
    const { conversationId: id } = await ann.write([bob.id, cat.id], "first");
    await ann.caller.call(conversations.update, { id, title: "renamed" });
    expect(await ann.texts(id, { query: "renamed" })).toEqual([]);
  });

  it("conversations.messages finds changed messages by their current words, and no deleted ones", async () => {
    const { ann, id, find } = await pair("alpha", "alpha beta");
    const [second, first] = (await ann.caller.call(conversations.messages, { id })).data;
    await ann.caller.call(conversations.messageUpdate, { id, messageId: first!.id, message: "gamma beta" });
    expect([await find("alpha"), await find("beta")]).toEqual([["alpha beta"], ["alpha beta", "gamma beta"]]);
    await ann.caller.call(conversations.messageDelete, { id, messageId: second!.id });
    expect([await find("alpha"), await find("beta")]).toEqual([[], ["gamma beta"]]);
    await ann.caller.call(conversations.messageUpdate, { id, messageId: first!.id, message: "..." });
    expect(await find("beta")).toEqual([]);
    await ann.caller.call(conversations.messageUpdate, { id, messageId: first!.id, message: "beta" });
    expect(await find("beta")).toEqual(["beta"]);
  });

  it("conversations.messages lists matches newest first, in both directions", async () => {
    const { ann, id } = await pair("hit 1", "miss", "hit 2", "hit 3", "miss", "hit 4", "hit 5");
    const ask = (input: object) => ann.caller.call(conversations.messages, { id, query: "hit", limit: 2, ...input });
    const one = await ask({});
    const two = await ask({ cursor: one.meta.next_cursor });
    const three = await ask({ cursor: two.meta.next_cursor });
    expect([one, two, three].map(({ data }) => textsOf(data))).toEqual([
      ["hit 5", "hit 4"],
      ["hit 3", "hit 2"],
      ["hit 1"],
    ]);
    expect(three.meta.next_cursor).toBe(null);
    await ann.send(id, "hit 6");
    const back = await ask({ cursor: three.meta.prev_cursor });
    expect(textsOf(back.data)).toEqual(["hit 3", "hit 2"]);
    expect(textsOf((await ask({ cursor: back.meta.prev_cursor })).data)).toEqual(["hit 5", "hit 4"]);
    const last = await ask({ cursor: (await ask({ cursor: back.meta.prev_cursor })).meta.prev_cursor });
    expect([textsOf(last.data), last.meta.prev_cursor]).toEqual([["hit 6"], null]);
  });
});
