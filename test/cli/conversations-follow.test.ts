import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { start, useHome } from "./support.ts";

const home = useHome();
const running: ChildProcess[] = [];

beforeAll(async () => {
  const bob = ["--first-name", "Bob", "--last-name", "Jones", "--email", "bob@example.com", "--unit", "1"];
  await home().sit(["users", "create", ...bob, "-q"]);
  for (const text of ["one", "two", "three"]) await say(text);
});
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
});

/** As Bob, straight into the database. */
async function say(text: string): Promise<void> {
  const { code, stderr } = await home().sit(["conversations", "send", "--to", "1", text, "-q", "--as", "2"]);
  if (code !== 0) throw new Error(stderr);
}

/** Starts wcs and gathers what it prints, until it is told to end. */
function background(args: readonly string[], env: Record<string, string> = {}) {
  const child = start(args, { ...home().env, ...env });
  running.push(child);
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (said.stdout += chunk));
  child.stderr?.on("data", (chunk) => (said.stderr += chunk));
  const until = async (stream: "stdout" | "stderr", text: string) => {
    while (!said[stream].includes(text)) await once(child[stream]!, "data");
  };
  return { child, said, until };
}

const textsIn = (lines: string) =>
  lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).message);

it("conversations follow prints the last messages and then new ones, line by line, until Ctrl-C", async () => {
  const follow = background(["conversations", "follow", "1", "--last", "2", "-o", "ndjson"]);
  await follow.until("stdout", '"three"');
  for (const text of ["four", "five"]) {
    await say(text);
    await follow.until("stdout", `"${text}"`);
  }
  follow.child.kill("SIGINT");
  expect(await once(follow.child, "close")).toEqual([130, null]);
  expect(textsIn(follow.said.stdout)).toEqual(["two", "three", "four", "five"]);
  expect(follow.said.stderr).toBe("");
});

it("conversations follow --last 0 prints new messages only: as rows, and for people on a terminal", async () => {
  const rows = background(["conversations", "follow", "1", "--last", "0", "--fields", "author.name,message"]);
  const table = background(["conversations", "follow", "1", "--last", "1", "-o", "table"]);
  const columns = background([
    ...["conversations", "follow", "1", "--last", "2", "-o", "table"],
    ...["--fields", "author.name,message"],
  ]);
  await table.until("stdout", "five");
  await columns.until("stdout", "five");
  await rowsWait(rows);
  await columns.until("stdout", "again");
  for (const each of [rows, table, columns]) each.child.kill("SIGINT");
  await once(rows.child, "close");
  expect(columns.said.stdout).toMatch(
    /^AUTHOR {5}MESSAGE\nBob Jones {2}four\nBob Jones {2}five\n(Bob Jones {2}again\n)+$/,
  );
  expect(rows.said.stdout).toMatch(/^author\.name\tmessage\n(Bob Jones\tagain\n)+$/);
  expect(table.said.stdout).toMatch(/^Bob Jones {2}\d{4}-\d\d-\d\d \d\d:\d\d · \d+\nfive\n/);
});

/** Sends messages until one is printed, because nothing shows that the command has begun to follow. */
async function rowsWait(rows: ReturnType<typeof background>): Promise<void> {
  while (!rows.said.stdout.includes("again")) await say("again");
}

it("conversations follow waits during a restart of the service, says so once, and misses no message", async () => {
  const port = String(await freePort());
  const { stdout: token } = await home().sit(["auth", "token"]);
  const remote = { WCS_URL: `http://127.0.0.1:${port}`, WCS_TOKEN: token.trim() };
  const serve = async () => {
    const server = background(["serve", "--port", port, "--log-level", "silent", "--shutdown-notice", "0"]);
    await server.until("stdout", port);
    return server;
  };
  let server = await serve();
  const follow = background(["conversations", "follow", "1", "--last", "1", "-o", "ndjson"], remote);
  await follow.until("stdout", "\n");
  const notes = () => follow.said.stderr.split("\n").slice(0, -1);
  for (const round of [1, 2]) {
    await restart(`away ${round}`, async () => {
      while (notes().length < 2 * round - 1) await once(follow.child.stderr!, "data");
    });
    // The last message is gone for the user, and the messages after it must not be.
    if (round === 1) await home().sit(["conversations", "delete", "1", "--yes"]);
  }
  await say("after");
  await follow.until("stdout", '"after"');
  follow.child.kill("SIGINT");
  expect(await once(follow.child, "close")).toEqual([130, null]);
  expect(textsIn(follow.said.stdout).slice(1)).toEqual(["away 1", "away 2", "after"]);
  const waits = expect.stringMatching(/ Retrying until it is back\.$/);
  expect(notes()).toEqual([waits, "The service is back.", waits, "The service is back."]);
  server.child.kill("SIGTERM");
  await once(server.child, "close");

  async function restart(text: string, meanwhile: () => Promise<void>): Promise<void> {
    server.child.kill("SIGTERM");
    await once(server.child, "close");
    await say(text);
    await meanwhile();
    server = await serve();
    await follow.until("stdout", `"${text}"`);
  }
});

it("conversations follow continues with new messages when the user deletes the conversation meanwhile", async () => {
  const follow = background(["conversations", "follow", "1", "--last", "1", "-o", "ndjson"]);
  await follow.until("stdout", "\n");
  await home().sit(["conversations", "delete", "1", "--yes"]);
  await say("a new beginning");
  await follow.until("stdout", '"a new beginning"');
  follow.child.kill("SIGINT");
  await once(follow.child, "close");
  expect(textsIn(follow.said.stdout).slice(1)).toEqual(["a new beginning"]);
});

it("conversations follow ends silently when its reader closes the pipe", async () => {
  const { code, stdout, stderr } = await home().sit(["conversations", "follow", "1", "-o", "ndjson"], { readsUpTo: 0 });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
});

it("conversations follow refuses an unknown conversation, --query, and --last out of range", async () => {
  expect((await home().sit(["conversations", "follow", "99"])).code).toBe(6);
  const query = await home().sit(["conversations", "follow", "1", "--query", "[]"]);
  expect(query).toMatchObject({ code: 2, stderr: expect.stringContaining("Use -o ndjson and jq") });
  expect((await home().sit(["conversations", "follow", "1", "--last", "101"])).code).toBe(2);
  expect((await home().sit(["conversations", "follow", "1", "--last", "-1"])).code).toBe(2);
});
