import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { newHome, type Result } from "../cli/support.ts";
import { asArgument, type DatabaseKind, newDatabase, newInstance } from "../support/instance.ts";

const home = newHome();
afterAll(() => rmSync(home.folder, { recursive: true, force: true }));
const administrator = ["--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace", "--no-profile"];
const smtpUrl = "smtp://ann:hunter2222@mail.example.com:587";

const done = async (result: Promise<Result>): Promise<string> => {
  const { code, stdout, stderr } = await result;
  if (code !== 0) throw new Error(`exit ${code}: ${stdout}${stderr}`);
  return stdout;
};
const newKey = (name: string, encoding: BufferEncoding = "base64") => {
  const path = home.path(name);
  writeFileSync(path, `${randomBytes(32).toString(encoding)}\n`, { mode: 0o600 });
  return path;
};

for (const kind of ["sqlite", "postgres"] satisfies DatabaseKind[]) {
  describe(`wcs db rekey (${kind})`, () => {
    let database: string;
    let password: Record<string, string>;
    beforeEach(async () => {
      const { target, remove } = await newDatabase(kind);
      onTestFinished(remove);
      ({ target: database, env: password } = asArgument(target));
      // The driver reads the password from the environment of the process, which may be this one.
      Object.assign(process.env, password);
    });
    const wcs = (line: string[], key?: string, stdin = "", run = home.wcs) =>
      run([...line, "--db", database], { stdin, env: { ...password, ...(key && { WCS_SECRET_KEY_FILE: key }) } });
    const make = async (key?: string) => {
      await done(wcs(["init", ...administrator], key));
      await done(wcs(["settings", "set", "mail.smtp_url", "--value-stdin"], key, smtpUrl));
      const create = ["webhooks", "create", "--name", "ci", "--uri", "https://ci.example.com/", "--json"];
      return JSON.parse(await done(wcs(create, key))).secret as string;
    };

    it("encrypts what was kept in the clear, so that not even the free space of the file holds it", async () => {
      const secret = (await make()).slice(6);
      const [first, second] = [newKey("first"), newKey("second", "hex")];
      const doctor = async (key?: string) =>
        JSON.parse((await wcs(["doctor", "--json"], key)).stdout).find(
          (each: { check: string }) => each.check === "secrets",
        );
      expect(await doctor()).toMatchObject({
        state: "warning",
        message: expect.stringContaining("3 secrets unencrypted"),
      });
      const rehearsed = await wcs(["db", "rekey", "--new-key-file", first, "--dry-run", "--json"]);
      expect(JSON.parse(rehearsed.stdout)).toMatchObject({ secrets: 3, previous_key: null });
      expect(rehearsed.stderr).toContain("Dry run: nothing was changed.");
      await done(wcs(["users", "list"]));
      const encrypted = await wcs(["db", "rekey", "--new-key-file", first, "--json"], undefined, "", home.spawn);
      expect(JSON.parse(encrypted.stdout)).toEqual(JSON.parse(rehearsed.stdout));
      expect(encrypted.stderr).toContain("Encrypted 3 secrets. Restart wcs serve");
      if (kind === "sqlite") {
        const bytes = readFileSync(database);
        expect([secret, "hunter2222"].filter((text) => bytes.includes(text))).toEqual([]);
      }
      expect(await doctor(first)).toMatchObject({
        state: "ok",
        message: expect.stringContaining("3 secrets, encrypted"),
      });
      const again = await done(
        wcs(["db", "rekey", "--new-key-file", "-", "--json"], first, readFileSync(second, "utf8")),
      );
      expect(JSON.parse(again)).toMatchObject({ secrets: 3, previous_key: JSON.parse(encrypted.stdout).key });
      expect((await wcs(["users", "list"], first)).code).toBe(2);
      await done(wcs(["users", "list"], second, "", home.spawn));
      expect(JSON.parse(await done(wcs(["db", "rekey", "--decrypt", "--json"], second)))).toMatchObject({
        secrets: 3,
        key: null,
      });
      await done(wcs(["users", "list"]));
    });

    it("A database that was made with a key never held its secrets in the clear, and wants the key", async () => {
      const key = newKey("of-init", "base64url");
      const secret = (await make(key)).slice(6);
      if (kind === "sqlite") {
        const bytes = readFileSync(database);
        expect([secret, "hunter2222"].filter((text) => bytes.includes(text))).toEqual([]);
      }
      for (const line of [
        ["users", "list"],
        ["serve", "--port", "0"],
        ["webhooks", "deliver"],
        ["db", "rekey"],
        ["db", "outbox"],
      ]) {
        const { code, stdout, stderr } = await wcs(line);
        expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: "" });
        expect(stderr).toMatch(
          /^error: The secrets of the database are encrypted, and no key is set\.\nhint: Set WCS_SECRET_KEY/,
        );
      }
      for (const line of [
        ["db", "info"],
        ["db", "check"],
        ["webhooks", "deliver"],
      ])
        await done(wcs(line, line[0] === "db" ? undefined : key));
    });

    if (kind === "sqlite") {
      it("A backup stays encrypted, and what is restored from it wants the key", async () => {
        const key = newKey("of-backup");
        const secret = (await make(key)).slice(6);
        const [file, restored] = [home.path("backup.db"), home.path("restored.db")];
        await done(wcs(["db", "backup", file]));
        expect(readFileSync(file).includes(secret)).toBe(false);
        await done(home.wcs(["db", "restore", file, "--db", restored, "--yes"]));
        const list = ["webhooks", "list", "--db", restored];
        expect((await home.wcs(list)).code).toBe(2);
        await done(home.wcs(list, { env: { WCS_SECRET_KEY_FILE: key } }));
      });
    }
  });
}

