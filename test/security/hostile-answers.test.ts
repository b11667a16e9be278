import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configFile } from "../../src/cli/session/config.ts";
import { token } from "../cli/login-server.ts";
import { type Home, newHome } from "../cli/support.ts";

/** Answers of a broken instance, or of one that wants to harm the user of the command line. */
let answer: (path: string, response: ServerResponse) => void;
const server = createServer((request, response) => {
  request.resume();
  answer((request.url ?? "").replace("/api", ""), response);
});
let url: string;
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

describe("an answer to a sign-in or a renewal without a token", () => {
  const now = Math.floor(Date.now() / 1000);
  const good = { jwt: token(600, 1000), expires: now + 400 };
  const wrong: [name: string, login: unknown][] = [
    ["a text as the end", { ...good, expires: "soon" }],
    ["no end", { ...good, expires: null }],
    ["a number as the token", { ...good, jwt: 5 }],
    ["a token with a line break", { ...good, jwt: "a\r\nb: c" }],
    ["a token that no header holds", { ...good, jwt: "x".repeat(20_000) }],
    ["no token", { expires: now }],
    ["null", null],
  ];
  const signIn = (home: Home) =>
    home.sit(["auth", "login", "--url", url, "--username", "ada@example.com", "--password-stdin"], { stdin: "right" });
  const answerWith = (login: unknown) => {
    answer = (path, response) =>
      json(response, /authenticate|renew/.test(path) ? [login] : { data: [{ code: "en", name: "English" }] });
  };
  const saved = (home: Home) => readFileSync(configFile(home.env), "utf8");

  it.each(wrong)("is refused, and other profiles stay usable: %s", async (_, login) => {
    const home = newHome();
    await home.sit(["profile", "add", "other", "--url", "https://wcs.example.com"]);
    const before = saved(home);
    answerWith(login);
    const { code, stderr } = await signIn(home);
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringContaining("did not answer with a token.\nhint:"),
    });
    expect(saved(home)).toBe(before);
  });

  it.each(wrong)("does not replace the token of the profile: %s", async (_, login) => {
    const home = newHome();
    answerWith(good);
    expect((await signIn(home)).code).toBe(0);
    const before = saved(home);
    answerWith(login);
    for (let run = 0; run < 2; run += 1)
      expect(await home.sit(["languages", "list", "--no-header"])).toEqual({
        code: 0,
        stdout: "en\tEnglish\n",
        stderr: "",
      });
    expect((await home.sit(["auth", "renew"])).code).toBe(8);
    expect(saved(home)).toBe(before);
  });
});
