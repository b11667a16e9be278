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

it("--as takes a name, a reference, an e-mail address or an ID, and refuses a name of two users", async () => {
  const { home, local, wcs } = place();
  const named = ["--first-name", "Grace", "--last-name", "Hopper", "--unit", "1"];
  const made = ["users", "create", ...named, "--json"];
  const { id } = JSON.parse((await wcs([...made, "--email", "grace@example.com", "--reference", "G 1@acme"])).stdout);
  const actsAs = async (as: string) =>
    home.sit(["users", "get", "me", "--fields", "id", "--no-header", ...local, "--as", as]);
  for (const as of ["grace hopper", "ref:G 1@acme", "GRACE@example.com", `${id}`])
    expect(await actsAs(as), as).toMatchObject({ code: 0, stdout: `${id}\n` });
  for (const nobody of [" ", "x".repeat(256)])
    expect(await actsAs(nobody)).toMatchObject({ code: 6, stderr: expect.stringContaining("There is no user") });
  expect(await actsAs("Grace")).toMatchObject({ code: 6, stderr: expect.stringContaining("There is no user Grace.") });
  const { id: other } = JSON.parse((await wcs([...made, "--email", "other@example.com"])).stdout);
  expect(await actsAs("Grace Hopper")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      `--as: 2 users are called Grace Hopper: Grace Hopper (Acme, ${id}), Grace Hopper (Acme, ${other}).\nhint: Use an ID.\n`,
    ),
  });
  const hop = [...named.with(3, "Hop"), "--email", "hop@example.com", "--reference", "grace hopper"];
  const { id: third } = JSON.parse((await wcs(["users", "create", ...hop, "--json"])).stdout);
  expect(await actsAs("grace hopper")).toMatchObject({
    code: 2,
    stderr: `error: --as: grace hopper is the reference of user Grace Hop (Acme, ${third}) and the name of Grace Hopper (Acme, ${id}), Grace Hopper (Acme, ${other}).\nhint: Use 'ref:grace hopper' for the reference, or an ID or e-mail address for the name.\n`,
  });
});

it("users deactivate and delete take several users, and stop at one that fails", async () => {
  const add = async (name: string) => {
    const names = ["--first-name", name, "--last-name", "Low", "--email", `${name}@example.com`, "--unit", "1"];
    return String(JSON.parse((await run("users", "create", ...names, "--json")).stdout).id);
  };
  const [kim, lou, max] = [await add("kim"), await add("lou"), await add("max")];
  expect(await run("users", "deactivate", kim, "lou@example.com", "987654", "max low", kim, "--yes")).toMatchObject({
    code: 6,
    stderr: `Deactivated user ${kim}.\nDeactivated user ${lou} (lou Low).\nNot tried after the error: ${max} (max Low).\nerror: There is no user 987654.\nhint: A number is an ID; a reference begins with ref:, as in ref:1044.\n`,
  });
  expect(JSON.parse((await run("users", "get", max, "--json")).stdout).active).toBe(true);
  expect(await run("users", "delete", `${kim},${lou}`, max, "--yes", "--dry-run")).toMatchObject({ code: 0 });
  expect(await run("users", "delete", kim, lou, kim, "--yes")).toMatchObject({
    code: 0,
    stderr: `Deleted user ${kim}.\nDeleted user ${lou}.\n`,
  });
});

it("events delete and users deactivate: a comma is part of a title or name, and an empty one is refused", async () => {
  const add = async (title: string) => {
    const times = ["--type", "user", "--start", "+1d", "--end", "+90m"];
    return JSON.parse((await run("events", "create", "--title", title, ...times, "--json")).stdout).id as number;
  };
  const [named] = [await add("Lunch, then talk"), await add("Lunch"), await add("then talk")];
  expect(await run("events", "delete", "Lunch, then talk", "--yes")).toMatchObject({
    code: 0,
    stderr: `Deleted event ${named} (Lunch, then talk).\n`,
  });
  const bob = (await run("users", "get", "bob@example.com", "--query", "id")).stdout.trim();
  expect((await run("users", "deactivate", bob, "", "--yes")).code).not.toBe(0);
  expect((await run("users", "get", bob, "--query", "active")).stdout).toBe("true\n");
});

it("users delete asks about each of several users before it deletes the first one", async () => {
  const { home, local } = place();
  const answers = ["y", "n"];
  expect(await home.sit(["users", "delete", "2", "1", ...local], { answers })).toMatchObject({
    code: 130,
    stderr: expect.stringContaining("Nothing was changed."),
  });
  expect(await run("users", "get", "2")).toMatchObject({ code: 0, stderr: "" });
});
