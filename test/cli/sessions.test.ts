import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { configFile } from "../../src/cli/session/config.ts";
import type { OutputOf } from "../../src/contract/operation.ts";
import type { sessions } from "../../src/contract/sessions.ts";
import { sqliteHttp } from "../support/instance.ts";
import { token } from "./login-server.ts";
import { describePlaces, usePlace } from "./places.ts";
import { type Result, useHome } from "./support.ts";

const password = "a very long horse";
const setPassword = ["users", "password", "1", "--password-stdin"];

type Session = OutputOf<typeof sessions.list>["data"][number];

describePlaces("sessions", (place) => {
  beforeAll(async () => {
    const { code, stderr } = await place().wcs(setPassword, { stdin: password });
    if (code !== 0) throw new Error(stderr);
  });

  /** Signs Ada in to a profile with this name. */
  const login = async (name: string): Promise<void> => {
    const words = ["auth", "login", ...place().args, "--profile", name, "--username", "ada@example.com"];
    const { code, stderr } = await place().home.wcs([...words, "--password-stdin"], { stdin: password });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`(profile ${name})`) });
  };
  const as = (name: string, ...words: string[]): Promise<Result> => place().home.wcs([...words, "--profile", name]);
  const json = async (name: string, ...words: string[]) => {
    const { code, stdout, stderr } = await as(name, ...words, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  const list = (name: string): Promise<Session[]> => json(name, "sessions", "list");
  const tokenOf = (name: string): string | undefined =>
    JSON.parse(readFileSync(configFile(place().home.env), "utf8")).profiles[name].token;
  const ended = "error: The session of the token has ended; sign in again.\n";

  it("users get me names the programs that signed in", async () => {
    await login("laptop");
    const { stdout } = await as("laptop", "users", "get", "me");
    // Without HTTP, no program names itself.
    expect(stdout).toMatch(/^devices\t((wcs\/[\w.-]+|unknown program)(, )?)+$/m);
  });

  it("one of two logins ends the other, which then exits with 4", async () => {
    await login("laptop");
    await login("phone");
    const { session } = await json("laptop", "auth", "status");
    expect(session).toEqual({ id: expect.any(Number), created_at: expect.any(Number) });
    const listed = await list("phone");
    expect(listed.find(({ id }) => id === session.id)).toMatchObject({ current: false });
    const unsure = await as("phone", "sessions", "end", String(session.id));
    expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining("Pass --yes to confirm.") });
    expect(await as("phone", "sessions", "end", String(session.id), "--yes")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: `Ended session ${session.id}.\n`,
    });
    for (const words of [["whoami"], ["auth", "renew"]])
      expect(await as("laptop", ...words)).toMatchObject({
        code: 4,
        stdout: "",
        stderr: expect.stringContaining(ended),
      });
    expect((await as("phone", "whoami")).code).toBe(0);
    const again = await as("phone", "sessions", "end", String(session.id), "--yes");
    expect(again).toMatchObject({ code: 6, stderr: `error: You have no session ${session.id}.\n` });
  });

  it("sessions end-others keeps the current session", async () => {
    await login("laptop");
    await login("phone");
    expect(await as("phone", "sessions", "end-others", "--yes")).toMatchObject({
      code: 0,
      stderr: "Ended your other sessions.\n",
    });
    expect(await list("phone")).toMatchObject([{ current: true }]);
    expect((await as("laptop", "whoami")).code).toBe(4);
  });

  it("auth logout ends the session, so that copies of its token are refused", async () => {
    await login("laptop");
    const WCS_TOKEN = tokenOf("laptop") ?? "";
    const copy = (...words: string[]) => place().home.wcs([...words, ...place().args], { env: { WCS_TOKEN } });
    expect((await copy("whoami")).code).toBe(0);
    expect(await as("laptop", "auth", "logout")).toMatchObject({
      code: 0,
      stderr: "Signed out of profile laptop. Its session has ended.\n",
    });
    expect(tokenOf("laptop")).toBeUndefined();
    expect(await copy("whoami")).toMatchObject({ code: 4, stderr: expect.stringContaining(ended) });
  });

  it("auth logout forgets a token whose session has ended already", async () => {
    await login("laptop");
    await login("phone");
    await as("phone", "sessions", "end-others", "--yes");
    expect(await as("laptop", "auth", "logout")).toMatchObject({ code: 0 });
    expect(tokenOf("laptop")).toBeUndefined();
  });

  it("a command that signs in with WCS_USERNAME and WCS_PASSWORD leaves no session behind", async () => {
    await login("phone");
    await as("phone", "sessions", "end-others", "--yes");
    const env = { WCS_TOKEN: "", WCS_USERNAME: "ada@example.com", WCS_PASSWORD: password };
    const { code, stdout } = await place().home.wcs(["sessions", "list", "--json", ...place().args], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ current: false }, { current: true }]);
    expect(await list("phone")).toHaveLength(1);
  });
});

const remote = usePlace(sqliteHttp);
const bare = useHome({ database: false });

it("auth logout without a connection: exit 8, the token is removed, and the message says until when copies stay valid", async () => {
  const { home, wcs, args, kill } = remote();
  expect(await wcs(setPassword, { stdin: password })).toMatchObject({ code: 0 });
  const words = ["auth", "login", ...args, "--profile", "work", "--username", "ada@example.com", "--password-stdin"];
  expect(await home.wcs(words, { stdin: password })).toMatchObject({ code: 0 });
  kill();
  const { code, stdout, stderr } = await home.wcs(["auth", "logout", "--profile", "work"]);
  expect({ code, stdout }).toEqual({ code: 8, stdout: "" });
  expect(stderr).toMatch(
    /^error: Signed out of profile work on this machine only\. Its session could not be ended, so copies of the token stay valid until \d{4}-.*: .*\nhint: Sign in again later, find the session with wcs sessions list, and end it with wcs sessions end ID\.\n$/,
  );
  expect(await home.wcs(["auth", "renew", "--profile", "work"])).toMatchObject({ code: 4 });
});

it("auth logout does not bring back a profile that is removed while its session ends", async () => {
  const { sit, path } = bare();
  const file = path("config/config.json");
  const server = createServer((_, response) => {
    writeFileSync(file, JSON.stringify({ profiles: {} }));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mkdirSync(path("config"), { mode: 0o700 });
  writeFileSync(file, JSON.stringify({ profiles: { work: { target, token: token(0, 3600) } } }), { mode: 0o600 });
  expect(await sit(["auth", "logout", "--profile", "work"])).toMatchObject({ code: 0 });
  expect((await sit(["profile", "list", "--json"])).stdout).toBe("[]\n");
});
