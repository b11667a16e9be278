import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { images } from "../support/attachments.ts";
import { describePlaces } from "./places.ts";

describePlaces("images on the command line", (place) => {
  const path = (name: string) => place().home.path(name);
  const avatar = (...args: string[]) => place().wcs(["users", "avatar", ...args]);

  it.each([
    ["unit", "Acme"],
    ["group", "Sailing"],
  ])("wcs %ss image sets, downloads and deletes the image of %s", async (kind, name) => {
    const image = (...args: string[]) => place().wcs([`${kind}s`, "image", ...args]);
    if (kind === "group") await place().wcs(["groups", "create", "--name", name]);
    writeFileSync(path("image.png"), images.png(5, 6));
    const set = await image("set", "1", path("image.png"));
    expect(set).toMatchObject({ code: 0, stderr: `Set the image of ${kind} 1.\n` });
    expect((await image("get", "1", "-o", path(`${kind}.png`))).code).toBe(0);
    expect(readFileSync(path(`${kind}.png`))).toEqual(images.png(5, 6));
    expect(await image("delete", "1", "--yes")).toMatchObject({ code: 0, stderr: `Deleted the image of ${kind} 1.\n` });
    const missing = { code: 6, stdout: "", stderr: expect.stringContaining(`${name} has no image.`) };
    expect(await image("get", "1")).toMatchObject(missing);
  });

  it("wcs users avatar sets, downloads and deletes the image of a user", async () => {
    writeFileSync(path("me.png"), images.png(5, 6));
    expect(await avatar("set", "me", path("me.png"))).toMatchObject({
      code: 0,
      stderr: "Set the avatar of user 1 (Ada Lovelace).\n",
    });
    const user = JSON.parse((await place().wcs(["users", "get", "me", "--json"])).stdout);
    expect(user.avatar).toMatchObject({ name: "me.png", width: 5, height: 6 });
    expect((await avatar("get", "me", "-o", path("copy.png"))).code).toBe(0);
    expect(readFileSync(path("copy.png"))).toEqual(images.png(5, 6));
    const dry = await avatar("delete", "me", "--yes", "--dry-run");
    expect(dry).toMatchObject({
      code: 0,
      stderr: "Without --dry-run: Deleted the avatar of user 1 (Ada Lovelace).\nDry run: nothing was changed.\n",
    });
    expect(await avatar("delete", "1", "--yes")).toMatchObject({ code: 0, stderr: "Deleted the avatar of user 1.\n" });
    const missing = await avatar("get", "1", "-o", path("none.png"));
    expect([missing.code, missing.stdout, existsSync(path("none.png"))]).toEqual([6, "", false]);
    expect(missing.stderr).toContain("has no avatar.");
  });

  it("wcs users avatar set reads the image from stdin for -", async () => {
    const words = ["users", "avatar", "set", "me", "-"];
    expect((await place().wcs(words, { stdin: images.jpeg(8, 9) })).code).toBe(0);
    expect((await avatar("get", "me", "-o", path("piped"))).code).toBe(0);
    expect(readFileSync(path("piped"))).toEqual(images.jpeg(8, 9));
    const empty = await place().wcs(words);
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining("<file>: stdin is empty") });
  });

  it("wcs users avatar set names the file when it is no image", async () => {
    writeFileSync(path("note.txt"), "Note");
    const refused = await avatar("set", "me", path("note.txt"));
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("<file> note.txt must be a PNG, JPEG, GIF or WebP image, not text/plain");
  });
});
