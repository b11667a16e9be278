import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Config, configDir, configFile } from "../../src/cli/session/config.ts";
import { isFull } from "../support/effort.ts";
import { type LoginServer, startLoginServer, token } from "./login-server.ts";
import { finished, type Home, newHome, start } from "./support.ts";

let home: Home;
let server: LoginServer;
beforeEach(async () => {
  home = newHome();
  server = await startLoginServer();
});
afterEach(() => server.close());

function signedIn(jwt: string): string {
  mkdirSync(configDir(home.env), { recursive: true, mode: 0o700 });
  const work = { target: server.url, token: jwt, user: "ada@example.com" };
  writeFileSync(configFile(home.env), JSON.stringify({ profiles: { work }, current: "work" }), { mode: 0o600 });
  return jwt;
}

const config = () => JSON.parse(readFileSync(configFile(home.env), "utf8")) as Config;
const stored = () => config().profiles.work?.token;
const list = ["languages", "list", "--no-header"];
const good = { code: 0, stdout: "en\tEnglish\n", stderr: "" };

/** Follows a conversation until the token changes, and returns the first token. Calls `begun` after the first request. */
async function followUntilRenewal(begun = () => {}): Promise<string> {
  // The command has half of the token's lifetime to start and the other half to renew it, which may be too short on a busy machine.
  for (let life = 4; ; life *= 2) {
    server.seen.calls.length = server.seen.renewals = 0;
    const old = signedIn(token(0, life));
    const child = start(["conversations", "follow", "1", "--last", "0"], home.env);
    const ended = finished(child, "");
    await expect.poll(() => server.seen.calls.length > 0 || child.exitCode !== null).toBe(true);
    begun();
    const isRenewed = () => server.seen.calls.at(-1) !== old && server.seen.calls.length > 1;
    await expect.poll(() => isRenewed() || child.exitCode !== null).toBe(true);
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    if (code === 4 && life <= 60) continue;
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
    if (server.seen.calls[0] === old || life > 60) return old;
  }
}

