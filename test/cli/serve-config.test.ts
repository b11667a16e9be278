import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { bin, serveHere, useHome } from "./support.ts";

const home = useHome();
const servers: Awaited<ReturnType<typeof serveHere>>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const database = () => join(home().env.XDG_DATA_HOME!, "wcs", "wcs.db");
/** Makes a copy of the database in a folder of its own. */
async function copyOf(name: string): Promise<string> {
  const copy = home().path(`${name}/wcs.db`);
  await home().wcs(["db", "backup", home().path(`${name}.backup`)]);
  await home().wcs(["db", "restore", home().path(`${name}.backup`), "--db", copy]);
  return copy;
}
/** Writes a configuration that only its owner can read, or that others can read, too. */
function write(text: string, mode = 0o600): string {
  const path = home().path("wcs.yaml");
  rmSync(path, { force: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}
const refused = async (text: string, mode?: number) => {
  const { code, stderr } = await home().wcs(["serve", "--config", write(text, mode)]);
  expect(code).toBe(2);
  return stderr.replaceAll(`${home().path("wcs.yaml")}`, "wcs.yaml").split("\n")[0];
};
/** Starts a server and returns its base URL. */
async function serve(flags: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const quick = ["--shutdown-notice", "0", "--log-level", "silent"];
  const server = await serveHere([...flags, ...quick], { ...home().env, ...env });
  servers.push(server);
  return server.url;
}
/** On a connection of its own, because a server that ends waits for those that are kept. */
const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers: { ...headers, connection: "close" } });
const statusOf = async (url: string, token: string) =>
  (await get(`${url}/metrics`, { authorization: `Bearer ${token}` })).status;
const baseUrlOf = async (url: string) => {
  const { servers } = (await (await get(`${url}/openapi.json`)).json()) as { servers: { url: string }[] };
  return servers[0]?.url;
};

