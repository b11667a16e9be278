import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, inject } from "vitest";
import { version } from "../../src/cli/session/version.ts";
import { allOperations } from "../../src/contract/all-operations.ts";
import { auth } from "../../src/contract/auth.ts";
import type { AnyOperation, Caller } from "../../src/contract/operation.ts";
import { newIssuer, newTokenKey } from "../../src/core/bootstrap.ts";
import { createService, type Service } from "../../src/core/service.ts";
import { createApp } from "../../src/http/app.ts";
import { createClient } from "../../src/http/client/client.ts";
import { readResponse } from "../../src/http/client/read-answer.ts";
import { encode } from "../../src/http/codec.ts";
import { blockListOf, networkOf, parseNetwork } from "../../src/http/server/client-address.ts";
import { listen } from "../../src/http/server/listen.ts";
import type { Database } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { rotateSecretKey } from "../../src/store/rotate-secret-key.ts";
import { createSecretCipher } from "../../src/store/secret-cipher.ts";
import { isFull } from "./effort.ts";
import { firstAdministrator } from "./new-instance.ts";
import { type Content, contentOf, createPostgres, type NewDatabase, reusing } from "./postgres-copies.ts";
import { statusLine, undocumentedStatuses } from "./undocumented-statuses.ts";

export { firstAdministrator };

export type DatabaseKind = "sqlite" | "postgres";
export type CallerKind = "local" | "http";

export interface Environment {
  readonly database: DatabaseKind;
  readonly caller: CallerKind;
}

export const sqliteLocal: Environment = { database: "sqlite", caller: "local" };
export const sqliteHttp: Environment = { database: "sqlite", caller: "http" };
export const postgresLocal: Environment = { database: "postgres", caller: "local" };
export const postgresHttp: Environment = { database: "postgres", caller: "http" };

/** The ways of using the service that suites run in: each database and each caller once; with WCS_TEST_FULL the other two pairs. */
export const environments: readonly Environment[] = isFull ? [sqliteLocal, postgresHttp] : [sqliteHttp, postgresLocal];

/**
 * Runs a suite whose subject is the same on each database, because its SQL is, and because requests do not compete in it:
 * over HTTP on SQLite; in the longer form in all other pairs.
 */
export function describeOnOneDatabase(name: string, suite: (environment: Environment) => void): void {
  describeIn(isFull ? [...environments, postgresLocal] : [sqliteHttp], name, suite);
}

/** Runs a suite in every environment: one of simultaneous requests, or of SQL that differs between the databases. */
export function describeEverywhere(name: string, suite: (environment: Environment) => void): void {
  describeIn(environments, name, suite);
}

function describeIn(some: typeof environments, name: string, suite: (environment: Environment) => void): void {
  for (const environment of some) {
    describe(`${name} (${environment.database}, ${environment.caller})`, () => suite(environment));
  }
}

/** An instance that others start as: the content of its database, the time on its clock, and its administrator's token. */
export interface Snapshot {
  readonly content: Uint8Array | Content;
  readonly milliseconds: number;
  readonly token: string;
}

/** A new instance with a root unit (1) and an administrator (1). */
export interface Instance {
  /** The path or URL of its database. */
  readonly target: string;
  readonly database: Database;
  readonly service: Service;
  /** Base URL of a running server, whatever the environment. */
  readonly url: string;
  readonly administrator: Caller;
  /** A caller for the user of that ID, of the kind of the environment. */
  as(userId: number): Promise<Caller>;
  /** A caller with that token, by default of the kind of the environment. */
  withToken(token: string | undefined, kind?: CallerKind): Caller;
  /** Without a token, at that address; over HTTP behind a proxy. */
  from(address: string): Caller;
  tokenOf(userId: number): Promise<string>;
  /** Moves the clock, in seconds. */
  wait(seconds: number): void;
  /** Stops the clock; from now on only `wait` moves it. */
  freeze(): void;
  /** Unix seconds by the instance's clock. */
  now(): number;
  /** Closes the instance and returns what others need to start as it was. */
  snapshot(): Promise<Snapshot>;
  close(): Promise<void>;
}

/** Returns the target of a new, empty database. */
export async function newDatabase(kind: DatabaseKind): Promise<NewDatabase> {
  return kind === "sqlite" ? sqliteFile() : createPostgres();
}

const copyPostgres = reusing(() => createPostgres(inject("templates").postgres));

/**
 * Returns the target of a copy of the run's template: an instance with a root unit (1) and an administrator (1). It costs a
 * fraction of filling an empty database. With `content`, the copy has that instead.
 */
export async function newInstanceDatabase(kind: DatabaseKind, content?: Snapshot["content"]): Promise<NewDatabase> {
  if (kind === "postgres") return copyPostgres(content as Content | undefined);
  const file = sqliteFile();
  if (content) writeFileSync(file.target, content as Uint8Array);
  else copyFileSync(inject("templates").sqlite, file.target);
  return file;
}