describe("a token", () => {
  it("with more than half of its lifetime left is sent unchanged", async () => {
    const jwt = signedIn(token(100, 1000));
    expect(await home.sit(list)).toEqual(good);
    expect(server.seen).toEqual({ renewals: 0, calls: [jwt] });
  });

  it("with less than half of its lifetime left is renewed and stored", async () => {
    const old = signedIn(token(600, 1000));
    expect(await home.sit(list)).toEqual(good);
    expect(server.seen.renewals).toBe(1);
    expect(stored()).not.toBe(old);
    expect(server.seen.calls).toEqual([stored()]);
    expect(await home.sit(list)).toEqual(good);
    expect(server.seen.renewals).toBe(1);
  });

  it.each(["refused", "broken"] as const)("that is valid is used when its renewal is %s", async (how) => {
    const old = signedIn(token(600, 1000));
    server.renewal = how;
    expect(await home.sit(list)).toEqual(good);
    expect(server.seen.calls).toEqual([old]);
    expect(stored()).toBe(old);
  });

  it("whose renewal was refused is not renewed again at once by a long command", async () => {
    const old = signedIn(token(600, 1000));
    server.renewal = "refused";
    const child = start(["conversations", "follow", "1", "--last", "0"], home.env);
    const ended = finished(child, "");
    await expect.poll(() => server.seen.calls.length).toBeGreaterThan(4);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130 });
    expect(server.seen.renewals).toBe(1);
    expect(new Set(server.seen.calls)).toEqual(new Set([old]));
  });

  it("is renewed while a long command runs", async () => {
    const old = await followUntilRenewal();
    expect(server.seen).toMatchObject({ renewals: 1 });
    expect(server.seen.calls[0]).toBe(old);
    expect(server.seen.calls.at(-1)).toBe(stored());
  });

  it.each([
    ["instance", () => ({ target: "http://127.0.0.1:9", user: "ada@example.com" })],
    ["user", () => ({ target: server.url, user: "bob@example.com" })],
  ])("is renewed without the token of another %s that the profile got while the command runs", async (_, login) => {
    const other = { ...login(), token: token(0, 1000, "other") };
    const changed = { profiles: { work: other }, current: "work" };
    await followUntilRenewal(() => writeFileSync(configFile(home.env), JSON.stringify(changed)));
    expect(server.seen.renewals).toBe(1);
    expect(server.seen.calls).not.toContain(other.token);
    expect(config()).toEqual(changed);
  });

  it.each([
    ["ada@example.com", good],
    ["bob@example.com", expect.objectContaining({ code: 4 })],
  ])(
    "that ends while a command starts is replaced by the one stored meanwhile, if it is of the same user: %s",
    async (user, expected) => {
      signedIn(token(600, 1000));
      const other = token(0, 1000, "other");
      server.renewal = "refused";
      server.onRenewal = () => {
        const work = { target: server.url, token: other, user };
        writeFileSync(configFile(home.env), JSON.stringify({ profiles: { work }, current: "work" }));
        server.accept(other);
      };
      expect(await home.sit(list)).toEqual(expected);
      expect(stored()).toBe(other);
    },
  );

  it("that has expired: exit 4, without a request", async () => {
    signedIn(token(2000, 1000));
    const { code, stderr } = await home.sit(list);
    expect(code).toBe(4);
    expect(stderr).toBe(
      "error: The login of profile work has expired.\nhint: Sign in with wcs auth login --profile work.\n",
    );
    expect(server.seen).toEqual({ renewals: 0, calls: [] });
  });

  it("that was revoked: exit 4", async () => {
    signedIn(token(0, 1000));
    server.accept();
    expect((await home.sit(list)).code).toBe(4);
  });

  it("that was revoked cannot be renewed: the hint signs in to the same profile", async () => {
    signedIn(token(0, 1000));
    server.accept();
    const refused = { code: 4, stderr: expect.stringMatching(/\nhint: Sign in with wcs auth login --profile work\n$/) };
    expect(await home.sit(["auth", "renew"])).toMatchObject(refused);
    signedIn("");
    for (const verb of ["renew", "token"]) expect(await home.sit(["auth", verb])).toMatchObject(refused);
  });

  it("in WCS_TOKEN takes precedence, and is neither renewed nor stored", async () => {
    const old = signedIn(token(600, 1000));
    const own = token(900, 1000, "own");
    expect(await home.sit(list, { env: { WCS_TOKEN: own } })).toEqual(good);
    expect(server.seen).toEqual({ renewals: 0, calls: [own] });
    expect(stored()).toBe(old);
    expect((await home.sit(["auth", "token"], { env: { WCS_TOKEN: own } })).stdout).toBe(`${own}\n`);
  });

  it("of a profile is used for its URL, too", async () => {
    const jwt = signedIn(token(0, 1000));
    expect(await home.sit([...list, "--url", `${server.url}/api/`])).toEqual(good);
    expect(server.seen.calls).toEqual([jwt]);
  });
});

it("auth login makes a new profile the current one, also one that is called constructor", async () => {
  signedIn(token(100, 1000));
  const login = ["auth", "login", "--url", server.url, "--username", "ada@example.com", "--password-stdin"];
  expect((await home.sit([...login, "--profile", "constructor"], { stdin: "right" })).code).toBe(0);
  expect(config().current).toBe("constructor");
});

it("auth login says that the clocks differ when the new login has expired already", async () => {
  const login = ["auth", "login", "--url", server.url, "--username", "ada@example.com", "--password-stdin"];
  server.life = -3600;
  const { code, stderr } = await home.sit(login, { stdin: "right" });
  expect(code).toBe(0);
  expect(stderr).toContain(
    "The new login counts as expired, because the clocks differ. Compare them with wcs doctor.\n",
  );
  server.life = 86_400;
  expect((await home.sit(login, { stdin: "right" })).stderr).not.toContain("clocks");
});

