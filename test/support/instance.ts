import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { describe, inject } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import type { AnyOperation, Caller } from "../../src/contract/operation.ts";
import { allOperations } from "../../src/contract/rooms.ts";
import { bootstrap } from "../../src/core/bootstrap.ts";
import { createService, type Service } from "../../src/core/service.ts";
import { answerOf } from "../../src/http/answer.ts";
import { createClient } from "../../src/http/client.ts";
import { blockListOf, networkOf, parseNetwork } from "../../src/http/client-address.ts";
import { encode } from "../../src/http/codec.ts";
import { listen } from "../../src/http/listen.ts";
import { createApp } from "../../src/http/server.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";

export type DatabaseKind = "sqlite" | "postgres";
export type CallerKind = "local" | "http";

export interface Environment {
  readonly database: DatabaseKind;
  readonly caller: CallerKind;
}

/** Every way in which the service can be used. */
export const environments: readonly Environment[] = [
  { database: "sqlite", caller: "local" },
  { database: "sqlite", caller: "http" },
  { database: "postgres", caller: "local" },
  { database: "postgres", caller: "http" },
];

/** A suite that runs in every environment. */
export function describeEverywhere(name: string, suite: (environment: Environment) => void): void {
  for (const environment of environments) {
    describe(`${name} (${environment.database}, ${environment.caller})`, () => suite(environment));
  }
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
  /** Of the kind of the environment, unless told otherwise. */
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
  close(): Promise<void>;
}

export const firstAdministrator = { email: "admin@example.com", first_name: "Ada", last_name: "Admin" };

/** The target of a new, empty database, and how to remove it. */
export async function newDatabase(kind: DatabaseKind): Promise<{ target: string; remove(): Promise<void> }> {
  if (kind === "sqlite") {
    const folder = mkdtempSync(join(tmpdir(), "wcs-test-"));
    return { target: join(folder, "wcs.db"), remove: async () => rmSync(folder, { recursive: true, force: true }) };
  }
  const server = inject("postgresUrl");
  const name = `wcs_${randomUUID().replaceAll("-", "")}`;
  await sql(`${server}/postgres`, `create database ${name}`);
  return {
    target: `${server}/${name}`,
    remove: () => sql(`${server}/postgres`, `drop database ${name} with (force)`),
  };
}

/** A target as it may stand on a command line, and the environment with its password. */
export function asArgument(target: string): { target: string; env: Record<string, string> } {
  const url = URL.parse(target);
  if (url === null || url.password === "") return { target, env: {} };
  const PGPASSWORD = decodeURIComponent(url.password);
  url.password = "";
  return { target: url.href, env: { PGPASSWORD } };
}

export async function newInstance(
  { database: kind, caller }: Environment,
  { secretKey }: { secretKey?: Uint8Array } = {},
): Promise<Instance> {
  const { target, remove } = await newDatabase(kind);
  let offset = 0;
  let stopped: number | undefined;
  const clock = () => (stopped ?? Date.now()) + offset * 1000;
  const now = () => Math.floor(clock() / 1000);
  const database = await openDatabase(target, {
    create: async (tx, secrets) => {
      await bootstrap(tx, { administrator: firstAdministrator, rootUnit: "Acme", now: now(), secrets });
    },
    secretKey,
  });
  const service = createService({ database, clock, check: matchesContract });
  const app = createApp({
    operations: await allOperations(),
    invoke: service.invoke,
    admit: service.admit,
    ready: async () => {
      await service.ready();
      return true;
    },
    baseUrl: service.baseUrl,
    trustedProxies: blockListOf([parseNetwork("127.0.0.1")!]),
    log: { info() {}, warn() {}, error() {} },
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0, timeouts: { notice: 0 } });
  const tokenOf = async (userId: number) => (await service.caller({ userId }).call(auth.renew, {}))[0].jwt;
  const withToken = (token: string | undefined, as: CallerKind = caller): Caller =>
    as === "http" ? createClient({ url: server.url, token, userAgent: "test" }) : localCaller(service, token);
  return {
    target,
    database,
    service,
    url: server.url,
    administrator: withToken(await tokenOf(1)),
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
    async close() {
      await server.close();
      await database.close();
      await remove();
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
      return answerOf(message, url) as never;
    },
    close: () => client.close(),
  };
}

function matchesContract(op: AnyOperation, output: unknown): void {
  const parsed = op.output().parse(output);
  if (!isDeepStrictEqual(parsed, output)) throw new Error(`${op.name} answers more than its contract says`);
}

async function sql(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
