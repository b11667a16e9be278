import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import type { FileItem } from "../../src/contract/file-schemas.ts";
import { files } from "../../src/contract/files.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { settings } from "../../src/contract/settings.ts";
import { chunkBytes } from "../../src/core/files/file-contents.ts";
import { useWorld } from "../support/actors.ts";
import { bytesOf, upload } from "../support/attachments.ts";
import { tries } from "../support/effort.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, refusal } from "../support/outcome.ts";

describeEverywhere("files", (environment) => {
  const world = useWorld(environment);
  const member = () => world().actors.member;
  const admin = () => world().actors.administrator;
  const get = (id: number, by: Caller = member()) => by.call(files.get, { id });
  const times = { start: 1_800_000_000, end: 1_800_003_600 };
  const personal = async (items: FileItem[], shares: number[] = []) => {
    const { id } = await member().call(events.create, { title: "Mine", type: "user", files: items, shares, ...times });
    return { id, files: (await member().call(events.get, { id })).files };
  };
  const note = () => [upload("note.txt", "Hello")];
  let bytes: Buffer;
  beforeAll(() => {
    bytes = randomBytes(3 * chunkBytes + 12_345);
    // Random bytes alone begin with the signature of some format once in a few thousand runs.
    bytes.write("none of the known signatures");
  });

  it("files.get returns the same bytes, as a whole and in any range", async () => {
    const { files } = await personal([upload("random.bin", bytes)]);
    const content = await get(files[0]!.id);
    const sha256 = createHash("sha256").update(bytes).digest("base64url");
    expect(content).toMatchObject({ name: "random.bin", mime: "application/octet-stream", size: bytes.length, sha256 });
    expect((await bytesOf(content)).equals(bytes)).toBe(true);
    expect((await bytesOf(content)).equals(bytes)).toBe(true);
    const edges = fc.constantFrom(0, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes, bytes.length);
    const place = fc.oneof(fc.integer({ min: 0, max: bytes.length }), edges);
    await fc.assert(
      fc.asyncProperty(place, place, async (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        expect((await bytesOf(content, from, to)).equals(bytes.subarray(from, to))).toBe(true);
      }),
      { numRuns: tries(40) },
    );
  });

  it("files.get returns files of any size and content unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 400 }), async (given) => {
        const { id, files } = await personal([upload("any", given)]);
        expect((await bytesOf(await get(files[0]!.id))).equals(given)).toBe(true);
        await member().call(events.delete, { id });
      }),
      { numRuns: tries(20) },
    );
  });

  it("files are presented with all fields of the interface", async () => {
    await admin().call(settings.set, { timezone: "Asia/Tokyo" });
    world().instance.wait(1);
    const now = world().instance.now();
    const { files } = await personal([upload("Report.PDF", "%PDF-1.7\n%\xe2\xe3\n"), ...note()]);
    const local = new Date((now + 9 * 3600) * 1000).toISOString().slice(0, 16).replace("T", " ");
    expect(files[0]).toEqual({
      id: files[0]!.id,
      name: "Report.PDF",
      mime: "application/pdf",
      size: 15,
      type: "upload",
      extension: "pdf",
      uploaded: true,
      processing: false,
      height: null,
      width: null,
      source: `/files/${files[0]!.id}`,
      stream: null,
      versions: {},
      screenshot: null,
      date: now,
      created_at: now,
      updated_at: now,
      created_formatted: local,
      updated_formatted: local,
    });
    expect(files.map((file) => file.name)).toEqual(["Report.PDF", "note.txt"]);
    await admin().call(settings.set, { timezone: null });
    world().instance.wait(1);
  });

  it("files.get: files of an event are for its readers", async () => {
    const { id, files } = await personal(note(), [world().ids.outsider]);
    const file = files[0]!.id;
    expect((await bytesOf(await get(file, world().actors.outsider))).toString()).toBe("Hello");
    expect(await codeOf(get(file, admin()))).toBe("not_found");
    expect(await codeOf(get(file, world().actors.manager))).toBe("not_found");
    expect(await codeOf(get(file, world().stranger))).toBe("unauthenticated");
    await member().call(events.update, { id, shares: [] });
    expect(await codeOf(get(file, world().actors.outsider))).toBe("not_found");
    await member().call(events.delete, { id });
    expect(await codeOf(get(file))).toBe("not_found");
  });

  it("files.get: files of a post are for its readers while it is published, and for its editors", async () => {
    const post = await admin().call(posts.create, {
      content_type: "news",
      title: "News",
      visibility: { units: [world().units.harbour] },
      publish: { publish_on: world().instance.now() + 100, unpublish_on: world().instance.now() + 200 },
      files: note(),
    });
    const id = post.files[0]!.id;
    const seen = async () => [
      await codeOf(get(id)),
      await codeOf(get(id, world().actors.outsider)),
      await codeOf(get(id, admin())),
    ];
    expect(await seen()).toEqual(["not_found", "not_found", "ok"]);
    world().instance.wait(150);
    expect(await seen()).toEqual(["ok", "not_found", "ok"]);
    world().instance.wait(100);
    expect(await seen()).toEqual(["not_found", "not_found", "ok"]);
    await admin().call(posts.delete, { id: post.id });
    expect(await codeOf(get(id, admin()))).toBe("not_found");
  });

  it("files.get: files of a message are for participants, and are removed with the message", async () => {
    const { colleague, outsider } = world().ids;
    const sent = await member().call(conversations.create, { recipients: [colleague], message: "See", files: note() });
    const { id } = sent.files[0]!;
    const talk = sent.conversationId;
    expect(await codeOf(get(id))).toBe("ok");
    expect(await codeOf(get(id, await world().instance.as(colleague)))).toBe("ok");
    for (const who of ["outsider", "manager", "administrator"] as const)
      expect(await codeOf(get(id, world().actors[who])), who).toBe("not_found");
    await member().call(conversations.delete, { id: talk });
    expect(await codeOf(get(id))).toBe("not_found");
    expect(await codeOf(get(id, await world().instance.as(colleague)))).toBe("ok");
    const group = await member().call(conversations.create, {
      recipients: [colleague, outsider],
      message: "All",
      files: note(),
    });
    await member().call(conversations.messageDelete, { id: group.conversationId, messageId: group.id });
    expect(await codeOf(get(group.files[0]!.id))).toBe("not_found");
  });

  it("files.get: an external video has a URL and no bytes", async () => {
    const data = "https://youtu.be/dQw4w9WgXcQ";
    const { files } = await personal([{ type: "youtube", name: "Song", data }]);
    expect(files[0]).toMatchObject({
      type: "youtube",
      mime: "video/youtube",
      size: 0,
      source: data,
      stream: null,
      extension: "",
    });
    expect(await refusal(get(files[0]!.id))).toMatchObject({
      code: "not_found",
      message: expect.stringContaining(data),
    });
  });

  it("identical contents are stored once, and removed with the last file", async () => {
    const { reader } = world().instance.database;
    const kept = async () =>
      (await reader.selectFrom("file_contents").select("size").where("size", "=", 54_321).execute()).length;
    const same = upload("same.bin", randomBytes(54_321));
    const one = await personal([same, { ...same, name: "again.bin" }]);
    const other = await personal([same]);
    expect(await kept()).toBe(1);
    await member().call(events.fileDelete, { id: one.id, file: one.files[0]!.id });
    await member().call(events.delete, { id: other.id });
    expect(await kept()).toBe(1);
    expect((await get(one.files[1]!.id)).name).toBe("again.bin");
    await member().call(events.delete, { id: one.id });
    expect(await kept()).toBe(0);
  });

  it("simultaneous uploads and removals of the same content all succeed", async () => {
    const same = upload("same.bin", randomBytes(300_000));
    const send = () =>
      member().call(conversations.create, { recipients: [world().ids.colleague], message: "See", files: [same] });
    const made = await Promise.all([
      ...Array.from({ length: 4 }, () => personal([same])),
      ...Array.from({ length: 4 }, send),
    ]);
    for (const { files } of made) expect((await bytesOf(await get(files[0]!.id))).length).toBe(300_000);
    const gone = made.map((each) =>
      "conversationId" in each
        ? member().call(conversations.messageDelete, { id: each.conversationId, messageId: each.id })
        : member().call(events.delete, { id: each.id }),
    );
    const [kept] = await Promise.all([personal([same]), ...gone]);
    expect((await bytesOf(await get(kept.files[0]!.id))).length).toBe(300_000);
  });
});
