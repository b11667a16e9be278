import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, it } from "vitest";
import { finished, start, useHome } from "./support.ts";

const home = useHome();
/** More than one page of any kind. */
const count = 103;
const textsIn = (lines: string) =>
  lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).message as string);

beforeAll(async () => {
  const bob = ["--first-name", "Bob", "--last-name", "Jones", "--email", "bob@example.com", "--unit", "1"];
  await home().wcs(["users", "create", ...bob, "-q"]);
  for (let n = 1; n <= count; n++) {
    const { code, stderr } = await home().sit(["conversations", "send", "--to", "2", `${n}`]);
    if (code !== 0) throw new Error(stderr);
  }
});

it("conversations export writes every message once, oldest first, and conversations messages shows each once, newest first", async () => {
  const all = Array.from({ length: count }, (_, at) => `${at + 1}`);
  expect(textsIn((await home().wcs(["conversations", "export", "1"])).stdout)).toEqual(all);
  const shown = await home().wcs(["conversations", "messages", "1", "--all", "-o", "ndjson"]);
  expect(textsIn(shown.stdout)).toEqual(all.toReversed());
  const screen = { width: 80, height: 24 };
  const readable = await home().sit(["conversations", "messages", "1", "--all"], { screen });
  expect(readable.stdout.split("\n\n").map((block) => block.split("\n")[1])).toEqual(all.toReversed());
});

it("conversations export takes the format from the name of the file, unless --format names it", async () => {
  const path = (name: string) => home().path(name);
  const beginning = async (...args: string[]) => {
    const { code, stdout } = await home().sit(["conversations", "export", "1", "-o", ...args]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    return readFileSync(args[0]!, "utf8").slice(0, 12);
  };
  expect(await beginning(path("talk.txt"))).toBe("Conversation");
  expect(await beginning(path("talk.jsonl"))).toBe('{"id":1,"typ');
  expect(await beginning(path("talk"))).toBe('{"id":1,"typ');
  expect(await beginning(path("talk.jsonl"), "--format", "text")).toBe("Conversation");
});

it("conversations export --format text shows times in the zone of --tz", async () => {
  const exported = async (zone: string) =>
    (await home().sit(["conversations", "export", "1", "--format", "text", "--tz", zone])).stdout;
  expect(await exported("Asia/Tokyo")).not.toBe(await exported("America/Lima"));
  expect((await home().sit(["conversations", "export", "1", "--tz", "Nowhere"])).code).toBe(2);
});

it("conversations export ends silently when its reader closes the pipe", async () => {
  const { code, stderr } = await home().sit(["conversations", "export", "1"], { readsUpTo: 1 });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

it("conversations export leaves the old file unchanged after Ctrl-C", async () => {
  const [first] = JSON.parse((await home().wcs(["conversations", "messages", "1", "--json"])).stdout);
  const conversation = JSON.parse((await home().wcs(["conversations", "get", "1", "--json"])).stdout);
  const server = http.createServer((request, response) => {
    const answer = (body: unknown) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(body));
    };
    const { pathname, searchParams } = new URL(request.url!, "http://x");
    if (!pathname.endsWith("/new")) answer(conversation);
    else if (!searchParams.has("after")) answer({ data: [], meta: { last_id: first.id + 1 } });
    else if (searchParams.get("after") === "0") answer({ data: [first], meta: { last_id: first.id } });
    else server.emit("stalled");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const path = home().path("stopped.ndjson");
  writeFileSync(path, "earlier");
  const env = { WCS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WCS_TOKEN: "x" };
  const child = start(["conversations", "export", "1", "-o", path], { ...home().env, ...env });
  try {
    const ended = finished(child, "");
    await once(server, "stalled");
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, stdout: "", stderr: "" });
    expect(readFileSync(path, "utf8")).toBe("earlier");
    expect(readdirSync(home().folder).filter((name) => name.includes("stopped"))).toEqual(["stopped.ndjson"]);
  } finally {
    child.kill("SIGKILL");
    server.closeAllConnections();
    server.close();
  }
});