describe("WCS_SECRET_KEY", () => {
  const database = home.path("keys.db");
  beforeAll(() => done(home.wcs(["init", "--db", database, ...administrator])));
  const list = (env: Record<string, string>) => home.wcs(["users", "list", "--db", database], { env });
  const long = randomBytes(33).toString("base64");
  const key = randomBytes(32);

  it.each(["", "short", randomBytes(31).toString("base64"), long, key.toString("hex").slice(2), `${"+-".repeat(21)}A`])(
    "A key that is not 32 bytes is refused without being repeated: '%s'",
    async (text) => {
      const { code, stdout, stderr } = await list({ WCS_SECRET_KEY: text });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("WCS_SECRET_KEY must be 32 bytes in base64 or hexadecimal.");
      if (text !== "") expect(stderr).not.toContain(text);
    },
  );

  it("is the same key in hexadecimal, base64 and base64url", async () => {
    const encodings = ["hex", "base64", "base64url"] as const;
    for (const encoding of encodings) {
      const rekeyed = await home.wcs(["db", "rekey", "--db", database, "--json"], {
        env: { WCS_SECRET_KEY: key.toString(encoding) },
      });
      expect(JSON.parse(await done(Promise.resolve(rekeyed)))).toMatchObject({ secrets: 1, key: expect.any(String) });
    }
    expect((await list({ WCS_SECRET_KEY: randomBytes(32).toString("hex") })).code).toBe(2);
    await done(
      home.wcs(["db", "rekey", "--db", database, "--decrypt"], { env: { WCS_SECRET_KEY: key.toString("hex") } }),
    );
  });

  it("Mistakes on the line are named: no file, two keys, no key, two wishes", async () => {
    const file = newKey("wish");
    const short = home.path("short");
    writeFileSync(short, "c2hvcnQ=\n", { mode: 0o600 });
    const rekey = (...more: string[]) => home.wcs(["db", "rekey", "--db", database, ...more]);
    const results = [
      [await list({ WCS_SECRET_KEY_FILE: home.path("none") }), "WCS_SECRET_KEY_FILE: no such file: "],
      [await list({ WCS_SECRET_KEY_FILE: file, WCS_SECRET_KEY: key.toString("hex") }), "cannot be used together"],
      [await rekey(), "There is no key: set WCS_SECRET_KEY or use --new-key-file."],
      [await rekey("--decrypt", "--new-key-file", file), "cannot be used together"],
      [await rekey("--new-key-file", home.path("none")), "no such file: "],
      [await rekey("--new-key-file", database), "is not encoded in UTF-8"],
      [await rekey("--new-key-file", short), "must be 32 bytes"],
    ] as const;
    for (const [{ code, stdout, stderr }, message] of results) {
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
    }
  });
});