function sqliteFile(): NewDatabase {
  const folder = mkdtempSync(join(tmpdir(), "wcs-test-"));
  return { target: join(folder, "wcs.db"), remove: async () => rmSync(folder, { recursive: true, force: true }) };
}

/** A target as it may stand on a command line, and the environment with its password. */
export function asArgument(target: string): { target: string; env: Record<string, string> } {
  const url = URL.parse(target);
  if (url === null || url.password === "") return { target, env: {} };
  const PGPASSWORD = decodeURIComponent(url.password);
  url.password = "";
  return { target: url.href, env: { PGPASSWORD } };
}

interface InstanceOptions {
  readonly secretKey?: Uint8Array;
  /** Taken from an instance on the same kind of database. The clock stands still. */
  readonly snapshot?: Snapshot;
}

/** Opens a copy of the template as an instance of its own, or of a snapshot; with a key, encrypts its secrets first. */
async function openInstance(kind: DatabaseKind, { secretKey, snapshot }: InstanceOptions) {
  const { target, remove } = await newInstanceDatabase(kind, snapshot?.content);
  const database = await openDatabase(target);
  if (snapshot) return { database, target, remove };
  const identity = { issuer: newIssuer(), token_key: newTokenKey() };
  await database.write((tx) => tx.updateTable("instance").set(identity).execute());
  if (secretKey === undefined) return { database, target, remove };
  await rotateSecretKey(database, createSecretCipher(secretKey));
  await database.close();
  return { database: await openDatabase(target, { secretKey }), target, remove };
}

export async function newInstance(
  { database: kind, caller }: Environment,
  options: InstanceOptions = {},
): Promise<Instance> {
  let offset = 0;
  let stopped = options.snapshot?.milliseconds;
  const clock = () => (stopped ?? Date.now()) + offset * 1000;
  const now = () => Math.floor(clock() / 1000);
  const { database, target, remove } = await openInstance(kind, options);
  const service = createService({ database, clock, check: matchesContract });
  const statuses = new Set<string>();
  const app = createApp({
    operations: await allOperations(),
    invoke: service.invoke,
    admit: service.admit,
    ready: async () => {
      await service.ready();
      return true;
    },
    baseUrl: service.baseUrl,
    instance: service.instance,
    version,
    bodyLimit: 1_048_576,
    uploadLimit: 41_943_040,
    trustedProxies: blockListOf([parseNetwork("127.0.0.1")!]),
    log: { debug() {}, info: (request) => void statuses.add(statusLine(request)), warn() {}, error() {} },
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0, timeouts: { notice: 0, quiet: 0 } });
  const tokenOf = async (userId: number) => (await service.caller({ userId }).call(auth.renew, {}))[0].jwt;
  const withToken = (token: string | undefined, as: CallerKind = caller): Caller =>
    as === "http" ? createClient({ url: server.url, token, userAgent: "test" }) : localCaller(service, token);
  const token = options.snapshot?.token ?? (await tokenOf(1));
  return {
    target,
    database,
    service,
    url: server.url,
    administrator: withToken(token),
    as: async (userId) => withToken(await tokenOf(userId)),
    withToken,
    from: (address) =>
      caller === "http" ? proxiedCaller(server.url, address) : localCaller(service, undefined, address),
    tokenOf,
    wait(seconds) {
      offset += seconds;
    },
    freeze() {
      stopped ??= Date.now();
    },
    now,
    async snapshot() {
      await server.close();
      await database.close();
      const content = kind === "sqlite" ? readFileSync(target) : await contentOf(target);
      await remove();
      return { content, milliseconds: clock(), token };
    },
    async close() {
      await server.close();
      await database.close();
      await remove();
      const undocumented = await undocumentedStatuses(statuses);
      if (undocumented.length > 0) throw new Error(`The OpenAPI document does not list: ${undocumented.join(", ")}`);
    },
  };
}

/** An embedded caller that, as one over HTTP, is known by its token only. */
function localCaller(service: Service, token: string | undefined, address = "127.0.0.1"): Caller {
  const origin = { token, address, network: networkOf(address) };
  return {
    call: (op, input, options) => service.invoke(op, input, { ...options, ...origin }) as never,
    close: async () => {},
  };
}

function proxiedCaller(url: string, address: string): Caller {
  const client = createClient({ url, userAgent: "test" });
  return {
    async call(op, input, options) {
      const { path, query, body } = encode(op, input as Record<string, unknown>);
      const headers = { "x-forwarded-for": address, ...(options?.dryRun && { "dry-run": "true" }) };
      const message = await client.raw(op.method, path, { query, body: body && JSON.stringify(body), headers });
      return readResponse(message, url) as never;
    },
    close: () => client.close(),
  };
}

function matchesContract(op: AnyOperation, output: unknown): void {
  const parsed = op.output().parse(output);
  if (!isDeepStrictEqual(parsed, output)) throw new Error(`${op.name} answers more than its contract says`);
}