describe("on a terminal", () => {
  it.each([
    ["has expired", () => signedIn(token(2000, 1000))],
    ["was revoked", () => signedIn(token(0, 1000)) && server.accept()],
  ])("users can sign in again when the token %s", async (_, prepare) => {
    prepare();
    const { code, stdout, stderr } = await home.sit(list, { answers: ["y", "right"] });
    expect({ code, stdout }).toEqual({ code: 0, stdout: good.stdout });
    expect(stderr).toContain("Sign in again as ada@example.com?");
    expect(await home.sit(list)).toEqual(good);
  });

  it("without a new sign-in: exit 4", async () => {
    signedIn(token(2000, 1000));
    expect((await home.sit(list, { answers: ["n"] })).code).toBe(4);
    expect((await home.sit(list, { answers: ["y", "wrong"] })).code).toBe(4);
    expect((await home.sit([...list, "--no-input"], { answers: ["y", "right"] })).code).toBe(4);
  });
});

/** Waits until a condition holds or the command has ended. */
async function until(child: ChildProcess, holds: () => boolean): Promise<void> {
  while (!holds() && child.exitCode === null) await turn();
}

describe("many commands at once", () => {
  it("near a renewal do not fail, renew once, and leave the configuration complete", async () => {
    const old = signedIn(token(600, 1000));
    const results = await Promise.all(Array.from({ length: isFull ? 50 : 6 }, () => home.spawn(list)));
    expect(results.filter((result) => result.code !== 0 || result.stdout !== good.stdout)).toEqual([]);
    expect(Object.keys(config().profiles)).toEqual(["work"]);
    expect((statSync(configFile(home.env)).mode & 0o777).toString(8)).toBe("600");
    // On a busy machine, a command that does not get the lock in time, or whose renewal takes too long, uses the old token.
    const { calls, renewals } = server.seen;
    const withOld = calls.filter((used) => used === old).length;
    expect(calls.filter((used) => used === stored()).length).toBe(calls.length - withOld);
    expect(stored()).not.toBe(old);
    // One renewal was stored. Each further one was of a command that then used the old token.
    expect(renewals).toBeGreaterThan(0);
    expect(renewals).toBeLessThanOrEqual(1 + withOld);
  });

  it("that are killed at any moment leave the configuration complete, and the next command works", async () => {
    const folder = configDir(home.env);
    const lock = `${configFile(home.env)}.lock`;
    const moments: ((child: ChildProcess) => Promise<unknown>)[] = [
      // The command waits for the answer and holds the lock.
      () => new Promise<void>((resolve) => (server.onRenewal = resolve)),
      // The command has the answer, or gets it soon.
      () => new Promise<void>((resolve) => (server.onRenewal = () => setImmediate(resolve))),
      // The configuration is being written, or has been.
      (child) => until(child, () => readdirSync(folder).length > 2 || stored()?.includes("renewed") === true),
      (child) => until(child, () => stored()?.includes("renewed") === true),
      (child) => until(child, () => server.seen.renewals > 0 && !existsSync(lock)),
    ];
    for (const [round, moment] of (isFull ? [...moments, ...moments] : moments).entries()) {
      signedIn(token(600, 1000, `round-${round}`));
      server.seen.renewals = 0;
      const child = start(list, home.env);
      const ended = finished(child, "");
      await moment(child);
      server.onRenewal = () => {};
      child.kill("SIGKILL");
      const { signal } = await ended;
      if (moment === moments[0]) expect(signal).toBe("SIGKILL");
      expect(config().profiles.work?.target).toBe(server.url);
      expect(await home.sit(list)).toEqual(good);
    }
  });

  it("that do not get the lock in time use the old token", async () => {
    const old = signedIn(token(600, 1000));
    writeFileSync(`${configFile(home.env)}.lock`, "1 elsewhere x");
    expect(await home.sit(list)).toEqual(good);
    expect(server.seen).toEqual({ renewals: 0, calls: [old] });
  });

  it("do not wait long for an instance that does not answer renewals", async () => {
    const old = signedIn(token(600, 1000));
    server.renewal = "slow";
    expect(await home.sit(list)).toEqual(good);
    expect(server.seen.calls).toEqual([old]);
  });
});
