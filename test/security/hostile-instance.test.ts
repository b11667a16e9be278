import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useHome } from "../cli/support.ts";

/** Control sequences for colours and titles, in 7 and 8 bits, and characters that reverse text. */
const evil = "\u001b]0;pwned\u0007 \u009b31m \u202eabc.";
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe("Whatever an instance answers, the command line prints no control characters", () => {
  const home = useHome({ database: false });
  let answer: (path: string) => { readonly status?: number; readonly body: unknown };
  const server = createServer((request, response) => {
    const { status = 200, body } = answer((request.url ?? "").replace("/api", ""));
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  let env: Record<string, string>;
  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    env = { WCS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WCS_TOKEN: "x" };
  });
  afterAll(() => void server.close());
  const failing = (code: string, status: number) => () => ({ status, body: { error: { code, message: evil } } });

  it.each([[[]], [["--json"]], [["-o", "ndjson"]]])("in an error, with %j", async (flags) => {
    answer = failing("forbidden", 403);
    const { code, stderr } = await home().sit(["users", "get", "1", ...flags], { env });
    expect(code).toBe(5);
    expect(stderr).not.toMatch(obeyed);
    if (flags.length > 0) expect(JSON.parse(stderr).error.message).toBe(evil);
  });

  it("in an error with its stack", async () => {
    answer = failing("forbidden", 403);
    const { stderr } = await home().sit(["users", "get", "1"], { env: { ...env, WCS_DEBUG: "1" } });
    expect(stderr).toContain("\n    at ");
    expect(stderr).not.toMatch(obeyed);
  });

  it("in the findings of doctor", async () => {
    answer = (path) => (path === "/openapi.json" ? { body: { info: { "x-wcs-version": evil } } } : { body: {} });
    const { stdout } = await home().sit(["doctor"], { env, screen: { width: 100, height: 40 } });
    expect(stdout).toContain("pwned");
    expect(stdout).not.toMatch(obeyed);
  });

  it("in a message on stderr, here about a code for signing in", async () => {
    answer = failing("otp_required", 401);
    const line = ["auth", "login", "--username", "ada@example.com"];
    const { stderr } = await home().sit(line, { env, answers: ["secret", "123456", "^C"] });
    expect(stderr).toContain("pwned");
    expect(stderr).not.toMatch(obeyed);
  });

  it("in the secret and the recovery codes of two factors", async () => {
    answer = (path) => ({ body: path === "/two-factor" ? { secret: evil, uri: "x" } : { recovery_codes: [evil] } });
    const seat = { env, answers: ["secret", "123456"], screen: { width: 100, height: 40 } };
    const { stdout, stderr } = await home().sit(["auth", "2fa", "enable"], seat);
    expect(stdout).toContain("pwned");
    expect(stdout + stderr).not.toMatch(obeyed);
  });

  it("in the ID of an event, which webhooks listen does not forward", async () => {
    const event = { webhook_event_id: evil, payload: { type: "user.create" } };
    answer = () => ({ body: { data: [event], meta: { last_id: 1 } } });
    const line = ["webhooks", "listen", "--forward-to", "http://127.0.0.1:9/"];
    const { code, stderr } = await home().sit(line, { env });
    expect([code, stderr]).toEqual([8, expect.stringContaining("did not answer like a wcs service")]);
    expect(stderr).not.toMatch(obeyed);
  });
});