describe("wcs serve --config", () => {
  it("serves with the options of the file; paths begin at its folder", async () => {
    const copy = home().path("elsewhere.db");
    await home().wcs(["db", "backup", copy]);
    await home().wcs(["settings", "set", "base_url", "https://database.example", "--db", copy]);
    const path = write("db: elsewhere.db\nport: 0\nmetrics_token: secret-token\nlog_level: silent\n");
    const url = await serve(["--config", path], { WCS_CONFIG_DIR: home().path("none") });
    expect(await baseUrlOf(url)).toBe("https://database.example");
    expect(await statusOf(url, "secret-token")).toBe(200);
  });

  it("flags take precedence over the environment, and the environment over the file", async () => {
    const path = write(
      `db: /nowhere.db\nhost: 192.0.2.1\nport: 1\nmetrics_token: file\nsettings:\n  base_url: https://file.example\n  name: "42"\n`,
    );
    const url = await serve(["--config", path, "--host", "127.0.0.1", "--port", "0"], {
      WCS_DB: database(),
      WCS_METRICS_TOKEN: "environment",
    });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await Promise.all([statusOf(url, "environment"), statusOf(url, "file")])).toEqual([200, 401]);
    expect(await baseUrlOf(url)).toBe("https://file.example");
    expect(await (await get(url)).text()).toContain("42");
    const other = await serve(["--config", path, "--host", "127.0.0.1", "--port", "0", "--db", database()], {
      WCS_SETTING_BASE_URL: "https://environment.example",
    });
    expect(await baseUrlOf(other)).toBe("https://environment.example");
  });

  it("a file without db leaves the choice of the database to flags and the environment", async () => {
    const url = await serve(["--config", write("port: 0\n"), "--db", database()]);
    expect((await get(`${url}/readyz`)).status).toBe(200);
  });

  it("a key in the environment replaces the key file of the configuration", async () => {
    const path = write(`db: ${database()}\nport: 0\nsecret_key_file: missing.key\n`);
    const url = await serve(["--config", path], { WCS_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") });
    expect((await get(`${url}/readyz`)).status).toBe(200);
  });

  it("the limits of bodies are options; operations without a sign-in and imports keep theirs", async () => {
    const small = await serve(["--db", database(), "--port", "0", "--body-limit", "65536", "--upload-limit", "128KiB"]);
    const large = await serve([
      "--config",
      write(`db: ${database()}\nport: 0\nbody_limit: 2MiB\nupload_limit: 3000000\n`),
    ]);
    const statusOfBody = async (url: string, path: string, length: number) => {
      const headers = { "content-type": "application/json", connection: "close" };
      return (await fetch(`${url}/api${path}`, { method: "POST", headers, body: "{}".padEnd(length) })).status;
    };
    // A body that is not too large is read only after a sign-in.
    const limitOf = async (url: string, path: string, max: number) => [
      await statusOfBody(url, path, max),
      await statusOfBody(url, path, max + 1),
    ];
    expect(await limitOf(small, "/groups", 65_536)).toEqual([401, 413]);
    expect(await limitOf(small, "/conversations", 131_072)).toEqual([401, 413]);
    expect(await limitOf(small, "/users/import", 4_194_304)).toEqual([401, 413]);
    expect(await limitOf(large, "/groups", 2_097_152)).toEqual([401, 413]);
    expect(await limitOf(large, "/events", 3_000_000)).toEqual([401, 413]);
    expect(await limitOf(large, "/authenticate", 65_536)).toEqual([422, 413]);
  });

  it("limits of bodies out of range are refused", async () => {
    const wrong = (text: string) => `must be a size in bytes, KiB or MiB from 64KiB to 40MiB, not '${text}'`;
    for (const [flag, value, message] of [
      ["--body-limit", "1KiB", wrong("1KiB")],
      ["--body-limit", "much", wrong("much")],
      ["--upload-limit", "41MiB", wrong("41MiB")],
      ["--upload-limit", "512KiB", "The body limit (1MiB) must not be larger than the upload limit (512KiB)"],
    ] as const) {
      const { code, stderr } = await home().wcs(["serve", "--port", "0", flag, value]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    for (const value of ["1GiB", "1.5", "true"])
      expect(await refused(`port: 0\nupload_limit: ${value}\n`)).toBe(
        "error: wcs.yaml:2: upload_limit must be a size in bytes, KiB or MiB from 64KiB to 40MiB.",
      );
    expect(await refused("shutdown_notice: []\n")).toBe(
      "error: wcs.yaml:1: shutdown_notice must be a number of seconds from 0 to 3600, as in 2s.",
    );
  });

  it("names the line of every issue, and the probable name of an unknown option", async () => {
    expect(await refused('log_fromat: json\nport: "80"\nsettings:\n  base_ulr: https://a.example\n')).toBe(
      "error: wcs.yaml:1: log_fromat is not an option; did you mean log_format?; wcs.yaml:2: port must be a number; " +
        "wcs.yaml:4: settings.base_ulr is not a setting; did you mean base_url?.".replace("?.", "?"),
    );
    expect(await refused("# proxies\nbehind_proxy:\n- 10.0.0.0/8\n- everyone\n")).toBe(
      "error: wcs.yaml:2: behind_proxy.1 must be a network like 10.0.0.0/8 or ::1/128.",
    );
    expect(await refused("log_format: xml")).toBe("error: wcs.yaml:1: log_format must be one of auto, pretty, json.");
    expect(await refused("db: https://wcs.example.com")).toBe(
      "error: wcs.yaml:1: db must be a SQLite file or a postgres:// URL.",
    );
    expect(await refused(`host: a\ntoken_key: ${"k".repeat(31)}\n`)).toBe(
      "error: wcs.yaml:2: token_key must have at least 32 bytes; create a key with openssl rand -base64 32.",
    );
    expect(await refused("- port")).toBe("error: wcs.yaml:1: The file must be a list of options, as in port: 8420.");
    expect(await refused("settings:\n  mail.smtp_url: smtp://a\n")).toBe(
      "error: wcs.yaml:2: settings.mail.smtp_url is the option smtp_url in this file.",
    );
    expect(await refused("port: 1\nhost: a\nport: 2\n")).toMatch(/^error: wcs.yaml:3: Map keys must be unique/);
    expect(await refused(`port:\n- ${"[".repeat(64)}`)).toBe(
      "error: wcs.yaml:2: The file is nested deeper than 64 levels.",
    );
    expect(await refused("port: 1\n---\nport: 2\n")).toBe(
      "error: wcs.yaml:2: The file must not have several documents.",
    );
    expect(await refused("a: &a [1]\nb: *a\n")).toMatch(/^error: wcs.yaml has aliases/);
  });

  it("a wrong key is reported by its option, and never repeated", async () => {
    expect(await refused("secret_key: hush\n")).toMatch(/^error: wcs.yaml: secret_key must be 32 bytes in base64/);
    expect(await refused("secret_key_file: none.key\n")).toMatch(/^error: wcs.yaml: secret_key_file: no such file: \//);
    writeFileSync(home().path("short.key"), "hush");
    const path = home().path("short.key");
    expect(await refused(`secret_key_file: ${path}\n`)).toMatch(/^error: wcs.yaml: secret_key_file must be 32 bytes/);
  });

  it("a file that cannot be read is named", async () => {
    const missing = await home().wcs(["serve", "--config", home().path("none.yaml")]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("--config: no such file: /")]);
    const folder = await home().wcs(["serve", "--config", home().folder]);
    expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining("is a directory")]);
  });

  it.each([
    ["db: postgres://wcs:hush@127.0.0.1/wcs", "db"],
    ["secret_key: hush", "secret_key"],
    [`token_key: hush${"k".repeat(28)}`, "token_key"],
    ["metrics_token: hush", "metrics_token"],
    ["smtp_url: smtp://wcs:hush@mail.example.com", "smtp_url"],
  ])("a secret in a file that others can read is refused, and never repeated: %s", async (line, field) => {
    for (const [mode, readers] of [
      [0o640, "users of its group"],
      [0o604, "other users"],
    ] as const) {
      const message = await refused(`port: 0\n${line}\n`, mode);
      expect(message).toMatch(
        new RegExp(`^error: wcs.yaml:2: ${field} has a secret, but ${readers} can read the file`),
      );
      expect(message).not.toContain("hush");
    }
    const wrong = (await refused(`${line}\nport: -1\n`)) ?? "";
    expect([wrong.includes("port must be"), wrong.includes("hush")]).toEqual([true, false]);
  });
});

describe("wcs serve --check", () => {
  const check = async (flags: readonly string[], env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await home().wcs(["serve", "--check", "--json", ...flags], { env });
    const findings = JSON.parse(stdout || "[]") as { check: string; state: string; message: string }[];
    return { code, stderr, states: Object.fromEntries(findings.map(({ check, state }) => [check, state])), findings };
  };
  const messageOf = (result: Awaited<ReturnType<typeof check>>, name: string) =>
    result.findings.find(({ check }) => check === name)?.message;

  it("checks all, starts and changes nothing", async () => {
    const copy = await copyOf("checked");
    const path = write(
      `db: ${copy}\nport: 0\nmetrics_port: 0\nsettings: {base_url: "https://wcs.example.com"}\n`,
      0o644,
    );
    const present = () => [readdirSync(dirname(copy)), readFileSync(copy).toString("base64"), statSync(copy).mtimeMs];
    const before = present();
    const { code, states } = await check(["--config", path]);
    expect([code, states]).toEqual([
      0,
      {
        options: "ok",
        port: "ok",
        "metrics port": "ok",
        database: "ok",
        schema: "ok",
        rights: "ok",
        "secret key": "warning",
        base_url: "ok",
      },
    ]);
    expect(present()).toEqual(before);
  });

  it("a wrong file is a finding, and exit 9", async () => {
    const result = await check(["--config", write("prot: 8420\n")]);
    expect([result.code, result.states]).toEqual([9, { options: "failed" }]);
    expect(messageOf(result, "options")).toContain("wcs.yaml:1: prot is not an option; did you mean port?");
  });

  it("a short token key is a finding about the options", async () => {
    const result = await check(["--port", "0"], { WCS_TOKEN_KEY: "short" });
    expect([result.code, result.states]).toEqual([9, { options: "failed" }]);
    expect(messageOf(result, "options")).toContain("WCS_TOKEN_KEY must have at least 32 bytes. Create a key with");
  });

  it("a port in use is a warning, because the program there may be the service itself", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const result = await check(["--port", String(port)]);
    server.close();
    expect([result.code, result.states.port]).toEqual([0, "warning"]);
    expect(messageOf(result, "port")).toBe(`127.0.0.1:${port} is in use. Stop the program there first.`);
  });

  it("no database, a wrong key, a missing key file, a key file for all", async () => {
    expect(await check(["--db", home().path("none.db")])).toMatchObject({ code: 9, states: { database: "failed" } });
    expect(await check([], { WCS_SECRET_KEY_FILE: "/none" })).toMatchObject({
      code: 9,
      states: { "secret key": "failed" },
    });
    const [key, other] = ["a", "b"].map((name, at) => {
      writeFileSync(home().path(name), Buffer.alloc(32, at + 1).toString("base64"), { mode: 0o600 });
      return home().path(name);
    });
    const copy = home().path("encrypted.db");
    await home().wcs(["db", "backup", copy]);
    await home().wcs(["db", "rekey", "--new-key-file", key!, "--db", copy]);
    const right = await check(["--db", copy], { WCS_SECRET_KEY_FILE: key! });
    expect(right).toMatchObject({ code: 0, states: { "secret key": "ok", "secret key file": "ok" } });
    const wrong = await check(["--db", copy], { WCS_SECRET_KEY_FILE: other! });
    expect(wrong).toMatchObject({ code: 9, states: { "secret key": "failed" } });
    expect(await check(["--db", copy])).toMatchObject({ code: 9, states: { "secret key": "failed" } });
    chmodSync(key!, 0o644);
    expect((await check(["--db", copy], { WCS_SECRET_KEY_FILE: key! })).states["secret key file"]).toBe("failed");
  });

  it("a user without rights is told what is missing: ports below 1024, the files of the database", async ({ skip }) => {
    const nobody = 65_534;
    if (process.getuid?.() !== 0) skip("Only root can run a process as another user.");
    const copy = await copyOf("readable");
    for (const [path, mode] of [
      [copy, 0o644],
      [dirname(copy), 0o755],
      [home().folder, 0o755],
    ] as const)
      chmodSync(path, mode);
    const args = [bin, "serve", "--check", "--json", "--db", copy, "--port", "81"];
    const env = { ...home().env, HOME: "/nonexistent", WCS_CONFIG_DIR: "/nonexistent" };
    const child = spawn(process.execPath, args, { env, uid: nobody, gid: nobody, cwd: "/" });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk) => output.push(chunk));
    const [code] = await once(child, "close");
    const findings = JSON.parse(Buffer.concat(output).toString()) as { check: string; message: string }[];
    const told = (name: string) => findings.find(({ check }) => check === name)?.message;
    expect(code).toBe(9);
    expect(told("rights")).toMatch(/^This user cannot write to .*readable\/wcs.db/);
    const lowest = Number(readFileSync("/proc/sys/net/ipv4/ip_unprivileged_port_start", "utf8"));
    if (lowest > 81)
      expect(told("port")).toBe(
        "127.0.0.1:81 is not open to this user, because the port is below 1024. Use port 1024 or higher behind a reverse proxy, or give the service the capability CAP_NET_BIND_SERVICE.",
      );
  });
});