it("db rekey says when other users can read the new key", async () => {
  const instance = await newInstance({ database: "sqlite", caller: "local" });
  onTestFinished(() => instance.close());
  const key = newKey("open");
  const rekey = async () =>
    (await home.wcs(["db", "rekey", "--dry-run", "--new-key-file", key, "--db", instance.target])).stderr;
  expect(await rekey()).not.toContain("can read");
  const rest = "which contains secrets. Restrict it with chmod";
  chmodSync(key, 0o644);
  expect(await rekey()).toContain(`Other users can read ${key} (0644), ${rest}`);
  chmodSync(key, 0o640);
  expect(await rekey()).toContain(`Users of its group can read ${key} (0640), ${rest}`);
});

it("A server whose database got another key meanwhile is not ready, and tells nobody the IDs of the keys", async () => {
  const instance = await newInstance({ database: "sqlite", caller: "http" });
  onTestFinished(() => instance.close());
  const ready = async () => (await fetch(`${instance.url}/readyz`)).status;
  await done(
    home.wcs(["settings", "set", "mail.smtp_url", "--value-stdin", "--db", instance.target], { stdin: smtpUrl }),
  );
  expect(await ready()).toBe(200);
  await done(home.wcs(["db", "rekey", "--db", instance.target, "--new-key-file", newKey("meanwhile")]));
  await expect.poll(ready).toBe(503);
  const signIn = async () => {
    const response = await fetch(`${instance.url}/api/authenticate`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "nobody@example.com", password: "wrong" }),
    });
    return ((await response.json()) as { error: { message: string } }).error.message;
  };
  await expect.poll(signIn).toBe("The secrets of the database are encrypted, and no key is set.");
});

it("A script whose answer with the secret was lost gets the webhook, no second one, and is told how to get a secret", async () => {
  const instance = await newInstance({ database: "sqlite", caller: "http" });
  onTestFinished(() => instance.close());
  let lost = 0;
  const proxy = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { host: _, connection: __, "content-length": ___, ...headers } = incoming.headers;
    const answer = await fetch(`${instance.url}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const body = await answer.text();
    if (incoming.method === "POST" && incoming.url === "/api/webhooks" && lost++ === 0)
      return incoming.socket.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const env = { WCS_TOKEN: await instance.tokenOf(1) };
  const line = ["webhooks", "create", "--name", "ci", "--uri", "https://ci.example.com/", "--json", "--url", url];
  const { code, stdout, stderr } = await home.wcs(line, { env });
  expect({ code, lost, stderr }).toEqual({
    code: 0,
    lost: 2,
    stderr: "The first response, with the secret, was lost. Create a new secret with wcs webhooks rotate-secret 1.\n",
  });
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, name: "ci" });
  expect(JSON.parse(stdout)).not.toHaveProperty("secret");
  const list = await home.wcs(["webhooks", "list", "--json", "--url", url], { env });
  expect(JSON.parse(list.stdout)).toHaveLength(1);
  const rotated = await home.wcs(["webhooks", "rotate-secret", "1", "--yes", "--json", "--url", url], { env });
  expect(rotated.stderr).toBe("");
  expect(JSON.parse(rotated.stdout).secret).toMatch(/^whsec_/);
});
