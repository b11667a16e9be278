import { once } from "node:events";
import fs, { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { sql as statement } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { serverLock, tryLock, waitForTurn } from "../../src/store/dialect.ts";
import { postgresStructureCheck } from "../../src/store/integrity/postgres-structure.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import type { Topic } from "../../src/store/topics.ts";
import { cert, key } from "../support/certificate.ts";
import { listening } from "../support/engine.ts";
import { freePort } from "../support/free-port.ts";
import { newDatabase, newInstanceDatabase } from "../support/instance.ts";
import { refusal } from "../support/outcome.ts";
import { get, put } from "./support.ts";

describe("PostgreSQL targets", () => {
  let target: string;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    ({ target, remove } = await newDatabase("postgres"));
  });
  afterAll(() => remove());

  const create = { create: async () => {} };
  const sql = async (url: string, text: string) => {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  };

  it("openDatabase finds no instance in an empty database; with create it fills the database once", async () => {
    expect(await refusal(openDatabase(target))).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("wcs init"),
    });
    const failing = openDatabase(target, {
      create: async (tx) => {
        await put(tx, "half", 1);
        throw new Error("interrupted");
      },
    });
    await expect(failing).rejects.toThrow("interrupted");
    expect(await sql(target, "select table_name from information_schema.tables where table_schema = 'public'")).toEqual(
      [],
    );
    await (await openDatabase(target, { create: (tx) => put(tx, "filled", 1) })).close();
    expect(await refusal(openDatabase(target, create))).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("exists already"),
    });
    expect(await sql(target, "select value from settings")).toEqual([{ value: "1" }]);
    await (await openDatabase(target)).close();
  });

  it("openDatabase says that the user has no rights on the tables, not that the database is empty", async () => {
    const { target, remove } = await newInstanceDatabase("postgres");
    await sql(target, "create role reader_without_rights login password 'x'");
    const url = new URL(target);
    url.username = "reader_without_rights";
    url.password = "x";
    for (const options of [undefined, create]) {
      expect(await refusal(openDatabase(url.href, options))).toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("lacks a right"),
      });
    }
    await sql(target, "drop role reader_without_rights");
    await remove();
  });

  it("openDatabase creates an instance in a schema beside that of another instance, and db check finds it complete", async () => {
    const { target, remove } = await newDatabase("postgres");
    await sql(target, 'create schema one; create schema "Zwei 2"');
    const inSchema = (path: string) => `${target}?options=${encodeURIComponent(`-c search_path=${path}`)}`;
    const paths = ["one", '"Zwei\\ 2"'];
    for (const path of paths)
      await (await openDatabase(inSchema(path), { create: (tx) => put(tx, "path", path) })).close();
    for (const path of paths) {
      const database = await openDatabase(inSchema(path));
      expect(await get(database, "path")).toBe(path);
      expect(await postgresStructureCheck.run(database)).toEqual({ total: 0, examples: [] });
      await database.close();
    }
    await remove();
  });

  it("db check names rules, row-level security, triggers and foreign keys that are off, other columns and indexes, but not views", async () => {
    const { target, remove } = await newInstanceDatabase("postgres");
    const database = await openDatabase(target);
    const found = async (...statements: string[]) => {
      await sql(target, statements.join(";"));
      return (await postgresStructureCheck.run(database)).examples;
    };
    expect(
      await found(
        "create view people as select * from users",
        "create rule silent as on update to settings do instead nothing",
        "alter table posts enable row level security",
      ),
    ).toEqual(["the row-level security of posts is not that of wcs", "the rule silent on settings is not that of wcs"]);
    expect(
      await found(
        "drop rule silent on settings",
        "alter table posts disable row level security",
        "alter table settings enable replica trigger settings_version",
        // As a pg_restore with --disable-triggers that was interrupted leaves it.
        "alter table api_tokens disable trigger all",
      ),
    ).toEqual([
      "the foreign key api_tokens_user_id_fkey is missing",
      "the trigger settings_version on settings is missing",
    ]);
    expect(
      await found(
        "alter table api_tokens enable trigger all",
        "alter table settings enable trigger settings_version",
        "alter table mails drop column last_error",
        "alter table webhooks alter column name drop not null",
        "alter table webhooks add column color text",
        "drop index users_admin; create index users_admin on users (id)",
        "alter index message_words_words set (fastupdate = off)",
      ),
    ).toEqual([
      "the index users_admin is not that of wcs",
      "the columns of the table mails are not those of wcs: last_error",
      "the columns of the table webhooks are not those of wcs: color, name",
    ]);
    await database.close();
    await remove();
  });

  it("Instances in two schemas do not wait for each other's locks", async () => {
    const { target, remove } = await newDatabase("postgres");
    await sql(target, "create schema one; create schema two");
    const inSchema = (schema: string) => `${target}?options=-c%20search_path%3D${schema}`;
    const one = await openDatabase(inSchema("one"), create);
    const two = await openDatabase(inSchema("two"), create);
    const other = await openDatabase(inSchema("one"));
    const isFree = (lock: number) =>
      Promise.all([other, two].map(({ writeLocking }) => writeLocking((tx) => tryLock(tx, lock))));
    await one.writeLocking(async (tx) => {
      await waitForTurn(tx, 7);
      expect(await isFree(7)).toEqual([false, true]);
    });
    // As a server does, which keeps `wcs db migrate` from changing the schema.
    await listening(one, "postgres");
    expect(await isFree(serverLock)).toEqual([false, true]);
    for (const database of [one, other, two]) await database.close();
    await remove();
  });

  it("Instances in two schemas do not hear of each other's changes", async () => {
    const { target, remove } = await newDatabase("postgres");
    await sql(target, "create schema one; create schema two");
    const inSchema = (schema: string) => `${target}?options=-c%20search_path%3D${schema}`;
    const openTwice = async (schema: string) => {
      const sender = await openDatabase(inSchema(schema), create);
      const receiver = await openDatabase(inSchema(schema));
      const heard: Topic[] = [];
      await listening(receiver, "postgres");
      receiver.onChange((topics = []) => heard.push(...topics));
      return { sender, receiver, heard };
    };
    const [one, two] = [await openTwice("one"), await openTwice("two")];
    two.sender.announce(["user:2"]);
    await expect.poll(() => two.heard).toEqual(["user:2"]);
    // PostgreSQL delivers notifications in the order of their commits, also those of several channels.
    one.sender.announce(["user:1"]);
    await expect.poll(() => one.heard).not.toEqual([]);
    expect(one.heard).toEqual(["user:1"]);
    for (const { sender, receiver } of [one, two]) await Promise.all([sender.close(), receiver.close()]);
    await remove();
  });

  it("openDatabase says that the server has no TLS, or that the certificate is missing", async () => {
    expect(await refusal(openDatabase(`${target}?sslmode=verify-full`))).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("over TLS"),
    });
    expect(await refusal(openDatabase(`${target}?sslrootcert=/missing.pem`))).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("/missing.pem"),
    });
  });

  it("openDatabase says that no authority of the URL has issued the certificate of the server", async () => {
    const server = createServer((socket) => {
      socket.once("data", () => {
        socket.write("S");
        new TLSSocket(socket, { isServer: true, cert, key }).on("error", () => {});
      });
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    expect(await refusal(openDatabase(`postgres://127.0.0.1:${port}/wcs?sslmode=verify-full`))).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/over TLS: self-signed certificate\.$/),
    });
  });

  it("openDatabase refuses a database of a newer wcs", async () => {
    const newer = await newInstanceDatabase("postgres");
    await sql(newer.target, "insert into kysely_migration values ('9999-future', '2099-01-01')");
    expect(await refusal(openDatabase(newer.target))).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("newer version"),
    });
    await newer.remove();
  });

  it("openDatabase refuses a database with other tables, and does not change it", async () => {
    const foreign = await newDatabase("postgres");
    await sql(foreign.target, "create table theirs (id integer)");
    expect(await refusal(openDatabase(foreign.target, create))).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("other tables"),
    });
    expect(await refusal(openDatabase(foreign.target))).toMatchObject({ code: "not_found" });
    const tables = await sql(
      foreign.target,
      "select table_name from information_schema.tables where table_schema = 'public'",
    );
    expect(tables).toEqual([{ table_name: "theirs" }]);
    await foreign.remove();
  });

  it("openDatabase refuses a database with another encoding, and creates nothing in one that only reads", async () => {
    const server = `${inject("postgresUrl")}/postgres`;
    const name = `latin_${process.pid}`;
    await sql(server, `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const latin = `${inject("postgresUrl")}/${name}`;
    for (const options of [create, undefined, { skipMigration: true } as const]) {
      expect(await refusal(openDatabase(latin, options))).toMatchObject({
        code: "conflict",
        message: expect.stringContaining("The encoding of the database is LATIN1; wcs needs UTF8."),
      });
    }
    await sql(server, `drop database ${name}`);
    const reading = await newDatabase("postgres");
    await sql(
      server,
      `alter database ${new URL(reading.target).pathname.slice(1)} set default_transaction_read_only = on`,
    );
    expect(await refusal(openDatabase(reading.target, create))).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("PostgreSQL allows only reads"),
    });
    await reading.remove();
  });

  it("openDatabase does not find a database that does not exist", async () => {
    const missing = `${inject("postgresUrl")}/no_such_database`;
    expect(await refusal(openDatabase(missing))).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("The PostgreSQL database does not exist"),
    });
    expect((await refusal(openDatabase(missing, create))).code).toBe("not_found");
  });

  it("a database that is dropped while it is open is unavailable", async () => {
    const { target } = await newInstanceDatabase("postgres");
    const database = await openDatabase(target);
    const name = new URL(target).pathname.slice(1);
    await sql(`${inject("postgresUrl")}/postgres`, `drop database ${name} with (force)`);
    const explained = () => get(database, "any").then(() => "found", database.explain);
    await expect
      .poll(explained)
      .toMatchObject({ code: "unavailable", message: "The PostgreSQL database was dropped or renamed." });
    await database.close();
  });

  it("a database that refuses connections is unavailable", async () => {
    const { target, remove } = await newInstanceDatabase("postgres");
    const name = new URL(target).pathname.slice(1);
    const allow = (value: boolean) =>
      sql(`${inject("postgresUrl")}/postgres`, `alter database ${name} allow_connections ${value}`);
    await allow(false);
    expect(await refusal(openDatabase(target))).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/: PostgreSQL refuses connections to the database\.$/),
    });
    await allow(true);
    await remove();
  });

  it("transactions wait when PostgreSQL allows few connections; without any, the error says so", async () => {
    const limited = await newInstanceDatabase("postgres");
    await sql(limited.target, "create role few_connections login password 'x' connection limit 2");
    await sql(limited.target, "grant all on all tables in schema public to few_connections");
    const url = new URL(limited.target);
    url.username = "few_connections";
    url.password = "x";
    const database = await openDatabase(url.href);
    const keys = Array.from({ length: 20 }, (_, i) => `few-${i}`);
    await Promise.all(keys.map((key) => database.writeLocking((tx) => put(tx, key, 1))));
    expect(await Promise.all(keys.map((key) => get(database, key)))).toEqual(keys.map(() => "1"));
    await database.close();
    await sql(limited.target, "alter role few_connections connection limit 0");
    expect(await refusal(openDatabase(url.href))).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("PostgreSQL refuses another connection: there are too many."),
    });
    await sql(limited.target, "drop owned by few_connections; drop role few_connections");
    await limited.remove();
  });

  it("a user that PostgreSQL does not know, or does not let in, is not said to have a wrong password", async () => {
    const { target, remove } = await newDatabase("postgres");
    await sql(target, "create role outsider nologin password 'x'");
    const url = new URL(target);
    [url.username, url.password] = ["outsider", "x"];
    expect(await refusal(openDatabase(url.href))).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("PostgreSQL refuses the connection: "),
    });
    await sql(target, "drop role outsider");
    await remove();
  });

  it("a new password in the password file is used from the next connection on", async () => {
    const { target, remove } = await newInstanceDatabase("postgres");
    const url = new URL(target);
    [url.username, url.password] = ["rotated", ""];
    const passwords = join(mkdtempSync(join(tmpdir(), "wcs-passwords-")), "pgpass");
    vi.stubEnv("PGPASSFILE", passwords);
    onTestFinished(() => void vi.unstubAllEnvs());
    const setPassword = async (password: string) => {
      await sql(target, `alter role rotated password '${password}'`);
      writeFileSync(passwords, `*:*:*:rotated:${password}`, { mode: 0o600 });
    };
    await sql(target, "create role rotated login; grant select on all tables in schema public to rotated");
    await setPassword("old");
    const database = await openDatabase(url.href);
    onTestFinished(await listening(database, "postgres"));
    await setPassword("new");
    await sql(target, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotated'");
    await expect.poll(() => get(database, "none").catch(() => "failed")).toBeUndefined();
    const listeners = "select 1 from pg_stat_activity where usename = 'rotated' and application_name = 'wcs listen'";
    await expect.poll(() => sql(target, listeners)).toHaveLength(1);
    await database.close();
    await sql(target, "drop owned by rotated; drop role rotated");
    await remove();
  });

  it("while the certificate of the URL cannot be read, transactions fail; afterwards the server listens again", async () => {
    const { target, remove } = await newInstanceDatabase("postgres");
    const certificate = join(mkdtempSync(join(tmpdir(), "wcs-certificate-")), "root.pem");
    const supply = () => writeFileSync(certificate, "");
    supply();
    const database = await openDatabase(`${target}?sslmode=disable&sslrootcert=${certificate}`);
    onTestFinished(await listening(database, "postgres"));
    const activity = "from pg_stat_activity where datname = current_database() and application_name like 'wcs%'";
    const sleeping = `${activity} and query like '%pg_sleep%' and state = 'active'`;
    const writes = Array.from({ length: 15 }, () =>
      database.writeLocking((tx) => statement`select pg_sleep(600)`.execute(tx)).catch(({ code }) => code),
    );
    await expect.poll(() => sql(target, `select 1 ${sleeping}`)).toHaveLength(10);
    rmSync(certificate);
    const reading = vi.spyOn(fs, "readFileSync");
    onTestFinished(() => reading.mockRestore());
    await sql(target, `select pg_terminate_backend(pid) ${activity}`);
    expect(new Set(await Promise.all(writes))).toEqual(new Set(["57P01", "ENOENT"]));
    reading.mockClear();
    await expect.poll(() => reading.mock.calls.some(([path]) => path === certificate)).toBe(true);
    supply();
    await expect.poll(() => sql(target, `select 1 ${activity} and application_name = 'wcs listen'`)).toHaveLength(1);
    await database.close();
    await remove();
  });

  it("transactions wait when PgBouncer allows few connections", async () => {
    const { target, remove } = await newInstanceDatabase("postgres");
    const { hostname, port } = new URL(target);
    const text = "SFATAL\0C08P01\0Mno more connections allowed (max_client_conn)\0\0";
    const header = Buffer.from("E\0\0\0\0");
    header.writeInt32BE(text.length + 4, 1);
    let open = 0;
    const pooler = createServer((client) => {
      client.on("error", () => {});
      if (open >= 3) {
        client.once("data", () => client.end(Buffer.concat([header, Buffer.from(text)])));
        return;
      }
      open += 1;
      const backend = connect(Number(port), hostname);
      client.pipe(backend).pipe(client);
      client.on("close", () => {
        open -= 1;
        backend.destroy();
      });
      backend.on("error", () => client.destroy());
    });
    pooler.listen(0, "127.0.0.1");
    await once(pooler, "listening");
    const url = new URL(target);
    url.host = `127.0.0.1:${(pooler.address() as AddressInfo).port}`;
    const database = await openDatabase(`${url.href}?pgbouncer=true`);
    const keys = Array.from({ length: 20 }, (_, i) => `pooled-${i}`);
    await Promise.all(keys.map((key) => database.writeLocking((tx) => put(tx, key, 1))));
    expect(await Promise.all(keys.map((key) => get(database, key)))).toEqual(keys.map(() => "1"));
    await database.close();
    pooler.close();
    await remove();
  });

  it("a statement that PostgreSQL cancels is unavailable, and commands do not repeat it", async () => {
    const { target, remove } = await newInstanceDatabase("postgres");
    const database = await openDatabase(target);
    for (const limit of ["statement_timeout", "transaction_timeout"]) {
      const cancelled = database.write(async (tx) => {
        // Half a second, which a busy machine does not take from one statement to the next.
        await statement`select set_config(${limit}, '500', true)`.execute(tx);
        await statement`select pg_sleep(60)`.execute(tx);
      });
      expect(await cancelled.catch(database.explain)).toMatchObject({
        code: "unavailable",
        message: "PostgreSQL cancelled a statement; try again.",
        retryAfter: undefined,
      });
    }
    await database.close();
    await remove();
  });

  it("openDatabase refuses a wrong password or user, and names neither", async () => {
    for (const change of [
      (url: URL) => {
        url.password = "hunter2";
      },
      (url: URL) => {
        url.username = "nobody-we-know";
      },
    ]) {
      const url = new URL(target);
      change(url);
      const { code, message } = await refusal(openDatabase(url.href));
      expect(code).toBe("unavailable");
      expect(message).toContain("user or password");
      expect(message).not.toMatch(/hunter2|nobody-we-know/);
    }
  });

  it("a server that is down is unavailable", async () => {
    const url = new URL(target);
    url.port = String(await freePort());
    const refused = await refusal(openDatabase(url.href));
    expect(refused).toMatchObject({ code: "unavailable", message: expect.stringContaining("cannot be reached") });
    expect(refused.message).not.toContain(url.password);
  });

  it("a host that is not known is unavailable", async () => {
    expect((await refusal(openDatabase("postgres://x:y@nowhere.invalid/wcs"))).code).toBe("unavailable");
  });

  it("a server that does not speak the protocol is unavailable", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const refused = await refusal(openDatabase(`postgres://x:y@127.0.0.1:${port}/wcs`));
    expect(refused.code).toBe("unavailable");
    server.close();
  });

  it("the next transaction works after PostgreSQL ended the connections", async () => {
    const database = await openDatabase(target);
    await database.write((tx) => put(tx, "before", 1));
    const name = new URL(target).pathname.slice(1);
    const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`;
    const interrupted = database.write(async (tx) => {
      await put(tx, "during", 1);
      await sql(`${inject("postgresUrl")}/postgres`, others);
      await put(tx, "during", 2);
    });
    const explained = interrupted.catch((error) => {
      throw database.explain(error);
    });
    expect((await refusal(explained)).code).toBe("unavailable");
    await database.write((tx) => put(tx, "after", 1));
    expect(await sql(target, "select key from settings order by key")).toEqual([
      { key: "after" },
      { key: "before" },
      { key: "filled" },
    ]);
    await database.close();
  });
});
