import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { registry } from "../../src/cli/registry.ts";
import { useHome } from "./support.ts";

const home = useHome();
const run = (...args: string[]) => home().wcs(args);

it("short names of verbs, whoami, and groups in the singular or plural are the commands themselves", async () => {
  const same: [string[], string[]][] = [
    [
      ["user", "ls", "--json"],
      ["users", "list", "--json"],
    ],
    [
      ["unit", "show", "1", "--json"],
      ["units", "get", "1", "--json"],
    ],
    [
      ["whoami", "--json"],
      ["users", "current", "--json"],
    ],
    [
      ["--tz", "UTC", "whoami"],
      ["users", "current", "--tz", "UTC"],
    ],
    [
      ["users", "memberships", "ls", "1"],
      ["users", "membership", "list", "1"],
    ],
    [
      ["group", "rm", "--help"],
      ["groups", "delete", "--help"],
    ],
    [
      ["groups", "members", "rm", "--help"],
      ["groups", "member", "remove", "--help"],
    ],
  ];
  for (const [short, long] of same) {
    const expected = await run(...long);
    expect(expected.code, long.join(" ")).toBe(0);
    expect(await run(...short), short.join(" ")).toEqual(expected);
  }
});

it("the plural of a verb is not the verb: posts reads confirms nothing", async () => {
  for (const line of ["posts reads 1", "posts likes 1", "users deletes 1", "webhooks tests 1"]) {
    const [group, word] = line.split(" ");
    const { code, stderr } = await run(...line.split(" "));
    expect({ code, stderr: stderr.split("\n")[0] }).toEqual({
      code: 2,
      stderr: `error: Unknown command 'wcs ${group} ${word}'.`,
    });
  }
});

it("an alias of a short name or of another alias stands for the whole command", async () => {
  expect(await run("alias", "set", "myself", "--", "whoami", "--json")).toMatchObject({
    code: 0,
    stderr: "wcs myself now means wcs users current --json.\n",
  });
  expect(await run("alias", "set", "mail", "--", "myself", "--query", "email")).toMatchObject({ code: 0 });
  expect((await run("alias", "remove", "myself")).code).toBe(0);
  expect((await run("mail")).stdout).toBe((await run("whoami", "--json", "--query", "email")).stdout);
  expect((await run("alias", "remove", "mail")).code).toBe(0);
});

it("aliases are kept, take more words, and are removed", async () => {
  expect(await run("alias", "set", "seller", "--", "users", "list", "--unit", "Sales")).toMatchObject({
    code: 0,
    stderr: "wcs seller now means wcs users list --unit Sales.\n",
  });
  expect((await run("alias", "set", "mine", "users get 'ada lovelace'")).code).toBe(0);
  expect((await run("seller", "--json")).stdout).toBe("[]\n");
  expect((await run("mine", "--query", "email")).stdout).toBe("ada@example.com\n");
  expect(JSON.parse((await run("alias", "list", "--json")).stdout)).toEqual([
    { name: "seller", command: "wcs users list --unit Sales" },
    { name: "mine", command: "wcs users get 'ada lovelace'" },
  ]);
  // Profiles stay.
  expect((await run("profile", "list", "--query", "length(@)")).stdout).toBe("1\n");
  expect((await run("alias", "remove", "mine")).code).toBe(0);
  expect(await run("alias", "remove", "mine")).toMatchObject({ code: 6 });
  expect(await run("mine")).toMatchObject({ code: 2, stderr: expect.stringContaining("Unknown command") });
});

it("profile add keeps the aliases", async () => {
  expect((await run("alias", "set", "kept", "units list")).code).toBe(0);
  expect((await run("profile", "add", "other", "--db", "other.db")).code).toBe(0);
  expect((await run("alias", "list", "--query", "[].name", "--json")).stdout).toContain("kept");
});

it("alias remove does not find an alias in the properties that every object has", async () => {
  expect(await run("alias", "remove", "constructor")).toMatchObject({ code: 6 });
});

it("an alias never hides a command", async () => {
  for (const name of [...Object.keys(registry), "user", "whoami"])
    expect(await run("alias", "set", name, "users list"), name).toMatchObject({ code: 2 });
  writeFileSync(
    home().path("config/config.json"),
    JSON.stringify({ profiles: {}, aliases: { users: ["units"], nonsense: ["users", "list"] } }),
  );
  expect((await run("users", "--help")).stdout).toContain("wcs users <command>");
  for (const [name, command] of [
    ["x y", "users list"],
    ["x", "unknown"],
    ["x", "users"],
    ["constructor x", "users list"],
  ])
    expect(await run("alias", "set", name!, command!), name).toMatchObject({ code: 2 }); // both are given above
  expect(await run("constructor")).toMatchObject({ code: 2 });
  writeFileSync(home().path("config/config.json"), JSON.stringify({ profiles: {}, aliases: { x: "users" } }));
  expect(await run("users", "list")).toMatchObject({ code: 2, stderr: expect.stringContaining("is invalid") });
});
