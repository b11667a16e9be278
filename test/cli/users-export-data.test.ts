import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { images } from "../support/attachments.ts";
import { bin, finished, serveHere, useHome } from "./support.ts";

const home = useHome();
const exportData = (user: string, folder: string) =>
  home().wcs(["users", "export-data", user, "--to", folder, "--json"]);
const read = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));

it("users export-data writes JSON and files that only the user can read", async () => {
  const { path, wcs } = home();
  writeFileSync(path("me.png"), images.png(9, 9));
  await wcs(["users", "avatar", "set", "me", path("me.png")]);
  await wcs(["users", "update", "me", "--title", "Countess"]);
  const folder = path("ada");
  const { code, stdout, stderr } = await exportData("me", folder);
  expect([code, stderr]).toEqual([0, "The folder contains personal data; keep it safe.\n"]);
  expect(JSON.parse(stdout)).toEqual({ folder, records: expect.any(Number), files: 1 });
  expect(read(folder, "profile.json")).toMatchObject([{ id: 1, email: "ada@example.com", title: "Countess" }]);
  expect(read(folder, "profile.json")[0]).not.toHaveProperty("password_hash");
  expect(read(folder, "changes_by.json").at(-1)).toMatchObject({
    operation: "users.exportData",
    path: "/users/1/data",
  });
  const [file] = read(folder, "files.json");
  expect(readFileSync(join(folder, "files", `${file.id}-me.png`)).equals(images.png(9, 9))).toBe(true);
  const modes = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
    const { mode } = statSync(join(folder, name));
    return [name, (mode & 0o777).toString(8)];
  });
  expect(modes.filter(([name, mode]) => mode !== (name === "files" ? "700" : "600"))).toEqual([]);
  expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
});

it("users export-data leaves an existing folder alone, and nothing behind when it fails", async () => {
  const { path } = home();
  mkdirSync(path("places"));
  mkdirSync(path("places/taken"));
  const taken = await exportData("me", path("places/taken"));
  expect([taken.code, taken.stderr]).toEqual([7, expect.stringContaining("already exists")]);
  expect((await exportData("987654", path("places/nobody"))).code).toBe(6);
  expect((await exportData("me", path("missing/folder"))).code).toBe(2);
  expect((await home().wcs(["users", "export-data", "me"])).code).toBe(2);
  expect(readdirSync(path("places"), { recursive: true })).toEqual(["taken"]);
});

it("users export-data leaves nothing behind when the disk is full", async () => {
  const { path, env, wcs } = home();
  mkdirSync(path("full"));
  const WCS_TOKEN = (await wcs(["auth", "token"])).stdout.trim();
  const { url: WCS_URL, close } = await serveHere(["--port", "0", "--log-level", "silent"], env);
  onTestFinished(close);
  // A limit for files simulates a full disk. The server is another process, without a limit.
  const command = [process.execPath, bin, "users", "export-data", "1", "--to", path("full/ada")];
  const child = spawn("/bin/sh", ["-c", 'ulimit -f 1; exec "$0" "$@"', ...command], {
    env: { ...env, WCS_URL, WCS_TOKEN },
  });
  expect((await finished(child)).code).toBe(1);
  expect(readdirSync(path("full"))).toEqual([]);
});

it.each(["../outside/tasks", "tasks\n", "", 7])(
  "users export-data writes nothing for a section called %j",
  async (section) => {
    const server = createServer((_, response) => {
      const data = [{ section, record: { id: 1 } }];
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data, meta: { next_cursor: null, prev_cursor: null } }));
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const WCS_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { path, wcs } = home();
    mkdirSync(path("hostile/outside"), { recursive: true });
    const line = ["users", "export-data", "1", "--to", path("hostile/data")];
    const { code, stderr } = await wcs(line, { env: { WCS_URL, WCS_TOKEN: "x" } });
    expect([code, stderr]).toEqual([8, expect.stringContaining("did not answer like a wcs service")]);
    expect(readdirSync(path("hostile"), { recursive: true })).toEqual(["outside"]);
  },
);
