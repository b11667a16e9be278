import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Home, newHome } from "../cli/support.ts";
import { newDatabase } from "../support/instance.ts";

const secret = "hunter2";

describe("Other users of the machine cannot read the password of a database among the arguments of a command", () => {
  const home = newHome();

  it.each([
    ["users", "list"],
    ["serve", "--port", "0"],
    ["init", "--admin-email", "a@example.com", "--admin-name", "Ada A"],
    ["profile", "add", "x"],
    ["doctor"],
    ["db", "info"],
    ["webhooks", "deliver"],
    ["auth", "login", "--username", "a@example.com", "--password-stdin"],
    ["organisation.yaml", "apply"].reverse(),
  ])("%s %s", async (...args) => {
    for (const url of [
      `postgres://ann:${secret}@127.0.0.1:1/wcs`,
      `postgresql://ann:${secret}@127.0.0.1:1/wcs`,
      `POSTGRES://ann:${secret}@127.0.0.1:1/wcs`,
      `postgres://ann@127.0.0.1:1/wcs?sslmode=require&password=${secret}`,
      `postgres://ann:a/${secret}#@127.0.0.1:1/wcs`,
      `postgres:ann:${secret}@127.0.0.1`,
    ]) {
      for (const db of [["--db", url], [`--db=${url}`]]) {
        const { code, stdout, stderr } = await home.sit([...args, ...db]);
        expect({ url, code, stdout }).toEqual({ url, code: 2, stdout: "" });
        for (const way of ["PGPASSWORD", "~/.pgpass", "WCS_DB", "profile add NAME --db-stdin"])
          expect(stderr).toContain(way);
        expect(stderr).not.toContain(secret);
      }
    }
  });

  it("is refused by the built program", async () => {
    const { code, stderr } = await home.spawn(["users", "list", "--db", `postgres://ann:${secret}@127.0.0.1:1/wcs`]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: --db must not contain a password/);
    expect(stderr).not.toContain(secret);
  });
});

describe("A password of PostgreSQL is accepted from every source that does not show it:", () => {
  let home: Home;
  let target: string;
  let url: URL;
  let bare: string;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    home = newHome();
    ({ target, remove } = await newDatabase("postgres"));
    url = new URL(target);
    bare = target.replace(`:${url.password}@`, "@");
    const made = ["init", "--admin-email", "a@example.com", "--admin-name", "Ada A", "--no-profile"];
    const { code, stdout, stderr } = await home.spawn([...made, "--json"], { env: { WCS_DB: target } });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout).database).toBe(target.replace(`:${url.password}@`, ":***@"));
  });
  afterAll(() => remove());
  const list = (args: readonly string[], env: Record<string, string> = {}) =>
    home.spawn(["users", "list", "--fields", "email", "--no-header", ...args], { env });
  const works = { code: 0, stdout: "a@example.com\n", stderr: "" };

  it("WCS_DB", async () => {
    expect(await list([], { WCS_DB: target })).toMatchObject(works);
  });

  it("PGPASSWORD", async () => {
    expect(await list(["--db", bare], { PGPASSWORD: url.password })).toMatchObject(works);
    expect(await list(["--db", bare], { PGPASSWORD: "wrong" })).toMatchObject({ code: 8, stdout: "" });
  });

  it("~/.pgpass, and PGPASSFILE, if only their owner can read them", async () => {
    const without = await list(["--db", bare]);
    expect(without).toMatchObject({ code: 8, stdout: "" });
    expect(without.stderr).toMatch(/^error: \S+: PostgreSQL rejected .*\nhint: .*PGPASSWORD.*\.pgpass/);
    const file = home.path(".pgpass");
    const lines = [
      "# ours",
      "elsewhere:*:*:*:wrong",
      `127.0.0.1:${url.port}:*:other:wrong`,
      `*:${url.port}:*:${url.username}:${url.password}`,
    ];
    writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
    expect(await list(["--db", bare])).toMatchObject(works);
    chmodSync(file, 0o644);
    expect((await list(["--db", bare])).code).toBe(8);
    const other = home.path("passwords");
    writeFileSync(other, `127.0.0.1:${url.port}:*:${url.username}:${url.password}`, { mode: 0o600 });
    expect(await list(["--db", bare], { PGPASSFILE: other })).toMatchObject(works);
  });

  it("a profile that is added from stdin, the environment or a prompt, and never shows it", async () => {
    const ways = [
      () => home.sit(["profile", "add", "one", "--db-stdin"], { stdin: `${target}\n` }),
      () => home.sit(["profile", "add", "two"], { env: { WCS_DB: target } }),
      () => home.sit(["profile", "add", "three"], { answers: [target] }),
    ];
    for (const way of ways) {
      const { code, stdout, stderr } = await way();
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).not.toContain(`:${url.password}@`);
    }
    for (const name of ["one", "two", "three"]) expect(await list(["--profile", name])).toMatchObject(works);
    expect(readFileSync(home.path("config/config.json"), "utf8")).toContain(target);
    for (const args of [
      "profile list",
      "profile show one --json",
      "auth status --profile one",
      "users list -v",
      "doctor",
    ]) {
      const { stdout, stderr } = await home.spawn(args.split(" "));
      expect(stdout + stderr, args).not.toContain(`:${url.password}@`);
    }
    expect((await home.sit(["profile", "add", "four"])).code).toBe(2);
    expect((await home.sit(["profile", "add", "four", "--db-stdin", "--url", "https://x.example.com"])).code).toBe(2);
  });
});
