import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import type { Content } from "../../src/contract/file-forms.ts";
import { files } from "../../src/contract/files.ts";
import { chunkBytes } from "../../src/core/file-contents.ts";
import { useWorld } from "../support/actors.ts";
import { addPersonalEvent, attach, detach, upload } from "../support/attachments.ts";
import { describeEverywhere } from "../support/instance.ts";

const bytesOf = async (content: Content, from?: number, to?: number) =>
  Buffer.concat(await Array.fromAsync(content.read(from, to)));

describeEverywhere("files", (environment) => {
  const world = useWorld(environment);
  let event: number;
  beforeAll(async () => {
    event = await addPersonalEvent(world(), world().ids.member, [world().ids.outsider]);
  });
  const get = (id: number, who: "member" | "outsider" | "manager" | "administrator" = "member") =>
    world().actors[who].call(files.get, { id });

  it("come back byte for byte, as a whole and in any range", async () => {
    const bytes = randomBytes(3 * chunkBytes + 12_345);
    const [file] = await attach(world(), event, [upload("random.bin", bytes)]);
    const content = await get(file!.id);
    expect(content).toMatchObject({ name: "random.bin", mime: "application/octet-stream", size: bytes.length });
    expect((await bytesOf(content)).equals(bytes)).toBe(true);
    expect((await bytesOf(content)).equals(bytes)).toBe(true);
    const place = fc.oneof(
      fc.integer({ min: 0, max: bytes.length }),
      fc.constantFrom(0, chunkBytes - 1, chunkBytes, chunkBytes + 1, bytes.length),
    );
    await fc.assert(
      fc.asyncProperty(place, place, async (a, b) => {
        const [from, to] = a < b ? [a, b] : [b, a];
        expect((await bytesOf(content, from, to)).equals(bytes.subarray(from, to))).toBe(true);
      }),
      { numRuns: 40 },
    );
    await detach(world(), event);
  });
});
