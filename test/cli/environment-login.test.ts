import { existsSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { describePlaces } from "./places.ts";

const password = "a very long horse";

describePlaces("WCS_USERNAME and WCS_PASSWORD", (place) => {
  const login = (username: string, secret = password) => ({
    env: { WCS_TOKEN: "", WCS_USERNAME: username, WCS_PASSWORD: secret },
  });
  beforeAll(async () => {
    const bob = ["--first-name", "Bob", "--last-name", "Doe", "--email", "bob@example.com", "--unit", "1"];
    const made = await place().wcs(["users", "create", ...bob]);
    const set = await place().wcs(["users", "password", "2", "--password-stdin"], { stdin: password });
    if (made.code !== 0 || set.code !== 0) throw new Error(made.stderr + set.stderr);
  });

  it("sign in for one command, and nothing is stored", async () => {
    const who = await place().wcs(["whoami", "--query", "email"], login("bob@example.com"));
    expect(who).toMatchObject({ code: 0, stdout: "bob@example.com\n" });
    expect(existsSync(place().home.path("config/config.json"))).toBe(false);
    expect((await place().wcs(["whoami"], login("bob@example.com", "wrong"))).code).toBe(4);
    const { stdout } = await place().wcs(["auth", "status", "--query", "login"], login("bob@example.com"));
    expect(stdout).toBe("WCS_USERNAME\n");
    const token = (await place().wcs(["auth", "token"], login("bob@example.com"))).stdout.trim();
    const with_ = await place().wcs(["whoami", "--query", "email"], { env: { WCS_TOKEN: token } });
    expect(with_.stdout).toBe("bob@example.com\n");
  });

  it("WCS_USERNAME alone is named when nothing else signs in", async () => {
    const { code, stderr } = await place().wcs(["whoami"], login("bob@example.com", ""));
    if (!place().args.includes("--url")) return expect(code).toBe(0);
    expect(code).toBe(4);
    expect(stderr).toMatch(/^error: WCS_USERNAME is set without WCS_PASSWORD\.\nhint: Set both /);
  });

  it("an empty WCS_TOKEN is named, and no stored login is used in its place", async () => {
    const { home, args } = place();
    if (!args.includes("--url")) return;
    const empty = await place().wcs(["whoami"], { env: { WCS_TOKEN: "" } });
    const said =
      "error: WCS_TOKEN is empty.\nhint: Set it to an API token, or unset it to use the login of a profile.\n";
    expect([empty.code, empty.stderr]).toEqual([4, said]);
    const login = ["auth", "login", "--username", "bob@example.com", "--password-stdin", ...args];
    expect((await home.wcs(login, { stdin: password })).code).toBe(0);
    expect(await home.wcs(["whoami", "--query", "email"])).toMatchObject({ code: 0, stdout: "bob@example.com\n" });
    for (const target of [[], args])
      expect(await home.wcs(["whoami", ...target], { env: { WCS_TOKEN: "" } })).toMatchObject({
        code: 4,
        stderr: said,
      });
    // The token belongs to another instance.
    const elsewhere = { env: { WCS_TOKEN: "", WCS_URL: "https://elsewhere.example.com" } };
    expect((await home.wcs(["whoami", ...args], elsewhere)).code).toBe(0);
    expect((await home.wcs(["auth", "logout"])).code).toBe(0);
  });

  it("are not taken for a new password", async () => {
    const { code, stderr } = await place().wcs(["users", "password", "me"], login("bob@example.com"));
    expect(code).toBe(2);
    expect(stderr).toContain("Missing --password-stdin");
  });
});

describePlaces("auth renew and logout", (place) => {
  it("work with the --db or --url of auth login", async () => {
    const set = await place().wcs(["users", "password", "1", "--password-stdin"], { stdin: password });
    expect(set.code, set.stderr).toBe(0);
    const args = place().args;
    const run = (...line: string[]) => place().home.wcs([...line, ...args], { stdin: password });
    expect((await run("auth", "renew")).code).toBe(4);
    expect((await run("auth", "login", "--username", "ada@example.com", "--password-stdin")).code).toBe(0);
    expect(await run("auth", "renew")).toMatchObject({ code: 0, stderr: expect.stringContaining("Renewed the token") });
    expect((await run("auth", "logout")).code).toBe(0);
    expect((await run("auth", "renew")).code).toBe(4);
  });

  it("say that WCS_TOKEN takes precedence over the login that they change", async () => {
    const args = place().args;
    const run = (line: string[], env = {}) => place().home.wcs([...line, ...args], { stdin: password, env });
    const login = ["auth", "login", "--username", "ada@example.com", "--password-stdin"];
    const said = "WCS_TOKEN is set: until you unset it, commands use that token and not the login of a profile.\n";
    expect((await run(login)).stderr).not.toContain(said);
    const own = { WCS_TOKEN: (await run(["auth", "token"])).stdout.trim() };
    for (const line of [login, ["auth", "renew"], ["auth", "logout"]])
      expect(await run(line, own)).toMatchObject({ code: 0, stderr: expect.stringContaining(said) });
  });
});
