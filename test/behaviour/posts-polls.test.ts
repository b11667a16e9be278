import { describe, expect, it } from "vitest";
import { posts } from "../../src/contract/posts.ts";
import { describeEverywhere } from "../support/instance.ts";
import { type NewPost, type Post, useNewsroom } from "../support/newsroom.ts";
import { codeOf, tally, wrongFields } from "../support/outcome.ts";

type PollFields = NonNullable<NewPost["poll"]>;

describeEverywhere("polls", (environment) => {
  const newsroom = useNewsroom(environment);
  const lunch = { question: "Lunch?", choices: [{ title: "Soup" }, { title: "Salad" }, { title: "Fish" }] };
  const write = async (poll: PollFields = {}) => (await newsroom().write({ poll: { ...lunch, ...poll } })) as Polled;
  type Polled = Post & { poll: NonNullable<Post["poll"]> };
  const change = (id: number, poll: PollFields | null) =>
    newsroom().actors.administrator.call(posts.update, { id, poll });
  const vote = (id: number, choices: number[], actor = newsroom().actors.member) =>
    actor.call(posts.vote, { id, choices });
  const read = async (id: number) => (await newsroom().actors.member.call(posts.get, { id })).poll!;
  const ids = ({ poll }: Polled) => poll.choices.map((choice) => choice.id) as [number, number, number];
  const votes = (poll: NonNullable<Post["poll"]>) => poll.choices.map((choice) => choice.votes);

  it("posts.get shows the poll; posts.vote returns it", async () => {
    const post = await write();
    const [soup, salad, fish] = ids(post);
    expect(post.poll).toEqual({
      id: post.poll.id,
      question: "Lunch?",
      type: "single",
      close_at: null,
      allow_user_choices: false,
      anonymous: false,
      mandatory: false,
      choices: [
        { id: soup, title: "Soup", votes: 0 },
        { id: salad, title: "Salad", votes: 0 },
        { id: fish, title: "Fish", votes: 0 },
      ],
      voted: [],
    });
    const answer = await vote(post.id, [salad]);
    expect(answer).toEqual(await read(post.id));
    expect([votes(answer), answer.voted]).toEqual([[0, 1, 0], [salad]]);
    const forOthers = (await newsroom().colleague.call(posts.get, { id: post.id })).poll!;
    expect([votes(forOthers), forOthers.voted]).toEqual([[0, 1, 0], []]);
  });

  it("posts.vote replaces the earlier vote; an empty one withdraws it", async () => {
    const post = await write();
    const [soup, salad] = ids(post);
    await vote(post.id, [salad]);
    await vote(post.id, [salad]);
    expect(votes(await vote(post.id, [soup]))).toEqual([1, 0, 0]);
    const { voted, choices } = await vote(post.id, []);
    expect([voted, choices.map((choice) => choice.votes)]).toEqual([[], [0, 0, 0]]);
  });

  it("posts.vote accepts one choice for single and several for multiple, and refuses choices of other polls", async () => {
    const [single, multiple] = [await write(), await write({ type: "multiple" })];
    expect(await wrongFields(vote(single.id, ids(single).slice(0, 2)))).toEqual(["choices"]);
    const alsoFor = (title: string) =>
      newsroom().actors.member.call(posts.vote, { id: single.id, choices: ids(single).slice(0, 1), title });
    expect(await wrongFields(alsoFor("Salad"))).toEqual(["choices"]);
    expect((await alsoFor("soup")).voted).toEqual(ids(single).slice(0, 1));
    const [soup, , fish] = ids(multiple);
    const { voted, choices } = await vote(multiple.id, [fish, soup, fish]);
    expect([voted, choices.map((choice) => choice.votes)]).toEqual([
      [soup, fish],
      [1, 0, 1],
    ]);
    expect(await wrongFields(vote(multiple.id, ids(single)))).toEqual(["choices"]);
  });

  it("posts.update refuses a choice that is given twice", async () => {
    const post = await write();
    const [soup] = ids(post);
    const choices = [
      { id: soup, title: "Soup" },
      { id: soup, title: "Stew" },
    ];
    expect(await wrongFields(change(post.id, { choices }))).toEqual(["poll.choices"]);
    const titled = (...titles: string[]) => change(post.id, { choices: titles.map((title) => ({ title })) });
    expect(await wrongFields(titled("Soup", " SOUP"))).toEqual(["poll.choices"]);
    expect(await codeOf(titled("\u0301", "\u0302")), "accents without letters").toBe("ok");
  });

  it("posts.vote is refused while the poll is closed", async () => {
    const { instance } = newsroom();
    const post = await write({ close_at: instance.now() + 10 });
    const [soup, salad] = ids(post);
    expect(await codeOf(vote(post.id, [soup]))).toBe("ok");
    instance.wait(10);
    expect(await codeOf(vote(post.id, [salad]))).toBe("conflict");
    expect(votes(await read(post.id))).toEqual([1, 0, 0]);
    await change(post.id, { close_at: null });
    expect(await codeOf(vote(post.id, [salad]))).toBe("ok");
  });

  it("posts.vote adds a choice where readers may, and finds existing ones by title", async () => {
    const { actors, colleague } = newsroom();
    const closed = await write();
    const add = (id: number, title: string, actor = actors.member) => actor.call(posts.vote, { id, title });
    expect(await wrongFields(add(closed.id, "Pizza"))).toEqual(["title"]);
    expect(votes(await add(closed.id, " soup"))).toEqual([1, 0, 0]);
    const open = await write({ allow_user_choices: true, choices: [] });
    await add(open.id, "Pizza");
    const { choices, voted } = await add(open.id, "PIZZA", colleague);
    expect(choices).toMatchObject([{ title: "Pizza", votes: 2 }]);
    expect(voted).toEqual([choices[0]!.id]);
    const both = { id: open.id, choices: [choices[0]!.id], title: "Pasta" };
    expect(await wrongFields(actors.member.call(posts.vote, both))).toEqual(["choices"]);
    await change(open.id, { type: "multiple" });
    expect(votes(await actors.member.call(posts.vote, both))).toEqual([2, 1]);
  });

  it("posts.create, update and vote allow 100 choices", async () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ title: `Choice ${at}` }));
    const post = await write({ allow_user_choices: true, choices: many });
    expect(post.poll.choices).toHaveLength(100);
    const more = { id: post.id, title: "One more" };
    expect(await codeOf(newsroom().actors.member.call(posts.vote, more))).toBe("conflict");
  });

  describe("update", () => {
    it("keeps the votes of choices with an ID, adds others, removes omitted ones, and keeps the order of the list", async () => {
      const post = await write();
      const [soup, salad, fish] = ids(post);
      await vote(post.id, [fish]);
      await change(post.id, {
        question: "Dinner?",
        choices: [{ id: fish, title: "Fish" }, { title: "Stew" }, { id: soup, title: "Broth" }],
      });
      const { question, choices, voted } = await read(post.id);
      const [, stew] = choices;
      expect(question).toBe("Dinner?");
      expect(choices).toEqual([
        { id: fish, title: "Fish", votes: 1 },
        { id: stew!.id, title: "Stew", votes: 0 },
        { id: soup, title: "Broth", votes: 0 },
      ]);
      expect([voted, choices.some((choice) => choice.id === salad)]).toEqual([[fish], false]);
    });

    it("saves one changed title", async () => {
      const post = await write();
      const [soup, salad, fish] = ids(post);
      await vote(post.id, [soup]);
      const choices = [
        { id: soup, title: "Soup" },
        { id: salad, title: "Green salad" },
        { id: fish, title: "Fish" },
      ];
      await change(post.id, { choices });
      expect((await read(post.id)).choices.map((choice) => choice.title)).toEqual(["Soup", "Green salad", "Fish"]);
    });

    it("refuses to remove choices and polls with votes", async () => {
      const post = await write();
      const [soup, salad, fish] = ids(post);
      await vote(post.id, [soup]);
      const others = [salad, fish].map((id) => ({ id, title: `Renamed ${id}` }));
      expect(await codeOf(change(post.id, { choices: others }))).toBe("conflict");
      const swapped = [
        { id: soup, title: "Salad" },
        { id: salad, title: "Soup" },
      ];
      expect(await codeOf(change(post.id, { choices: swapped }))).toBe("conflict");
      expect(await codeOf(change(post.id, null))).toBe("conflict");
      expect((await read(post.id)).choices.map((choice) => choice.title)).toEqual(["Soup", "Salad", "Fish"]);
      await vote(post.id, []);
      expect(await codeOf(change(post.id, { choices: others }))).toBe("ok");
      expect(await codeOf(change(post.id, null))).toBe("ok");
      expect((await newsroom().actors.member.call(posts.get, { id: post.id })).poll).toBeNull();
    });

    it("changes multiple to single only while nobody voted for more than one choice", async () => {
      const post = await write({ type: "multiple" });
      const [soup, salad] = ids(post);
      await vote(post.id, [soup, salad]);
      expect(await codeOf(change(post.id, { type: "single" }))).toBe("conflict");
      await vote(post.id, [salad]);
      expect(await codeOf(change(post.id, { type: "single" }))).toBe("ok");
    });

    it("creates a poll, and refuses choices of an unknown poll", async () => {
      const { id } = await newsroom().write();
      expect(await wrongFields(change(id, { choices: lunch.choices }))).toEqual(["poll.question"]);
      await change(id, lunch);
      expect(await read(id)).toMatchObject({ question: "Lunch?", type: "single" });
      expect(await wrongFields(change(id, { choices: [{ id: 987654, title: "A" }, { title: "B" }] }))).toEqual([
        "poll.choices",
      ]);
    });
  });

  describe("votes", () => {
    const who = (id: number) => newsroom().actors.manager.call(posts.votes, { id, limit: 1 });

    it("lists who voted for what, in pages", async () => {
      const { actors, colleague, ids: people } = newsroom();
      const post = await write({ type: "multiple" });
      const [soup, salad, fish] = ids(post);
      await vote(post.id, [fish, soup]);
      await vote(post.id, [salad], colleague);
      const other = await write();
      await vote(other.id, ids(other).slice(0, 1), actors.manager);
      const first = await who(post.id);
      const next = { id: post.id, limit: 1, cursor: first.meta.next_cursor! };
      const second = await actors.manager.call(posts.votes, next);
      const titleOf = (choice: number | undefined) => post.poll!.choices.find(({ id }) => id === choice)!.title;
      const found = [...first.data, ...second.data].map(({ user, choices, titles }) => [user.id, choices, titles]);
      expect(found).toEqual([
        [people.member, [soup, fish], [titleOf(soup), titleOf(fish)]],
        [people.colleague, [salad], [titleOf(salad)]],
      ]);
      expect(second.meta.next_cursor).toBeNull();
    });

    it("is refused for an anonymous poll, which stays anonymous once it has votes", async () => {
      const post = await write({ anonymous: true });
      await vote(post.id, ids(post).slice(0, 1));
      expect(await codeOf(who(post.id))).toBe("forbidden");
      expect(await codeOf(newsroom().actors.administrator.call(posts.votes, { id: post.id }))).toBe("forbidden");
      expect(await codeOf(change(post.id, { anonymous: false }))).toBe("conflict");
      await vote(post.id, []);
      expect(await codeOf(change(post.id, { anonymous: false }))).toBe("ok");
    });
  });

  it("posts.vote accepts an empty vote in a mandatory poll from a reader who has not voted", async () => {
    const post = await write({ mandatory: true });
    expect(await vote(post.id, [])).toMatchObject({ voted: [] });
    await vote(post.id, [ids(post)[0]]);
    expect(await codeOf(vote(post.id, []))).toBe("conflict");
    expect((await read(post.id)).voted).toEqual([ids(post)[0]]);
  });

  it("posts.read needs a vote in a mandatory poll, whose votes cannot be withdrawn", async () => {
    const { actors, instance } = newsroom();
    const post = await write({ mandatory: true, close_at: instance.now() + 100 });
    const [soup, salad] = ids(post);
    const confirms = (actor = actors.member) => codeOf(actor.call(posts.read, { id: post.id }));
    expect(await confirms()).toBe("conflict");
    await vote(post.id, [soup]);
    expect(await codeOf(vote(post.id, []))).toBe("conflict");
    expect(await codeOf(vote(post.id, [salad]))).toBe("ok");
    expect(await confirms()).toBe("ok");
    instance.wait(100);
    expect(await confirms(actors.manager)).toBe("ok");
  });

  it("posts.vote counts simultaneous and changed votes", async () => {
    const { addUser, instance } = newsroom();
    const post = await write();
    const [soup, salad] = ids(post);
    const voters = [];
    for (let count = 0; count < 6; count += 1) voters.push(await instance.as((await addUser()).id));
    const calls = voters.flatMap((voter) => [vote(post.id, [soup], voter), vote(post.id, [salad], voter)]);
    expect(await tally(calls)).toEqual({ ok: 12 });
    expect(votes(await read(post.id)).reduce((sum, count) => sum + count)).toBe(6);
  });
});
