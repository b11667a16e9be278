import { expect, it } from "vitest";
import { files } from "../../src/contract/files.ts";
import { groups } from "../../src/contract/groups.ts";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { useWorld } from "../support/actors.ts";
import { bytesOf, images, upload } from "../support/attachments.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";
import { allRows } from "../support/tables.ts";

const picture = (width: number) => [upload("a.png", images.png(width, 1))];
const html = [upload("a.html", "<!doctype html><script>alert(1)</script>")];

describeOnOneDatabase("images of units and groups", (environment) => {
  const world = useWorld(environment);
  const imageOf = async (id: number) => (await world().actors.outsider.call(units.get, { id })).image;
  const make = (privacy: "public" | "private" = "public") =>
    world().actors.administrator.call(groups.create, { name: "Sailing", privacy });
  const contents = async () => (await allRows(world().instance.database)).file_contents;

  it("units.imageSet is for users with the ability units, and everybody sees the image", async () => {
    const { actors, units: places } = world();
    const id = places.harbour;
    for (const name of ["member", "outsider"] as const)
      expect(await codeOf(actors[name].call(units.imageSet, { id, files: picture(2) }))).toBe("forbidden");
    expect(await codeOf(actors.attacker.call(units.imageSet, { id, files: picture(2) }))).toBe("unauthenticated");
    await actors.manager.call(units.imageSet, { id, files: picture(2) });
    const image = await imageOf(id);
    expect(image).toMatchObject({ mime: "image/png", width: 2, height: 1 });
    expect(await bytesOf(await actors.outsider.call(files.get, { id: image!.id }))).toEqual(images.png(2, 1));
    expect(await wrongFields(actors.manager.call(units.imageSet, { id, files: html }))).toEqual(["files.0.data"]);
    expect(await imageOf(id)).toEqual(image);
  });

  it("units.imageSet and units.imageDelete emit unit.update if something changes, and units.delete removes the file", async () => {
    const { administrator } = world().actors;
    const { id } = await world().addUnit();
    const { meta } = await administrator.call(webhooks.events, {});
    for (let i = 0; i < 2; i++) await administrator.call(units.imageSet, { id, files: picture(3) });
    for (let i = 0; i < 2; i++) await administrator.call(units.imageDelete, { id });
    const { data } = await administrator.call(webhooks.events, { after: meta.last_id });
    expect(data.map(({ payload: { type, data } }) => [type, data])).toMatchObject([
      ["unit.update", { id, image: { width: 3 } }],
      ["unit.update", { id, image: null }],
    ]);
    await administrator.call(units.imageSet, { id, files: picture(4) });
    const file = (await imageOf(id))!.id;
    await administrator.call(units.delete, { id });
    expect(await codeOf(administrator.call(files.get, { id: file }))).toBe("not_found");
  });

  it("groups.imageSet is for those who may change the group, and shows the image in the group and its posts", async () => {
    const { actors, ids } = world();
    const { administrator, member, outsider } = actors;
    const { id } = await make();
    await administrator.call(groups.memberAdd, { id, user: ids.member, role: "administrator" });
    await member.call(groups.imageSet, { id, files: picture(2) });
    expect(await codeOf(outsider.call(groups.imageSet, { id, files: picture(3) }))).toBe("forbidden");
    expect(await codeOf(outsider.call(groups.imageDelete, { id }))).toBe("forbidden");
    const { image } = await outsider.call(groups.get, { id });
    expect(image).toMatchObject({ mime: "image/png", width: 2, height: 1 });
    expect((await outsider.call(groups.list, {})).data.find((group) => group.id === id)!.image).toEqual(image);
    expect(await bytesOf(await outsider.call(files.get, { id: image!.id }))).toEqual(images.png(2, 1));
    const post = await member.call(posts.create, { content_type: "debate", title: "When?", group: id });
    expect(post.group).toEqual({ id, name: "Sailing", image });
    const other = await make();
    await administrator.call(groups.imageSet, { id: other.id, files: picture(4) });
    await administrator.call(posts.create, { content_type: "debate", title: "Where?", group: other.id });
    const { data } = await administrator.call(posts.list, {});
    const widths = data.flatMap(({ title, group }) => (group === null ? [] : [[title, group.image?.width]]));
    expect(Object.fromEntries(widths)).toEqual({ "When?": 2, "Where?": 4 });
    await member.call(groups.imageDelete, { id });
    expect((await member.call(posts.get, { id: post.id })).group).toMatchObject({ image: null });
  });

  it("groups.imageSet refuses files that are no images, and hides the image of a private group from others", async () => {
    const { actors, ids } = world();
    const { id } = await make("private");
    expect(await wrongFields(actors.administrator.call(groups.imageSet, { id, files: html }))).toEqual([
      "files.0.data",
    ]);
    await actors.administrator.call(groups.imageSet, { id, files: picture(5) });
    const image = (await actors.administrator.call(groups.get, { id })).image!.id;
    expect(await codeOf(actors.member.call(files.get, { id: image }))).toBe("not_found");
    expect(await codeOf(actors.member.call(groups.imageSet, { id, files: html }))).toBe("not_found");
    await actors.administrator.call(groups.memberAdd, { id, user: ids.member });
    expect(await codeOf(actors.member.call(files.get, { id: image }))).toBe("ok");
  });

  it("groups.imageSet, groups.imageDelete and groups.delete leave no unused content, and emit nothing", async () => {
    const { administrator } = world().actors;
    const before = await contents();
    const { id } = await make();
    const { meta } = await administrator.call(webhooks.events, {});
    await administrator.call(groups.imageSet, { id, files: picture(6) });
    await administrator.call(groups.imageSet, { id, files: picture(7) });
    await administrator.call(groups.imageDelete, { id });
    expect(await contents()).toEqual(before);
    expect((await administrator.call(webhooks.events, { after: meta.last_id })).data).toEqual([]);
    await administrator.call(groups.imageSet, { id, files: picture(8) });
    await administrator.call(groups.delete, { id });
    expect(await contents()).toEqual(before);
  });
});
