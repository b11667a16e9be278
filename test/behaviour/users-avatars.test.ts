import { expect, it } from "vitest";
import { audit } from "../../src/contract/audit.ts";
import { conversations } from "../../src/contract/conversations.ts";
import type { FileItem } from "../../src/contract/file-schemas.ts";
import { files } from "../../src/contract/files.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { useWorld } from "../support/actors.ts";
import { bytesOf, images, upload } from "../support/attachments.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { allRows } from "../support/tables.ts";

describeOnOneDatabase("avatars", (environment) => {
  const world = useWorld(environment);
  const { png, gif, jpeg } = images;
  const set = (id: number, ...items: FileItem[]) =>
    world().actors.administrator.call(users.avatarSet, { id, files: items });
  const avatarOf = async (id: number) => (await world().actors.outsider.call(users.get, { id })).avatar;
  const tables = async () => {
    const { files, file_contents, file_chunks = [] } = await allRows(world().instance.database);
    return { files, file_contents, chunks: file_chunks.map(({ sha256, number }) => `${sha256} ${number}`) };
  };

  it("users.avatarSet shows the image in every form of the user, and replaces the previous one", async () => {
    const { actors, ids } = world();
    await set(ids.member, upload("old.gif", gif(1, 1)));
    const old = (await avatarOf(ids.member))!.id;
    await actors.member.call(users.avatarSet, { id: ids.member, files: [upload("me.png", png(20, 30))] });
    const avatar = await avatarOf(ids.member);
    expect(avatar).toMatchObject({ name: "me.png", mime: "image/png", width: 20, height: 30, versions: {} });
    expect(await codeOf(actors.member.call(files.get, { id: old }))).toBe("not_found");
    const content = await actors.outsider.call(files.get, { id: avatar!.id });
    expect(await bytesOf(content)).toEqual(png(20, 30));
    expect((await actors.member.call(users.current, {})).avatar).toEqual(avatar);
    expect((await actors.outsider.call(users.collection, { ids: [ids.member] })).users[0]!.avatar).toEqual(avatar);
    const { data } = await actors.outsider.call(users.birthdays, { start: "06-15", end: "06-15" });
    expect(data[0]!.avatar).toEqual(avatar);
    const sent = await actors.member.call(conversations.create, { recipients: [ids.outsider], message: "Hello" });
    expect(sent.author.avatar).toEqual(avatar);
    await actors.member.call(users.avatarSet, { id: ids.member, files: [upload("renamed.png", png(20, 30))] });
    expect(await avatarOf(ids.member)).toMatchObject({ name: "renamed.png", width: 20 });
  });

  it("users.avatarSet refuses what is not a raster image of at most 5 MiB", async () => {
    const { member } = world().ids;
    const before = await tables();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const max = 5 * 1024 * 1024;
    const tooLarge = Buffer.concat([png(1, 1), Buffer.alloc(max)]).subarray(0, max + 1);
    const refused: [FileItem, string][] = [
      [upload("a.svg", svg), "files.0.data"],
      [upload("a.html", "<!doctype html><script>alert(1)</script>"), "files.0.data"],
      [upload("a.png", "not a picture"), "files.0.data"],
      [upload("a.jpg", png(1, 1)), "files.0.data"],
      [upload("a.pdf", "%PDF-1.4\n1 0 obj\n"), "files.0.data"],
      [upload("a.png", ""), "files.0.data"],
      [upload("a.gif", gif(1, 1).subarray(0, 8)), "files.0.data"],
      [upload("a.jpg", jpeg(1, 1).subarray(0, 22)), "files.0.data"],
      [upload("a.png", tooLarge), "files.0.data"],
      [upload("../a.png", png(1, 1)), "files.0.name"],
      [{ type: "youtube", name: "v", data: "https://youtu.be/abc" }, "files.0.type"],
    ];
    for (const [item, field] of refused) expect(await wrongFields(set(member, item)), item.name).toEqual([field]);
    expect(await wrongFields(set(member))).toEqual(["files"]);
    expect(await wrongFields(set(member, upload("a.png", png(1, 1)), upload("b.png", png(1, 1))))).toEqual(["files"]);
    expect(await tables()).toEqual(before);
    await set(member, upload("a.png", tooLarge.subarray(0, max)));
    expect((await avatarOf(member))!.size).toBe(max);
    await world().actors.administrator.call(users.avatarDelete, { id: member });
  });

  it("users.avatarSet refuses images whose size cannot be read", async () => {
    const { member } = world().ids;
    const refused = [upload("a.png", png(0, 2)), upload("a.jpeg", jpeg(3, 2).subarray(0, 20))];
    for (const damaged of refused) {
      const { fields } = await refusal(set(member, damaged));
      expect(fields, damaged.name).toEqual({ "files.0.data": ["is a damaged image"] });
    }
    for (const [name, image] of Object.entries(images)) {
      await set(member, upload(`a.${name}`, image(3, 2)));
      expect(await avatarOf(member)).toMatchObject({ name: `a.${name}`, width: 3, height: 2 });
    }
    await world().actors.administrator.call(users.avatarDelete, { id: member });
  });

  it("users.avatarSet is for the user and for those with the ability user over the user", async () => {
    const { actors, ids } = world();
    const body = { files: [upload("a.png", png(4, 4))] };
    const code = (name: keyof typeof actors, id: number) => codeOf(actors[name].call(users.avatarSet, { id, ...body }));
    expect(await code("manager", ids.outsider)).toBe("forbidden");
    expect(await code("manager", ids.boss)).toBe("forbidden");
    expect(await code("member", ids.colleague)).toBe("forbidden");
    expect(await code("attacker", ids.colleague)).toBe("unauthenticated");
    await actors.manager.call(users.avatarSet, { id: ids.colleague, ...body });
    expect(await codeOf(actors.member.call(users.avatarDelete, { id: ids.colleague }))).toBe("forbidden");
    expect((await avatarOf(ids.colleague))!.width).toBe(4);
  });

  it("users.avatarSet and users.avatarDelete emit user.update and are in the audit log, only if something changes", async () => {
    const { actors, ids } = world();
    const { administrator } = actors;
    const { meta } = await administrator.call(webhooks.events, {});
    const image = upload("a.png", png(7, 7));
    await set(ids.manager, image);
    await set(ids.manager, image);
    await administrator.call(users.avatarDelete, { id: ids.manager });
    await administrator.call(users.avatarDelete, { id: ids.manager });
    const { data } = await administrator.call(webhooks.events, { after: meta.last_id });
    expect(data.map(({ payload: { type, data } }) => [type, data])).toMatchObject([
      ["user.update", { id: ids.manager, avatar: { width: 7 } }],
      ["user.update", { id: ids.manager, avatar: null }],
    ]);
    const entries = (await administrator.call(audit.list, {})).data.map(({ operation }) => operation);
    expect(entries).toEqual(expect.arrayContaining(["users.avatarSet", "users.avatarDelete"]));
  });

  it("users.avatarDelete and users.delete remove the file and its content", async () => {
    const { administrator } = world().actors;
    const before = await tables();
    const { id } = await world().addUser();
    await set(id, upload("a.png", png(9, 9)));
    await administrator.call(users.avatarDelete, { id });
    expect(await avatarOf(id)).toBeNull();
    expect(await tables()).toEqual(before);
    await set(id, upload("a.png", png(9, 9)));
    const file = (await avatarOf(id))!.id;
    await administrator.call(users.delete, { id });
    expect(await tables()).toEqual(before);
    expect(await codeOf(administrator.call(files.get, { id: file }))).toBe("not_found");
    expect(await codeOf(set(id, upload("a.png", png(9, 9))))).toBe("gone");
  });
});
