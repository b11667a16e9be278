import { beforeAll, expect, it } from "vitest";
import { usePlace } from "./places.ts";

const place = usePlace();
const run = (...args: string[]) => place().wcs(args);
beforeAll(async () => {
  const bob = ["--first-name", "Bob", "--last-name", "Jones", "--email", "bob@example.com", "--unit", "1"];
  const { code, stderr } = await run("users", "create", ...bob);
  if (code !== 0) throw new Error(stderr);
});
const send = (to: string) => run("conversations", "send", "--to", to, "Hello", "--json");

it("conversations send --to takes up to 15 digits for an ID and more for a name", async () => {
  const alone = JSON.parse((await send("2")).stdout);
  const named = JSON.parse((await send("bob jones, 2 ")).stdout);
  expect(named.conversationId).toBe(alone.conversationId);
  const longest = await send("bob jones,999999999999999");
  expect(longest.code).not.toBe(0);
  expect(longest.stderr).not.toContain("no user is called");
  expect(longest.stderr).toContain("999999999999999");
  const longer = await send("bob jones,1234567890123456");
  expect(longer).toMatchObject({ code: 6, stderr: expect.stringContaining("no user is called 1234567890123456") });
});
