import { expect, it } from "vitest";
import { files } from "../../src/contract/files.ts";
import { groups } from "../../src/contract/groups.ts";
import { posts } from "../../src/contract/posts.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { useWorld } from "../support/actors.ts";
import { bytesOf, images, upload } from "../support/attachments.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";
import { allRows } from "../support/tables.ts";

describeEverywhere("images of groups", (environment) => {
  const world = useWorld(environment);
  const picture = (width: number) => [upload("a.png", images.png(width, 1))];
  const make = (privacy: "public" | "private" = "public") =>
    world().actors.administrator.call(groups.create, { name: "Sailing", privacy });
  const contents = async () => (await allRows(world().instance.database)).file_contents;

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
    const html = [upload("a.html", "<!doctype html><script>alert(1)</script>")];
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
