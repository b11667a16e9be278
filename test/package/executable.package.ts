import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../src/cli/session/version.ts";
import { newMailbox } from "../support/mailbox.ts";
import { startPostgres } from "../support/postgres.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "wcs-executable-"));
const home = join(folder, "home");
const readOnlyHome = join(folder, "read-only-home");
const database = join(folder, "data/wcs.db");
const executable = join(folder, "bin/wcs");
/** Nobody, because a read-only folder is no obstacle for root. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Runs the executable as a user without any rights, with neither Node nor anything else on the PATH. */
async function wcs(args: readonly string[], { path = executable, env = {} }: { path?: string; env?: object } = {}) {
  const options = { ...user, cwd: folder, env: { HOME: home, PATH: join(folder, "bin"), ...env } };
  const { stdout, stderr } = await promisify(execFile)(path, args, options).catch((error) => error);
  return { stdout: String(stdout), stderr: String(stderr) };
}

const firstAdministrator = ["--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace"];

describe.skipIf(process.platform !== "linux" || process.arch !== "x64")("the executable for linux-x64", () => {
  beforeAll(() => {
    execFileSync(process.execPath, ["scripts/build-exe.ts"], { cwd: root });
    for (const name of ["bin", "data", "home", "read-only-home"]) mkdirSync(join(folder, name));
    copyFileSync(join(root, "release/wcs-linux-x64"), executable);
    if (user.uid !== undefined) for (const name of ["data", "home"]) chownSync(join(folder, name), user.uid, user.gid);
    chmodSync(readOnlyHome, 0o555);
    chmodSync(folder, 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("runs in an empty home, through a symbolic link and by its name on the PATH", async () => {
    expect(await wcs(["--version"])).toEqual({ stdout: `${version}\n`, stderr: "" });
    symlinkSync(executable, join(folder, "data/link"));
    expect((await wcs(["--version"], { path: join(folder, "data/link") })).stdout).toBe(`${version}\n`);
    expect((await wcs(["--version"], { path: "wcs" })).stdout).toBe(`${version}\n`);
  });

  it("creates a SQLite database, writes and reads it", async () => {
    const { stdout } = await wcs(["init", "--db", database, ...firstAdministrator]);
    expect(stdout).toContain(database);
    const name = ["--first-name", "Grace", "--last-name", "Hopper", "--unit", "1"];
    await wcs(["users", "create", ...name, "--email", "grace@example.com"]);
    const { stdout: users, stderr } = await wcs(["users", "list", "--fields", "email", "--no-header"]);
    expect(users.split("\n").sort()).toEqual(["", "ada@example.com", "grace@example.com"]);
    expect(stderr).toBe("");
  });

  it("uses its code cache for each file", async () => {
    const counter = join(folder, "count-cache.cjs");
    writeFileSync(
      counter,
      `const vm = require("node:vm");
       const count = { true: 0, false: 0, undefined: 0 };
       const { Script } = vm;
       vm.Script = class extends Script {
         constructor(...given) { super(...given); count[this.cachedDataRejected]++; }
       };
       process.on("exit", () => process.stderr.write(JSON.stringify(count)));`,
    );
    const { stderr } = await wcs(["users", "get", "1"], { env: { NODE_OPTIONS: `--require ${counter}` } });
    const { true: rejected, false: accepted, undefined: missing } = JSON.parse(stderr);
    expect({ rejected, missing }).toEqual({ rejected: 0, missing: 0 });
    expect(accepted).toBeGreaterThan(5);
  });

  it("works in a home that is read-only", async () => {
    const env = { HOME: readOnlyHome };
    expect(await wcs(["--version"], { env })).toEqual({ stdout: `${version}\n`, stderr: "" });
    const read = ["users", "get", "1", "--db", database, "--fields", "email"];
    expect(await wcs(read, { env })).toEqual({ stdout: "email\tada@example.com\n", stderr: "" });
    const other = join(folder, "data/other.db");
    const created = await wcs(["init", "--db", other, ...firstAdministrator], { env });
    expect(created.stderr).toContain("Set WCS_CONFIG_DIR to a folder that you can write to.");
    await wcs(["init", "--db", other, ...firstAdministrator], {
      env: { ...env, WCS_CONFIG_DIR: join(folder, "data") },
    });
    expect((await wcs(["users", "get", "1", "--db", other, "--fields", "email"], { env })).stdout).toContain("ada@");
  });

  it("serves the API, its document and the pages with their files", async () => {
    const server = spawn(executable, ["serve", "--port", "0", "--shutdown-notice", "0", "--db", database], {
      ...user,
      cwd: folder,
      env: { HOME: readOnlyHome, PATH: "" },
    });
    const ended = new Promise((resolve) => server.once("exit", (code, signal) => resolve(code ?? signal)));
    try {
      let url = "";
      for await (url of createInterface({ input: server.stdout })) break;
      expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: "ok" });
      const page = await (await fetch(`${url}/docs`)).text();
      const files = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path = ""]) => new URL(path, `${url}/docs`));
      expect(files.length).toBeGreaterThan(3);
      for (const file of files) expect(`${file} ${(await fetch(file)).status}`).toBe(`${file} 200`);
      const swagger = readFileSync(join(root, "dist/assets/swagger-ui-bundle.js"), "utf8");
      expect((await (await fetch(`${url}/assets/swagger-ui-bundle.js`)).text()) === swagger).toBe(true);
      expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ openapi: "3.1.0" });
    } finally {
      server.kill("SIGTERM");
    }
    expect(await ended).toBe(0);
  });

  it("sends the mails of the service", async () => {
    const mailbox = await newMailbox();
    await wcs(["settings", "set", "mail.from", "wcs@example.com", "--db", database]);
    const smtp = ["--smtp-url", `smtp://127.0.0.1:${mailbox.port}`];
    const server = spawn(executable, ["serve", "--port", "0", "--shutdown-notice", "0", "--db", database, ...smtp], {
      ...user,
      cwd: folder,
      env: { HOME: readOnlyHome, PATH: "" },
    });
    const ended = once(server, "exit");
    try {
      for await (const _ of createInterface({ input: server.stdout })) break;
      await wcs(["users", "welcome", "grace@example.com", "--db", database]);
      await expect.poll(() => mailbox.mails.map(({ to }) => to), { timeout: 60_000 }).toEqual([["grace@example.com"]]);
      expect(mailbox.mails[0]?.text).toContain("/welcome?");
    } finally {
      server.kill("SIGTERM");
      await ended;
      await mailbox.close();
    }
  });

  it("works on PostgreSQL", async () => {
    const { url, stop } = await startPostgres();
    try {
      const { host, username, password } = new URL(url);
      const target = `postgres://${username}@${host}/postgres`;
      const env = { PGPASSWORD: password };
      await wcs(["init", "--db", target, "--no-profile", ...firstAdministrator], { env });
      const read = await wcs(["users", "get", "1", "--db", target, "--fields", "email"], { env });
      expect(read).toEqual({ stdout: "email\tada@example.com\n", stderr: "" });
    } finally {
      await stop();
    }
  });
});

it("the bundle has no import() that an executable could not run", () => {
  const files = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".cjs"));
  const imports = files.flatMap(
    (name) => readFileSync(join(root, "dist", name), "utf8").match(/\bimport\([`"'][^)]*\)/g) ?? [],
  );
  expect(imports.filter((each) => !/^import\(`node:[\w/]+`\)$/.test(each))).toEqual([]);
});
