import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Home, newHome, start } from "../cli/support.ts";
import { describeOnDatabases } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { killedSessionsEnd, targetToKill } from "./killed-sessions.ts";

describeOnDatabases("a server that is restarted while it works", (open) => {
  let instance: Instance;
  let home: Home;
  let server: ChildProcess;
  let url: string;
  let token: string;
  beforeEach(async () => {
    instance = await open();
    home = newHome();
    token = await instance.tokenOf(1);
    await serve();
  });
  afterEach(async () => {
    server.kill("SIGKILL");
    await killedSessionsEnd(instance);
  });

  async function serve(): Promise<void> {
    const quiet = ["--log-level", "silent", "--shutdown-notice", "0"];
    server = start(["serve", "--port", "0", ...quiet], { ...home.env, WCS_DB: targetToKill(instance) });
    const [line] = (await once(server.stdout!, "data")) as [Buffer];
    url = String(line).trim();
  }

  const group = (name: string) => JSON.stringify({ name, description: "x".repeat(10_000) });
  const headersOf = (key: string) => ({
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "idempotency-key": key,
  });
  const create = async (name: string) => {
    const asked = await fetch(`${url}/api/groups`, { method: "POST", headers: headersOf(name), body: group(name) });
    return { status: asked.status, text: await asked.text() };
  };

  /** Begins a request, and sends half of its body when the server has asked for it. */
  async function beginUpload(name: string): Promise<{ upload: ClientRequest; rest: string; answer: Promise<unknown> }> {
    const body = group(name);
    const headers = { ...headersOf(name), "content-length": body.length, expect: "100-continue" };
    const upload = request(`${url}/api/groups`, { method: "POST", headers });
    const answer = once(upload, "response").then(
      ([response]: IncomingMessage[]) => response?.statusCode,
      () => "broken off",
    );
    upload.flushHeaders();
    await once(upload, "continue");
    const half = body.length / 2;
    upload.write(body.slice(0, half));
    return { upload, rest: body.slice(half), answer };
  }

  it.each([
    ["SIGTERM", 200, 201],
    ["SIGKILL", "broken off", "broken off"],
  ] as const)(
    "%s: what waits and uploads gets an answer or none; a repetition with the same key makes each thing once",
    async (signal, waited, uploaded) => {
      const first = await create("first");
      const waits = `${url}/api/webhooks/events?after=0&wait=60`;
      const waiting = fetch(waits, { headers: headersOf("") }).then(
        ({ status }) => status,
        () => "broken off",
      );
      const { upload, rest, answer } = await beginUpload("half");
      const ended = once(server, "close");
      server.kill(signal);
      expect(await waiting).toBe(waited);
      upload.end(rest);
      expect(await answer).toBe(uploaded);
      await ended;
      await serve();
      expect(await create("first")).toEqual(first);
      expect((await create("half")).status).toBe(201);
      const groups = await instance.database.reader.selectFrom("groups").select("name").orderBy("name").execute();
      expect(groups.map(({ name }) => name)).toEqual(["first", "half"]);
    },
  );
});
