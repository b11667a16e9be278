import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { isFull } from "../support/effort.ts";
import {
  asArgument,
  type DatabaseKind,
  type Environment,
  newDatabase,
  postgresHttp,
  postgresLocal,
  sqliteHttp,
  sqliteLocal,
} from "../support/instance.ts";
import { type NewDatabase, reusing } from "../support/postgres-copies.ts";
import { bin, type Home, newHome, type Result, serveHere } from "./support.ts";

export const data = join(import.meta.dirname, "../data/rows");

/** An instance with a root unit and an administrator, and wcs working on it. */
export interface Place {
  readonly home: Home;
  /** The path or URL of its database. */
  readonly target: string;
  wcs(args: readonly string[], more?: { stdin?: string | Buffer; env?: Record<string, string> }): Promise<Result>;
  /** The flags and the environment that select it. */
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** The flags that select its database. */
  readonly local: readonly string[];
  /** Kills the server of a place over HTTP, if it is a process. */
  kill(): void;
  close(): Promise<void>;
}

const administrator = ["--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace", "--root-unit", "Acme"];

/** The database that the command made first in this worker. */
let initialized: Buffer | undefined;

/** Makes an instance by the command or by copying one, with the password of its database in the environment of this process. */
async function initialize(kind: DatabaseKind): Promise<NewDatabase> {
  const database = await newDatabase(kind);
  if (kind === "sqlite" && initialized) {
    writeFileSync(database.target, initialized, { mode: 0o600 });
    return database;
  }
  const { target, env } = asArgument(database.target);
  const home = newHome();
  // For wcs as a process, and in this one.
  Object.assign(home.env, env);
  Object.assign(process.env, env);
  const made = await home.wcs(["init", "--db", target, ...administrator, "--no-profile"]);
  rmSync(home.folder, { recursive: true, force: true });
  if (made.code !== 0) throw new Error(made.stderr);
  if (kind === "sqlite") initialized = readFileSync(database.target);
  return database;
}

const initializePostgres = reusing(() => initialize("postgres"));

/** A new instance on either database, used as a database or over HTTP through a server, by default a process of its own. */
export async function newPlace({ database, caller }: Environment, serve = startServer): Promise<Place> {
  const { target, remove } = await (database === "postgres" ? initializePostgres() : initialize(database));
  const home = newHome();
  const argument = asArgument(target);
  const local = ["--db", argument.target];
  // For wcs as a process; initialize has set it for this one.
  Object.assign(home.env, argument.env);
  const server = caller === "http" ? await serve(argument.target, home.env) : undefined;
  const renewed = server && (await home.wcs(["api", "POST", "/renew", ...local]));
  const args = server ? ["--url", server.url] : local;
  const env: Record<string, string> = renewed ? { WCS_TOKEN: JSON.parse(renewed.stdout)[0].jwt } : {};
  return {
    home,
    target,
    args,
    env,
    local,
    kill: () => server?.kill(),
    wcs: (words, { stdin = "", env: more } = {}) => home.wcs([...words, ...args], { stdin, env: { ...env, ...more } }),
    async close() {
      await server?.close();
      await remove();
      rmSync(home.folder, { recursive: true, force: true });
    },
  };
}

interface PlaceServer {
  readonly url: string;
  kill(): void;
  close(): Promise<void>;
}

const serveFlags = ["--port", "0", "--shutdown-notice", "0", "--log-level", "silent"];

async function startServer(target: string, env: Record<string, string>): Promise<PlaceServer> {
  const server = spawn(process.execPath, [bin, "serve", "--db", target, ...serveFlags], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  return {
    url: line.toString().trim(),
    kill: () => void server.kill("SIGKILL"),
    async close() {
      if (server.exitCode === null && server.signalCode === null && server.kill()) await once(server, "exit");
    },
  };
}

/** Serves in the process of the test, which has loaded what a server needs. */
async function serveInTest(target: string, env: Record<string, string>): Promise<PlaceServer> {
  const { url, close } = await serveHere(["--db", target, ...serveFlags], env);
  return { url, close, kill: () => {} };
}

export function usePlace(environment: Environment = sqliteLocal, serve = startServer): () => Place {
  let place: Place | undefined;
  beforeAll(async () => {
    place = await newPlace(environment, serve);
  });
  afterAll(() => place?.close());
  return () => place!;
}

/** The other pairs of database and caller, which suites of the core use in npm test, are those of the longer form. */
const placeEnvironments = isFull ? [sqliteLocal, postgresLocal, postgresHttp] : [sqliteHttp];

/**
 * A suite that runs on SQLite over HTTP; with WCS_TEST_FULL on each database and over HTTP, where the server is a process
 * of its own.
 */
export function describePlaces(name: string, suite: (place: () => Place) => void): void {
  for (const environment of placeEnvironments) {
    describe(`${name} (${environment.database}, ${environment.caller})`, () =>
      suite(usePlace(environment, isFull ? startServer : serveInTest)));
  }
}
