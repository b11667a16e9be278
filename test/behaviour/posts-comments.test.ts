import { describe, expect, it } from "vitest";
import { posts } from "../../src/contract/posts.ts";
import { users } from "../../src/contract/users.ts";
import { describeEverywhere } from "../support/instance.ts";
import { useNewsroom } from "../support/newsroom.ts";
import { codeOf, tally, wrongFields } from "../support/outcome.ts";

describeEverywhere("comments", (environment) => {
  const newsroom = useNewsroom(environment);
  const post = async () => (await newsroom().write()).id;
  const add = (id: number, body: string, parent_id?: number) =>
    newsroom().actors.member.call(posts.commentAdd, { id, body, ...(parent_id !== undefined && { parent_id }) });
  const list = async (id: number, more: object = {}) =>
    (await newsroom().actors.administrator.call(posts.commentList, { id, ...more })).data;
  const read = (id: number) => newsroom().actors.member.call(posts.get, { id });
  const remove = (id: number, comment: number) =>
    newsroom().actors.administrator.call(posts.commentDelete, { id, comment });

  it("posts.commentAdd returns the comment; posts.commentList returns comments in their order", async () => {
    const { instance, ids } = newsroom();
    const id = await post();
    const first = await add(id, "First");
    expect(first).toEqual({
      id: first.id,
      parent_id: null,
      body: "First",
      deleted: false,
      author: expect.objectContaining({ content_type: "user", id: ids.member }),
      mentions: [],
      replies: 0,
      created_at: instance.now(),
      permissions: { delete: true },
    });
    const second = await add(id, "Second");
    expect((await list(id)).map((comment) => comment.id)).toEqual([first.id, second.id]);
    const { comments, stats } = await read(id);
    expect([comments, stats.comments]).toEqual([{ enabled: true, count: 2, replies: 0, latest: second }, 2]);
  });

  it("the latest comment of a post may be deleted by those who may delete it in the list", async () => {
    const { instance, ids, actors } = newsroom();
    const { administrator, member } = actors;
    const colleague = await instance.as(ids.colleague);
    const id = await post();
    await add(id, "Latest");
    const permissions = async (caller: typeof member) => {
      const { latest } = (await caller.call(posts.get, { id })).comments;
      const [listed] = (await caller.call(posts.commentList, { id })).data;
      expect(latest).toEqual(listed);
      return latest?.permissions.delete;
    };
    const each = [administrator, member, colleague].map((caller) => permissions(caller));
    expect(await Promise.all(each)).toEqual([true, true, false]);
  });

  it("posts.commentAdd: a reply to a reply belongs to the same comment", async () => {
    const id = await post();
    const top = await add(id, "Top");
    const other = await add(id, "Other");
    const reply = await add(id, "Reply", top.id);
    const beside = await add(id, "Beside", reply.id);
    expect([reply.parent_id, beside.parent_id]).toEqual([top.id, top.id]);
    expect((await list(id, { parent_id: top.id })).map((comment) => comment.body)).toEqual(["Reply", "Beside"]);
    expect((await list(id)).map(({ body, replies }) => [body, replies])).toEqual([
      ["Top", 2],
      ["Other", 0],
      ["Reply", 0],
      ["Beside", 0],
    ]);
    expect((await read(id)).comments).toMatchObject({ count: 2, replies: 2, latest: { id: beside.id } });
    const elsewhere = await post();
    expect(await wrongFields(add(elsewhere, "Astray", other.id))).toEqual(["parent_id"]);
    expect(await wrongFields(list(elsewhere, { parent_id: other.id }))).toEqual(["parent_id"]);
  });

  it("posts.commentDelete removes a comment; one with replies stays without its text until they are deleted", async () => {
    const { actors, colleague, ids } = newsroom();
    const id = await post();
    const top = await actors.member.call(posts.commentAdd, { id, body: "Top", mentions: [ids.colleague] });
    const isMentioned = async () => (await colleague.call(posts.get, { id })).has_unseen_mention;
    expect(await isMentioned()).toBe(true);
    const reply = await add(id, "Reply", top.id);
    const last = await add(id, "Last");
    await remove(id, top.id);
    expect((await list(id))[0]).toMatchObject({
      id: top.id,
      body: "",
      deleted: true,
      mentions: [],
      replies: 1,
      permissions: { delete: false },
    });
    expect(await isMentioned()).toBe(false);
    expect((await read(id)).comments).toMatchObject({ count: 1, replies: 1, latest: { id: last.id } });
    expect([await codeOf(remove(id, top.id)), await codeOf(add(id, "Late", top.id))]).toEqual(["gone", "gone"]);
    expect(await codeOf(add(id, "Late", reply.id)), "a reply to a reply of a deleted comment").toBe("gone");
    await remove(id, last.id);
    expect((await read(id)).comments).toMatchObject({ count: 0, replies: 1, latest: { id: reply.id } });
    await remove(id, reply.id);
    expect(await list(id)).toEqual([]);
    expect((await read(id)).comments).toMatchObject({ count: 0, replies: 0, latest: null });
  });

  it("posts.commentDelete is for the author and for those who may edit the post", async () => {
    const { actors, editor, colleague, units, write } = newsroom();
    const { id } = await write({ unit: units.north });
    const asks = async (actor: typeof editor) => {
      const { id: comment } = await add(id, "Comment");
      return codeOf(actor.call(posts.commentDelete, { id, comment }));
    };
    expect(await Promise.all([actors.member, colleague, editor, actors.administrator].map(asks))).toEqual([
      "ok",
      "forbidden",
      "ok",
      "ok",
    ]);
    const comments = await colleague.call(posts.commentList, { id });
    expect(comments.data.map((comment) => comment.permissions.delete)).toEqual([false]);
  });

  it("posts.commentAdd is refused where comments are disabled; existing comments can be read", async () => {
    const { actors } = newsroom();
    const id = await post();
    await add(id, "Before");
    await actors.administrator.call(posts.update, { id, comments: { enabled: false } });
    expect(await codeOf(add(id, "After"))).toBe("conflict");
    expect(await list(id)).toHaveLength(1);
  });

  it("users.delete keeps the user's comments without the author's name", async () => {
    const { actors, addUser, instance } = newsroom();
    const id = await post();
    const { id: author } = await addUser();
    await (await instance.as(author)).call(posts.commentAdd, { id, body: "Bye" });
    await actors.administrator.call(users.delete, { id: author });
    expect((await list(id))[0]!.author).toMatchObject({ id: author, name: "Deleted user" });
    expect((await read(id)).comments.latest!.author).toMatchObject({ name: "Deleted user" });
  });

  it("posts.commentList pages in both directions while comments are added and deleted", async () => {
    const { actors } = newsroom();
    const id = await post();
    const made = [];
    for (const body of ["1", "2", "3", "4", "5"]) made.push(await add(id, body));
    const page = (cursor?: string | null) =>
      actors.member.call(posts.commentList, { id, limit: 2, ...(cursor && { cursor }) });
    const first = await page();
    await remove(id, made[1]!.id);
    await add(id, "6");
    const second = await page(first.meta.next_cursor);
    const third = await page(second.meta.next_cursor);
    const bodies = (part: typeof first) => part.data.map((comment) => comment.body);
    expect([bodies(first), bodies(second), bodies(third)]).toEqual([
      ["1", "2"],
      ["3", "4"],
      ["5", "6"],
    ]);
    expect([first.meta.prev_cursor, third.meta.next_cursor]).toEqual([null, null]);
    expect(bodies(await page(third.meta.prev_cursor))).toEqual(["3", "4"]);
    const another = await post();
    const foreign = actors.member.call(posts.commentList, { id: another, cursor: first.meta.next_cursor! });
    expect(await wrongFields(foreign)).toEqual(["cursor"]);
  });

  describe("bad input", () => {
    it.each([
      ["a blank text", { body: " \n" }, "body"],
      ["no text", { body: undefined }, "body"],
      ["a text of 10,001 characters", { body: "x".repeat(10_001) }, "body"],
      ["an unknown parent", { parent_id: 987654 }, "parent_id"],
      ["a mention of nobody", { mentions: [987654] }, "mentions"],
      ["an unknown field", { title: "x" }, "title"],
    ])("%s", async (_, fields, wrong) => {
      const comment = { id: await post(), body: "Comment", ...fields } as never;
      expect(await wrongFields(newsroom().actors.member.call(posts.commentAdd, comment))).toEqual([wrong]);
    });
  });

  it("posts.commentAdd counts 20 simultaneous comments", async () => {
    const id = await post();
    const calls = Array.from({ length: 20 }, (_, at) => add(id, `Comment ${at}`));
    expect(await tally(calls)).toEqual({ ok: 20 });
    expect(await list(id)).toHaveLength(20);
    expect((await read(id)).comments.count).toBe(20);
  });
});
