import { describe, expect, it } from "vitest";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { useNewsroom } from "../support/newsroom.ts";
import { codeOf, refusal } from "../support/outcome.ts";

describeOnOneDatabase("posts", (environment) => {
  const newsroom = useNewsroom(environment);
  const read = (id: number) => newsroom().actors.administrator.call(posts.get, { id });

  it("posts.create returns the whole post, and posts.get the same", async () => {
    const { actors, instance, ids, units, types } = newsroom();
    const now = instance.now();
    const made = await actors.administrator.call(posts.create, {
      content_type: "news",
      title: "Canteen",
      body: "Now *with* soup",
      visibility: { units: [units.south], units_falldown: [units.north], userTypes: [types.employee] },
      sharing: { shares: [ids.outsider] },
      important: true,
      mentions: [ids.member],
    });
    const place = (id: number, name: string, level: number) => {
      return { id, name, level, unit_type: "unit", url: `/units/${id}` };
    };
    const person = (id: number) => expect.objectContaining({ content_type: "user", id, url: `/users/${id}` });
    expect(made).toEqual({
      id: made.id,
      content_type: "news",
      title: "Canteen",
      body: "Now *with* soup",
      show_in_feed: true,
      important: true,
      actively_requires_action: false,
      mute_rule: null,
      seen_by_user: true,
      has_unseen_mention: false,
      pinned: null,
      confirm: { enabled: false, total: 0, confirmed: 0 },
      publish: {
        status: true,
        published_at: now,
        publish_on: null,
        unpublish_on: null,
        created_at: now,
        updated_at: now,
      },
      event: null,
      interaction: { seen: true, liked: false, read: false, bookmarked: false },
      stats: { comments: 0, likes: 0, reads: 0 },
      sharing: { shared: true, shares: [ids.outsider] },
      visibility: {
        owner_unit: place(1, "Acme", 0),
        all_units: false,
        units: [
          { ...place(units.north, "North", 1), falldown: true },
          { ...place(units.south, "South", 1), falldown: false },
        ],
        userTypes: [{ id: types.employee, name: "Employee" }],
      },
      uploading_files: 0,
      files: [],
      permissions: { edit: true, delete: true },
      comments: { enabled: true, count: 0, replies: 0, latest: null },
      mentions: [person(ids.member)],
      group: null,
      author: person(1),
      poll: null,
      participation: null,
      translations: null,
    });
    expect(await read(made.id)).toEqual(made);
    const forMember = await actors.member.call(posts.get, { id: made.id });
    expect(forMember).toMatchObject({
      seen_by_user: false,
      has_unseen_mention: true,
      permissions: { edit: false, delete: false },
    });
  });

  it("posts.create over HTTP: 201 and Location, with and without the prefix", async () => {
    const { instance } = newsroom();
    for (const prefix of ["/api", ""]) {
      const answer = await fetch(`${instance.url}${prefix}/content`, {
        method: "POST",
        headers: { authorization: `Bearer ${await instance.tokenOf(1)}`, "content-type": "application/json" },
        body: JSON.stringify({ content_type: "news", title: "Wire" }),
      });
      expect(answer.status).toBe(201);
      const { id } = (await answer.json()) as { id: number };
      expect(answer.headers.get("location")).toBe(`${instance.url}/api/content/${id}`);
      const again = await fetch(`${instance.url}${prefix}/content/${id}`, {
        headers: { authorization: `Bearer ${await instance.tokenOf(1)}` },
      });
      expect(again.status).toBe(200);
    }
  });

  describe("create without units", () => {
    it("news are for the author's unit and all below, or for the owning unit", async () => {
      const { actors, editor, units } = newsroom();
      const own = await editor.call(posts.create, { content_type: "news", title: "Own" });
      expect(own.visibility).toMatchObject({
        owner_unit: { id: units.north },
        units: [{ id: units.north, falldown: true }],
      });
      const other = await editor.call(posts.create, { content_type: "news", title: "Other", unit: units.harbour });
      expect(other.visibility).toMatchObject({ owner_unit: { id: units.harbour }, units: [{ id: units.harbour }] });
      expect(await codeOf(actors.member.call(posts.get, { id: own.id }))).toBe("ok");
      expect(await codeOf(actors.outsider.call(posts.get, { id: own.id }))).toBe("not_found");
    });

    it("a debate is for the author's unit only", async () => {
      const { actors, units } = newsroom();
      const { id, visibility } = await actors.manager.call(posts.create, { content_type: "debate", title: "Debate" });
      expect(visibility.units).toMatchObject([{ id: units.north, falldown: false }]);
      expect(await codeOf(actors.member.call(posts.get, { id }))).toBe("not_found");
    });

    it("an empty list addresses nobody, all_units everybody", async () => {
      const { actors, write } = newsroom();
      const nobody = await write({ visibility: { units: [] } });
      expect(nobody.visibility).toMatchObject({ all_units: false, units: [] });
      expect(await codeOf(actors.member.call(posts.get, { id: nobody.id }))).toBe("not_found");
      const all = await write({ visibility: { all_units: true } });
      expect(all.visibility).toMatchObject({ all_units: true, units: [] });
      expect(await codeOf(actors.outsider.call(posts.get, { id: all.id }))).toBe("ok");
    });
  });

  it("a unit in both lists includes the units below, and duplicates count once", async () => {
    const { write, units, types, ids } = newsroom();
    const twice = (id: number) => [id, id];
    const visibility = { units: twice(units.north), units_falldown: [units.north], userTypes: twice(types.employee) };
    const made = await write({ visibility, sharing: { shares: twice(ids.outsider) } });
    expect(made.visibility.units).toMatchObject([{ id: units.north, falldown: true }]);
    expect(made.visibility.userTypes).toMatchObject([{ id: types.employee }]);
    expect(made.sharing.shares).toEqual([ids.outsider]);
  });

  it("user types limit the readers, except users of shares", async () => {
    const { actors, colleague, write, ids, units, types } = newsroom();
    const visibility = { units_falldown: [units.north], userTypes: [types.employee] };
    const { id } = await write({ visibility, sharing: { shares: [ids.outsider] } });
    const codes = () =>
      Promise.all(
        [actors.member, colleague, actors.outsider, actors.manager].map((actor) =>
          codeOf(actor.call(posts.get, { id })),
        ),
      );
    expect(await codes()).toEqual(["ok", "not_found", "ok", "not_found"]);
    await actors.administrator.call(posts.update, { id, sharing: { shares: [ids.colleague] } });
    expect(await codes(), "shared with somebody else").toEqual(["ok", "ok", "not_found", "not_found"]);
  });

  it("sharing with the actor is ignored, unless somebody else did it", async () => {
    const { editor, editorId, ids, write, units } = newsroom();
    expect((await write({ sharing: { shares: [ids.administrator] } })).sharing.shares).toEqual([]);
    const { id } = await write({ unit: units.north, sharing: { shares: [editorId, ids.outsider] } });
    await editor.call(posts.update, { id, sharing: { shares: [editorId] } });
    expect((await read(id)).sharing.shares).toEqual([editorId]);
  });

  it("a debate in a group is for its members", async () => {
    const { actors, ids, addGroup } = newsroom();
    const group = await addGroup([ids.member, ids.outsider]);
    await addGroup([ids.manager]);
    const debate = { content_type: "debate" as const, title: "Among us", group };
    const { id, ...made } = await actors.member.call(posts.create, debate);
    expect(made).toMatchObject({ group: { id: group, name: "Group", image: null }, visibility: { units: [] } });
    const ask = (actor: "outsider" | "manager" | "administrator") =>
      codeOf(newsroom().actors[actor].call(posts.get, { id }));
    expect([await ask("outsider"), await ask("manager"), await ask("administrator")]).toEqual([
      "ok",
      "not_found",
      "ok",
    ]);
    const { data } = await actors.outsider.call(posts.list, { limit: 500 });
    expect(data.map((post) => post.id)).toContain(id);
    expect(await codeOf(actors.manager.call(posts.create, debate))).toBe("forbidden");
    expect(await codeOf(actors.administrator.call(posts.create, debate))).toBe("ok");
  });

  describe("update", () => {
    it("changes the given fields only, also in nested objects", async () => {
      const { actors, write, instance, units, types, ids } = newsroom();
      const { administrator } = actors;
      const before = await write({ body: "Text", pinned: { until: instance.now() + 1000 }, mentions: [ids.member] });
      instance.wait(5);
      const answer = await administrator.call(posts.update, {
        id: before.id,
        title: "Changed",
        visibility: { userTypes: [types.editor] },
        comments: { enabled: false },
        pinned: { show_in_main_feed: true },
      });
      expect(answer ?? undefined).toBeUndefined();
      expect(await read(before.id)).toEqual({
        ...before,
        title: "Changed",
        visibility: { ...before.visibility, userTypes: [{ id: types.editor, name: "Editor" }] },
        comments: { ...before.comments, enabled: false },
        pinned: { ...before.pinned, show_in_main_feed: true },
        publish: { ...before.publish, updated_at: instance.now() },
      });
      await administrator.call(posts.update, { id: before.id, visibility: { units: [units.south] }, pinned: null });
      const after = await read(before.id);
      expect(after.visibility.units.map(({ id, falldown }) => [id, falldown])).toEqual([
        [units.north, true],
        [units.south, false],
      ]);
      expect(after.pinned).toBeNull();
    });

    it("changes every simple field and back", async () => {
      const { actors, write } = newsroom();
      const before = await write();
      const flags = { show_in_feed: false, important: true };
      const other = { ...flags, title: "T", body: "B", confirm: { enabled: true }, comments: { enabled: false } };
      await actors.administrator.call(posts.update, { id: before.id, ...other });
      expect(await read(before.id)).toMatchObject(other);
      const { title, body, show_in_feed, important } = before;
      await actors.administrator.call(posts.update, {
        id: before.id,
        ...{ title, body, show_in_feed, important },
        confirm: { enabled: false },
        comments: { enabled: true },
      });
      expect(await read(before.id)).toEqual(before);
    });

    it("with the current values changes nothing, not even updated_at", async () => {
      const { actors, write, instance, ids } = newsroom();
      const pinned = { show_in_main_feed: true, until: instance.now() + 10_000 };
      const poll = { question: "Which?", choices: [{ title: "A" }, { title: "B" }] };
      const before = await write({ pinned, poll, mentions: [ids.member], sharing: { shares: [ids.outsider] } });
      instance.wait(7);
      const { title, body, visibility, publish, sharing } = before;
      await actors.administrator.call(posts.update, {
        id: before.id,
        title,
        body,
        pinned,
        poll: { ...poll, choices: before.poll!.choices.map(({ id, title }) => ({ id, title })) },
        mentions: [ids.member],
        sharing: { shares: sharing.shares },
        publish: { status: publish.status, publish_on: publish.publish_on, unpublish_on: publish.unpublish_on },
        visibility: {
          all_units: visibility.all_units,
          units: visibility.units.filter((unit) => !unit.falldown).map((unit) => unit.id),
          units_falldown: visibility.units.filter((unit) => unit.falldown).map((unit) => unit.id),
          userTypes: visibility.userTypes.map((type) => type.id),
        },
      });
      expect(await read(before.id)).toEqual(before);
    });

    it("changes nothing when a field is wrong", async () => {
      const { actors, write } = newsroom();
      const before = await write();
      const bad = { id: before.id, title: "Half", important: true, sharing: { shares: [987654] } };
      expect(await codeOf(actors.administrator.call(posts.update, bad))).toBe("validation_failed");
      const conflict = { id: before.id, title: "Half", poll: { question: "Q", choices: [] } };
      expect(await codeOf(actors.administrator.call(posts.update, conflict))).toBe("validation_failed");
      expect(await read(before.id)).toEqual(before);
    });

    it("refuses content_type, unit and group, which do not change", async () => {
      const { actors, write, units, addGroup, ids } = newsroom();
      const { id } = await write();
      const group = await addGroup([ids.member]);
      const moved = { id, group, unit: units.south, content_type: "debate" } as never;
      const { fields } = await refusal(actors.administrator.call(posts.update, moved));
      expect(Object.keys(fields ?? {}).sort()).toEqual(["content_type", "group", "unit"]);
    });
  });

  it("posts.delete: the post is gone for every operation, with everything that belonged to it", async () => {
    const { actors, write, ids, instance } = newsroom();
    const { administrator, member } = actors;
    const { id, poll } = await write({
      poll: { question: "Which?", choices: [{ title: "A" }, { title: "B" }] },
      files: [{ type: "youtube", name: "Film", data: "https://www.youtube.com/watch?v=abcdefghijk" }],
      mentions: [ids.member],
    });
    await member.call(posts.vote, { id, choices: [poll!.choices[0]!.id] });
    await member.call(posts.like, { id });
    const { id: comment } = await member.call(posts.commentAdd, { id, body: "Comment" });
    await administrator.call(posts.commentAdd, { id, body: "Reply", parent_id: comment });
    await administrator.call(posts.delete, { id });
    const calls = [posts.get, posts.delete, posts.seen, posts.read, posts.like, posts.republish, posts.commentList];
    for (const op of calls) expect(await codeOf(administrator.call(op, { id }))).toBe("gone");
    expect(await codeOf(member.call(posts.get, { id }))).toBe("gone");
    const { reader } = instance.database;
    for (const table of ["polls", "comments", "post_marks", "post_mentions"] as const) {
      expect(await reader.selectFrom(table).selectAll().where("post_id", "=", id).execute()).toEqual([]);
    }
    const kept = await reader.selectFrom("files").select("id").where("owner", "=", "post").where("owner_id", "=", id);
    expect(await kept.execute()).toEqual([]);
    const row = await reader.selectFrom("posts").select(["title", "body"]).where("id", "=", id).executeTakeFirst();
    expect(row).toEqual({ title: "", body: "" });
  });

  it("users.delete keeps the user's posts", async () => {
    const { actors, addUser, instance, units, types } = newsroom();
    const author = await addUser({ unit: units.north, userTypes: [types.editor] });
    const { id } = await (await instance.as(author.id)).call(posts.create, {
      content_type: "news",
      title: "Last words",
    });
    await actors.administrator.call(users.delete, { id: author.id });
    expect((await read(id)).author).toMatchObject({ id: author.id, name: "Deleted user", active: false, unit: null });
  });

  it("units.delete passes posts to the unit above, without the readers of the unit", async () => {
    const { actors, addUnit, addUser, instance, units: places, write } = newsroom();
    const other = await write();
    const { id: unit } = await addUnit();
    const visibility = { units_falldown: [unit] };
    const closing = { content_type: "news", title: "Closing", unit, visibility } as const;
    const { id } = await actors.administrator.call(posts.create, closing);
    const { id: user } = await addUser({ unit });
    await actors.administrator.call(units.delete, { id: unit, transfer: places.harbour });
    const after = await read(id);
    expect(after.visibility).toMatchObject({ owner_unit: { id: places.harbour }, units: [] });
    expect(await read(other.id), "owned by another unit").toEqual(other);
    expect(await codeOf((await instance.as(user)).call(posts.get, { id }))).toBe("not_found");
    const { data } = await actors.administrator.call(posts.list, { unit: places.harbour });
    expect(data.map((post) => post.id)).toContain(id);
  });

  it("posts.list finds the drafts in all units of an editor of more than 500 units", async () => {
    const { actors, addUnit, addUser, instance, types } = newsroom();
    const branches = ["west", "east"];
    const made: number[] = [];
    for (const reference of branches) {
      made.push((await addUnit({ reference })).id);
      const rows = Array.from({ length: 250 }, (_, n) => {
        return { reference: `${reference} ${n}`, name: `${reference} ${n}`, parent: reference };
      });
      const { results } = await actors.administrator.call(units.import, { rows });
      made.push(...results.flatMap(({ id }) => id ?? []));
    }
    const [west, lastOfWest, east, lastOfEast] = [made[0]!, made[250]!, made[251]!, made[501]!];
    const { id: user } = await addUser({ unit: west, userTypes: [types.editor] });
    await actors.administrator.call(users.membershipAdd, { user, unit: east, userTypes: [types.editor] });
    const drafts: number[] = [];
    for (const unit of [west, lastOfWest, east, lastOfEast]) {
      const draft = { content_type: "news", title: "Later", unit, publish: { status: false } } as const;
      drafts.push((await actors.administrator.call(posts.create, draft)).id);
    }
    const { data } = await (await instance.as(user)).call(posts.list, { status: "draft" });
    expect(data.map(({ id }) => id).sort((a, b) => a - b)).toEqual(drafts);
  });

  it("posts.filesAdd and fileDelete attach and remove files", async () => {
    const { actors, write, instance } = newsroom();
    const upload = { type: "upload" as const, name: "note.txt", data: Buffer.from("A note").toString("base64") };
    const { id, files } = await write({ files: [upload] });
    expect(files).toMatchObject([{ name: "note.txt", size: 6 }]);
    instance.wait(3);
    await actors.administrator.call(posts.filesAdd, { id, files: [{ ...upload, name: "second.txt" }] });
    const two = await read(id);
    expect(two.files.map((file) => file.name)).toEqual(["note.txt", "second.txt"]);
    expect(two.publish.updated_at).toBe(instance.now());
    await actors.administrator.call(posts.fileDelete, { id, file: two.files[0]!.id });
    expect((await read(id)).files).toEqual([two.files[1]]);
    const gone = { id, file: two.files[0]!.id };
    expect(await codeOf(actors.administrator.call(posts.fileDelete, gone))).toBe("not_found");
  });

  it("posts.create allows titles of 255 characters, counted as code points", async () => {
    const { actors, write } = newsroom();
    const { id } = await write({ title: "😀".repeat(255) });
    const code = (title: string) => codeOf(actors.administrator.call(posts.update, { id, title }));
    expect([await code("😀".repeat(256)), await code("x".repeat(256)), await code("x".repeat(255))]).toEqual([
      "validation_failed",
      "validation_failed",
      "ok",
    ]);
  });
});
