import type { ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { finished, type Home, newHome, start } from "./support.ts";

/** A service that answers every request as the test wants it. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => answer(request, response));
const bytes = Buffer.from("0123456789".repeat(20_000));
let home: Home;
let folder: string;
let url: string;

beforeAll(async () => {
  home = newHome();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(home.folder, { recursive: true });
});
beforeEach(() => {
  folder = home.path("here");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});

const head = (response: ServerResponse, from = 0, length = bytes.length) =>
  response.writeHead(from > 0 ? 206 : 200, {
    "content-type": "application/octet-stream",
    "content-length": length - from,
    "content-disposition": "attachment; filename=\"file.bin\"; filename*=UTF-8''file.bin",
    etag: '"tag"',
    ...(from > 0 && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
  });
const download = (...more: string[]) =>
  start(["files", "get", "7", "-o", `${folder}/`, "--url", url, ...more], { ...home.env, WCS_TOKEN: "token" });

it("files get leaves the old file unchanged, and no new one, after Ctrl-C", async () => {
  answer = (_, response) => void head(response).write(bytes.subarray(0, 100_000));
  writeFileSync(`${folder}/file.bin`, "earlier");
  const child = download("--force");
  const done = finished(child);
  await expect.poll(() => readdirSync(folder).length).toBe(2);
  child.kill("SIGINT");
  const { code, stderr } = await done;
  expect([code, stderr]).toEqual([130, ""]);
  expect(readdirSync(folder)).toEqual(["file.bin"]);
  expect(readFileSync(`${folder}/file.bin`, "utf8")).toBe("earlier");
});

it("files get resumes a download that breaks off", async () => {
  const ranges: (string | undefined)[] = [];
  answer = ({ headers }, response) => {
    ranges.push(headers.range);
    const from = Number(/\d+/.exec(headers.range ?? "0")?.[0]);
    const until = Math.min(from + 80_000, bytes.length);
    head(response, from).write(bytes.subarray(from, until), () =>
      until < bytes.length ? response.destroy() : response.end(),
    );
  };
  const { code, stderr } = await finished(download());
  expect([code, stderr]).toEqual([0, `Saved ${folder}/file.bin (200 kB).\n`]);
  expect(readFileSync(`${folder}/file.bin`).equals(bytes)).toBe(true);
  expect(ranges[0]).toBeUndefined();
  expect(ranges.length).toBeGreaterThan(2);
});

it("files get fails when a download makes no progress, and leaves nothing", async () => {
  answer = ({ headers }, response) => {
    if (headers.range) response.destroy();
    else head(response).write(bytes.subarray(0, 80_000), () => response.destroy());
  };
  const { code } = await finished(download());
  expect(code).toBe(8);
  expect(readdirSync(folder)).toEqual([]);
});

it("files get fails after --timeout when the server sends nothing more", async () => {
  answer = ({ headers }, response) => {
    if (!headers.range) head(response).write(bytes.subarray(0, 80_000));
  };
  const { code, stderr } = await finished(download("--timeout", "1s"));
  expect([code, stderr]).toEqual([8, expect.stringContaining("did not answer within 1 s")]);
  expect(readdirSync(folder)).toEqual([]);
});

it("files get keeps a file that was created meanwhile", async () => {
  answer = (_, response) => {
    head(response).write(bytes.subarray(0, 80_000));
    const wait = setInterval(() => {
      if (readdirSync(folder).length === 0) return;
      clearInterval(wait);
      writeFileSync(`${folder}/file.bin`, "meanwhile");
      response.end(bytes.subarray(80_000));
    }, 5);
  };
  const { code } = await finished(download());
  expect(code).toBe(7);
  expect(readdirSync(folder)).toEqual(["file.bin"]);
  expect(readFileSync(`${folder}/file.bin`, "utf8")).toBe("meanwhile");
});

it.each([
  ["in the middle", (child: ChildProcess) => new Promise((resolve) => child.stdout?.once("data", resolve))],
  // The system says "connection reset" to the writer when bytes in the socket of a child's stdout were not read.
  [
    "before it read what was written",
    (child: ChildProcess) => expect.poll(() => written(child)).toBeGreaterThan(50_000),
  ],
])("files get ends silently when its reader closes %s", async (_, ready) => {
  answer = (_, response) => {
    head(response, 0, 5_000_000).end(Buffer.alloc(5_000_000));
  };
  const child = start(["files", "get", "7", "-o", "-", "--url", url], { ...home.env, WCS_TOKEN: "token" });
  const errors: Buffer[] = [];
  child.stderr?.on("data", (chunk) => errors.push(chunk));
  const done = new Promise((resolve) => child.on("close", resolve));
  await ready(child);
  child.stdout?.destroy();
  expect([await done, Buffer.concat(errors).toString()]).toEqual([0, ""]);
});

/** Returns the number of bytes that a process has written. */
const written = ({ pid }: ChildProcess) => Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
