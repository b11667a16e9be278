import { describe, expect, it } from "vitest";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { type NewPost, useNewsroom } from "../support/newsroom.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";

describeOnOneDatabase("publishing posts", (environment) => {
  const newsroom = useNewsroom(environment);
  const now = () => newsroom().instance.now();
  const draftOf = async (publish: NewPost["publish"]) => (await newsroom().write({ publish })).id;
  const change = (id: number, publish: NonNullable<NewPost["publish"]>) =>
    newsroom().actors.administrator.call(posts.update, { id, publish });
  /** The status of a post for the administrator and for a reader. */
  const stand = async (id: number) => {
    const { actors } = newsroom();
    const { publish } = await actors.administrator.call(posts.get, { id });
    const code = await codeOf(actors.member.call(posts.get, { id }));
    const { data } = await actors.member.call(posts.list, {});
    expect(data.some((post) => post.id === id)).toBe(code === "ok");
    expect(publish.status).toBe(code === "ok");
    return publish;
  };
  const listed = async (status: "published" | "draft" | "scheduled" | "unpublished", id: number) =>
    (await newsroom().actors.administrator.call(posts.list, { status, limit: 500 })).data.some(
      (post) => post.id === id,
    );

  it("posts.create: a draft is for those who may edit it, until its status is true", async () => {
    const { editor } = newsroom();
    const id = await draftOf({ status: false });
    expect(await stand(id)).toMatchObject({ status: false, published_at: null });
    expect(await codeOf(editor.call(posts.get, { id }))).toBe("not_found");
    newsroom().instance.wait(60);
    await change(id, { status: true });
    expect(await stand(id)).toMatchObject({ status: true, published_at: now(), publish_on: null });
  });

  it("publish_on in the future publishes the post then, whatever the status", async () => {
    for (const status of [undefined, true, false]) {
      const on = now() + 100;
      const id = await draftOf({ ...(status !== undefined && { status }), publish_on: on });
      expect(await stand(id)).toMatchObject({ status: false, publish_on: on, published_at: null });
      expect(await listed("scheduled", id)).toBe(true);
      newsroom().instance.wait(99);
      expect(await stand(id)).toMatchObject({ status: false });
      newsroom().instance.wait(1);
      expect(await stand(id)).toMatchObject({ status: true, publish_on: on, published_at: on });
      expect(await listed("scheduled", id)).toBe(false);
    }
  });

  it("unpublish_on hides the post then, and a later one shows it again", async () => {
    const id = await draftOf({ unpublish_on: now() + 50 });
    const { published_at } = await stand(id);
    newsroom().instance.wait(49);
    expect(await stand(id)).toMatchObject({ status: true });
    newsroom().instance.wait(1);
    expect(await stand(id)).toMatchObject({ status: false, published_at });
    expect([await listed("unpublished", id), await listed("draft", id)]).toEqual([true, false]);
    await change(id, { unpublish_on: null });
    expect(await stand(id)).toMatchObject({ status: true, unpublish_on: null, published_at });
  });

  it("status true clears an unpublish_on that is now; a new one must be later", async () => {
    const over = await draftOf({ unpublish_on: now() + 10 });
    newsroom().instance.wait(10);
    await change(over, { status: true });
    expect(await stand(over)).toMatchObject({ status: true, unpublish_on: null, published_at: now() });
    expect(await wrongFields(draftOf({ unpublish_on: now() }))).toEqual(["publish.unpublish_on"]);
    const brief = await draftOf({ unpublish_on: now() + 1 });
    expect(await stand(brief)).toMatchObject({ status: true });
  });

  it("posts.list has the drafts of all units of an editor, also with branches of more than 500 together", async () => {
    const { addUnit, addUser, types, instance, write } = newsroom();
    const branches = [];
    for (const letter of ["a", "b"]) branches.push(await addUnit({ reference: letter }));
    const [a, b] = branches as [(typeof branches)[0], (typeof branches)[0]];
    const rows = branches.flatMap(({ reference: parent }) =>
      Array.from({ length: 260 }, (_, at) => ({ reference: `${parent}${at}`, name: `${parent} ${at}`, parent })),
    );
    const { results } = await newsroom().actors.administrator.call(units.import, { rows });
    const { id: user } = await addUser({ unit: a.id, userTypes: [types.editor] });
    await newsroom().actors.administrator.call(users.membershipAdd, { user, unit: b.id, userTypes: [types.editor] });
    const drafts: number[] = [];
    for (const unit of [a.id, b.id, results[259]!.id!, results[519]!.id!])
      drafts.unshift((await write({ unit, visibility: { units: [unit] }, publish: { status: false } })).id);
    const { data } = await (await instance.as(user)).call(posts.list, { status: "draft" });
    expect(data.map(({ id }) => id)).toEqual(drafts);
  });

  it("status true publishes a scheduled or unpublished post immediately", async () => {
    const scheduled = await draftOf({ publish_on: now() + 1000 });
    await change(scheduled, { status: true });
    expect(await stand(scheduled)).toMatchObject({ status: true, publish_on: null, published_at: now() });
    const over = await draftOf({ unpublish_on: now() + 10 });
    newsroom().instance.wait(20);
    await change(over, { status: true });
    expect(await stand(over)).toMatchObject({ status: true, unpublish_on: null, published_at: now() });
  });

  it("status false makes a published post a draft, and keeps its first time", async () => {
    const id = await draftOf({});
    const { published_at } = await stand(id);
    newsroom().instance.wait(10);
    await change(id, { status: false });
    expect(await stand(id)).toMatchObject({ status: false, published_at, publish_on: null });
    expect([await listed("draft", id), await listed("published", id)]).toEqual([true, false]);
  });

  it("status false makes a scheduled post a draft for good", async () => {
    const id = await draftOf({ publish_on: now() + 100 });
    await change(id, { status: false });
    expect(await stand(id)).toMatchObject({ status: false, publish_on: null, published_at: null });
    newsroom().instance.wait(200);
    expect(await stand(id)).toMatchObject({ status: false });
    expect([await listed("draft", id), await listed("scheduled", id)]).toEqual([true, false]);
  });

  it("status false never publishes an unpublished post, also with another unpublish_on", async () => {
    const changes: readonly NonNullable<NewPost["publish"]>[][] = [
      [{ status: false, unpublish_on: null }],
      [{ status: false, unpublish_on: now() + 1000 }],
      [{ status: false }, { unpublish_on: null }],
    ];
    for (const steps of changes) {
      const id = await draftOf({ unpublish_on: now() + 10 });
      const { published_at } = await stand(id);
      newsroom().instance.wait(20);
      for (const step of steps) await change(id, step);
      expect(await stand(id)).toMatchObject({ status: false, published_at });
      expect([await listed("draft", id), await listed("unpublished", id)]).toEqual([true, false]);
    }
  });

  it("the current status changes nothing", async () => {
    const draft = await draftOf({ status: false });
    const published = await draftOf({});
    const before = [await stand(draft), await stand(published)];
    newsroom().instance.wait(5);
    await change(draft, { status: false });
    await change(published, { status: true });
    expect([await stand(draft), await stand(published)]).toEqual(before);
  });

  it("a new schedule replaces the earlier publication", async () => {
    const id = await draftOf({});
    await change(id, { publish_on: now() + 100 });
    expect(await stand(id)).toMatchObject({ status: false, published_at: null });
    await change(id, { publish_on: null });
    expect(await stand(id)).toMatchObject({ status: false, published_at: null, publish_on: null });
  });

  it("clearing the schedule makes the post a draft", async () => {
    const id = await draftOf({ publish_on: now() + 100 });
    await change(id, { publish_on: null });
    newsroom().instance.wait(200);
    expect(await stand(id)).toMatchObject({ status: false, publish_on: null });
    expect(await listed("draft", id)).toBe(true);
  });

  it("publish_on in the past sets an earlier time, also after it is cleared", async () => {
    const id = await draftOf({ publish_on: now() - 5000 });
    expect(await stand(id)).toMatchObject({ status: true, published_at: now() - 5000, publish_on: now() - 5000 });
    await change(id, { publish_on: null });
    expect(await stand(id)).toMatchObject({ status: true, published_at: now() - 5000, publish_on: null });
  });

  it("publish_on may be before 1970", async () => {
    const { actors, ids } = newsroom();
    const on = Date.parse("1969-07-20T20:17:00Z") / 1000;
    const id = await draftOf({ publish_on: on });
    expect(await stand(id)).toMatchObject({ status: true, published_at: on });
    const listedBy = async (filter: object) =>
      (await actors.administrator.call(posts.list, { limit: 500, ...filter })).data.some((post) => post.id === id);
    for (const filter of [
      { status: "published" },
      { author: ids.administrator },
      { show_in_feed: true },
      { since: on },
    ])
      expect(await listedBy(filter), JSON.stringify(filter)).toBe(true);
    expect(await listedBy({ since: on + 1 })).toBe(false);
    let last = await actors.administrator.call(posts.list, { limit: 2 });
    while (last.meta.next_cursor) {
      last = await actors.administrator.call(posts.list, { limit: 2, cursor: last.meta.next_cursor });
    }
    expect(last.data.at(-1)?.id).toBe(id);
    await change(id, { unpublish_on: on + 60 });
    expect([await listed("published", id), await listed("unpublished", id)]).toEqual([false, true]);
    expect(await listed("draft", id)).toBe(false);
  });

  it("unpublish_on must be after the publication, also a stored one", async () => {
    const id = await draftOf({ publish_on: now() + 100, unpublish_on: now() + 200 });
    expect(await wrongFields(change(id, { unpublish_on: now() + 100 }))).toEqual(["publish.unpublish_on"]);
    expect(await wrongFields(change(id, { publish_on: now() + 200 }))).toEqual(["publish.publish_on"]);
    expect(await codeOf(change(id, { publish_on: now() + 300, unpublish_on: now() + 301 }))).toBe("ok");
    expect(await wrongFields(newsroom().write({ publish: { unpublish_on: now() } }))).toEqual(["publish.unpublish_on"]);
  });

  it("a pin ends at its time", async () => {
    const { actors, write } = newsroom();
    const { id } = await write({ pinned: { show_in_main_feed: true, until: now() + 10 } });
    const pinned = async () => (await actors.member.call(posts.get, { id })).pinned;
    const among = async () =>
      (await actors.member.call(posts.list, { pinned: true })).data.some((post) => post.id === id);
    expect([await pinned(), await among()]).toEqual([{ show_in_main_feed: true, until: now() + 10 }, true]);
    newsroom().instance.wait(10);
    expect([await pinned(), await among()]).toEqual([null, false]);
    await actors.administrator.call(posts.update, { id, pinned: {} });
    expect([await pinned(), await among()]).toEqual([{ show_in_main_feed: false, until: null }, true]);
  });

  describe("republish", () => {
    it("makes the post the newest, seen by the actor only, and keeps confirmations and likes", async () => {
      const { actors, write, ids } = newsroom();
      const { id } = await write({ mentions: [ids.member, ids.administrator] });
      await actors.administrator.call(posts.seen, { id });
      await actors.member.call(posts.read, { id });
      await actors.member.call(posts.like, { id });
      newsroom().instance.wait(10);
      await write();
      newsroom().instance.wait(10);
      await actors.administrator.call(posts.republish, { id });
      const { data } = await actors.member.call(posts.list, {});
      expect(data[0]).toMatchObject({
        id,
        seen_by_user: false,
        has_unseen_mention: true,
        interaction: { seen: false, read: true, liked: true },
        publish: { status: true, published_at: now() },
      });
      const own = await actors.administrator.call(posts.get, { id });
      expect(own).toMatchObject({ seen_by_user: true, has_unseen_mention: false });
    });

    it("publishes drafts, scheduled and unpublished posts", async () => {
      const { actors } = newsroom();
      const over = await draftOf({ unpublish_on: now() + 1 });
      newsroom().instance.wait(2);
      for (const id of [await draftOf({ status: false }), await draftOf({ publish_on: now() + 100 }), over]) {
        await actors.administrator.call(posts.republish, { id });
        expect(await stand(id)).toMatchObject({
          status: true,
          published_at: now(),
          publish_on: null,
          unpublish_on: null,
        });
      }
    });
  });

  it("posts.get shows a post once its time has come, without a change of the data", async () => {
    const { actors, write } = newsroom();
    const { id } = await write({ publish: { unpublish_on: now() + 30 } });
    const asks = () => codeOf(actors.member.call(posts.get, { id }));
    expect([await asks(), await asks()]).toEqual(["ok", "ok"]);
    newsroom().instance.wait(30);
    expect(await asks()).toBe("not_found");
  });
});
