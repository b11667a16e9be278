import { expect, it } from "vitest";
import { files } from "../../src/contract/files.ts";
import { units } from "../../src/contract/units.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { useWorld } from "../support/actors.ts";
import { bytesOf, images, upload } from "../support/attachments.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";

describeEverywhere("images of units", (environment) => {
  const world = useWorld(environment);
  const picture = (width: number) => [upload("a.png", images.png(width, 1))];
  const imageOf = async (id: number) => (await world().actors.outsider.call(units.get, { id })).image;

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
    const html = [upload("a.html", "<!doctype html><script>alert(1)</script>")];
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
});
