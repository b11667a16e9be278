import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { images } from "../support/attachments.ts";
import { describePlaces } from "./places.ts";

describePlaces("images of groups on the command line", (place) => {
  const path = (name: string) => place().home.path(name);
  const image = (...args: string[]) => place().wcs(["groups", "image", ...args]);

  it("wcs groups image sets, downloads and deletes the image of a group", async () => {
    await place().wcs(["groups", "create", "--name", "Sailing"]);
    writeFileSync(path("sails.png"), images.png(5, 6));
    const set = await image("set", "1", path("sails.png"));
    expect(set).toMatchObject({ code: 0, stderr: "Set the image of group 1.\n" });
    expect((await image("get", "1", "-o", path("copy.png"))).code).toBe(0);
    expect(readFileSync(path("copy.png"))).toEqual(images.png(5, 6));
    expect(await image("delete", "1", "--yes")).toMatchObject({ code: 0, stderr: "Deleted the image of group 1.\n" });
    expect(await image("get", "1")).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("Sailing has no image."),
    });
  });
});
