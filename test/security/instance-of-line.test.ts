import { readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configDir, configFile } from "../../src/cli/session/config.ts";
import { type LoginServer, startLoginServer, token } from "../cli/login-server.ts";
import { type Home, newHome } from "../cli/support.ts";

const list = ["languages", "list", "--no-header"];
const good = { code: 0, signal: null, stdout: "en\tEnglish\n", stderr: "" };

let home: Home;
let own: LoginServer;
let evil: LoginServer;
beforeEach(async () => {
  home = newHome();
  own = await startLoginServer();
  evil = await startLoginServer();
});
afterEach(async () => {
  await own.close();
  await evil.close();
});

/** Signs in to the user's own instance, with the profile `work`. */
const signIn = (env: Record<string, string> = {}) =>
  home.wcs(
    ["auth", "login", "--profile", "work", "--url", own.url, "--username", "ada@example.com", "--password-stdin"],
    { stdin: "right", env },
  );
/** The tokens that the attacker got; `wcs doctor` also asks without one. */
const stolen = () => evil.seen.calls.filter((sent) => sent !== "");
const line = (words: readonly string[], env: Record<string, string>) => home.wcs(words, { env });

describe("A user who is tricked into a line with --url of an attacker", () => {
  it("sends no token of a profile", async () => {
    await signIn();
    for (const words of [list, ["auth", "status"], ["auth", "renew"], ["doctor"]])
      await line([...words, "--url", evil.url], {});
    expect(stolen()).toEqual([]);
    expect(evil.seen.renewals).toBe(0);
  });

  it("sends no WCS_TOKEN that belongs to the instance in WCS_URL", async () => {
    const env = { WCS_URL: own.url, WCS_TOKEN: "wcs_secret" };
    const { code, stderr } = await line([...list, "--url", evil.url], env);
    expect(code).toBe(4);
    expect(stderr).toBe(
      `error: WCS_TOKEN belongs to the instance in WCS_URL and is not sent to another.\nhint: Set WCS_URL=${evil.url} if it belongs there, or sign in with wcs auth login --url ${evil.url}.\n`,
    );
    for (const words of [["auth", "status"], ["api", "GET", "/users"], ["doctor"]])
      await line([...words, "--url", evil.url], env);
    expect(stolen()).toEqual([]);
    expect(await line([...list, "--url", `${own.url}/api/`], env)).toEqual(good);
    expect(await line(list, env)).toEqual(good);
    expect(own.seen.calls).toEqual(["wcs_secret", "wcs_secret"]);
  });

  it("sends no WCS_PASSWORD that belongs to the instance in WCS_URL", async () => {
    const env = { WCS_URL: own.url, WCS_USERNAME: "ada@example.com", WCS_PASSWORD: "right" };
    const refused = await line([...list, "--url", evil.url], env);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("WCS_PASSWORD belongs to the instance") });
    const login = await line(["auth", "login", "--url", evil.url], env);
    expect(login).toMatchObject({ code: 2, stderr: expect.stringContaining("--password-stdin") });
    expect((await line(["auth", "token", "--url", evil.url], env)).stdout).toBe("");
    expect(evil.seen.calls).toEqual([]);
    expect(await line(list, env)).toEqual(good);
  });

  it("sends the login of the profile on the line, not the WCS_TOKEN of another instance", async () => {
    await signIn();
    const env = { WCS_URL: evil.url, WCS_TOKEN: "other" };
    expect(await line([...list, "--profile", "work"], env)).toEqual(good);
    expect(own.seen.calls).toEqual([expect.not.stringContaining("other")]);
  });

  it("sends WCS_TOKEN without WCS_URL to the instance on the line, as scripts do", async () => {
    expect(await line([...list, "--url", own.url], { WCS_TOKEN: "wcs_secret" })).toEqual(good);
    expect(own.seen.calls).toEqual(["wcs_secret"]);
  });
});

it("A command whose profile gets another instance while it runs sends neither token to the other instance", async () => {
  await signIn();
  const file = configFile(home.env);
  const write = (target: string, jwt: string) =>
    writeFileSync(file, JSON.stringify({ profiles: { work: { target, token: jwt } }, current: "work" }));
  const aging = token(600, 1000);
  write(own.url, aging);
  // The command waits for the lock in order to renew the token.
  writeFileSync(`${file}.lock`, "1 elsewhere x");
  const watcher = watch(configDir(home.env));
  const waits = new Promise<void>((resolve) => {
    watcher.on("change", (_, name) => {
      if (String(name).startsWith(`${basename(file)}.lock.`)) resolve();
    });
  });
  const running = line(list, {});
  await waits;
  watcher.close();
  const foreign = token(0, 1000, "foreign");
  write(evil.url, foreign);
  rmSync(`${file}.lock`);
  expect(await running).toEqual(good);
  expect(own.seen.calls).toHaveLength(1);
  expect(own.seen.calls).not.toContain(foreign);
  expect(JSON.parse(readFileSync(file, "utf8")).profiles.work).toEqual({ target: evil.url, token: foreign });
});

describe("A login over plain http", () => {
  const warning =
    "Warning: http://wcs.example.com is not encrypted: others on the network can read your login. Use https://.\n";
  // The proxy answers for the instance.
  const proxied = () => ({ WCS_URL: "http://wcs.example.com", HTTP_PROXY: own.url });

  it("is sent to another machine with one warning only", async () => {
    const { stdout, stderr } = await home.spawn(list, { env: { ...proxied(), WCS_TOKEN: "wcs_secret" } });
    expect({ stdout, stderr }).toEqual({ stdout: good.stdout, stderr: warning });
    expect(own.seen.calls).toEqual(["wcs_secret"]);
    const password = { WCS_USERNAME: "ada@example.com", WCS_PASSWORD: "right" };
    expect((await home.spawn(list, { env: { ...proxied(), ...password } })).stderr).toContain(warning);
  });

  it("needs no warning on this machine", async () => {
    expect((await signIn()).stderr).not.toContain("Warning");
    expect(await line(list, {})).toEqual(good);
    expect(await line(list, { WCS_URL: own.url.replace("127.0.0.1", "localhost"), WCS_TOKEN: "x" })).toEqual(good);
  });
});
