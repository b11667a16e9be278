import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import {
  asArgument,
  type DatabaseKind,
  type Environment,
  environments,
  newDatabase,
  sqliteLocal,
} from "../support/instance.ts";
import { type NewDatabase, reusing } from "../support/postgres-copies.ts";
import { bin, type Home, newHome, type Result } from "./support.ts";

export const data = join(import.meta.dirname, "../data/rows");

/** An instance with a root unit and an administrator, and wcs working on it. */
export interface Place {
  readonly home: Home;
  /** The path or URL of its database. */
  readonly target: string;
  wcs(args: readonly string[], more?: { stdin?: string | Buffer; env?: Record<string, string> }): Promise<Result>;
  /** The flags and the environment that lead to it. */
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** The flags that lead to its database. */
  readonly local: readonly string[];
  /** Of a place over HTTP: ends its server at once. */
  kill(): void;
  close(): Promise<void>;
}

const administrator = ["--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace", "--root-unit", "Acme"];

/** Makes an instance by the command, with the password of its database in the environment of this process. */
async function initialize(kind: DatabaseKind): Promise<NewDatabase> {
  const database = await newDatabase(kind);
  const { target, env } = asArgument(database.target);
  const home = newHome();
  // For wcs as a process, and in this one.
  Object.assign(home.env, env);
  Object.assign(process.env, env);
  const made = await home.wcs(["init", "--db", target, ...administrator, "--no-profile"]);
  rmSync(home.folder, { recursive: true, force: true });
  if (made.code !== 0) throw new Error(made.stderr);
  return database;
}

const initializePostgres = reusing(() => initialize("postgres"));

/** A new instance on either database, used as a database or over HTTP through a server process. */
export async function newPlace({ database, caller }: Environment): Promise<Place> {
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
    kill: () => void server?.process.kill("SIGKILL"),
    wcs: (words, { stdin = "", env: more } = {}) => home.wcs([...words, ...args], { stdin, env: { ...env, ...more } }),
    async close() {
      if (server && server.process.exitCode === null && server.process.kill()) await once(server.process, "exit");
      await remove();
      rmSync(home.folder, { recursive: true, force: true });
    },
  };
}

async function serve(target: string, env: Record<string, string>): Promise<{ process: ChildProcess; url: string }> {
  const server = spawn(process.execPath, [bin, "serve", "--db", target, "--port", "0"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  return { process: server, url: line.toString().trim() };
}

export function usePlace(environment: Environment = sqliteLocal): () => Place {
  let place: Place | undefined;
  beforeAll(async () => {
    place = await newPlace(environment);
  });
  afterAll(() => place?.close());
  return () => place!;
}

/** A suite that runs on every database, as one and over HTTP. */
export function describePlaces(name: string, suite: (place: () => Place) => void): void {
  for (const environment of environments) {
    describe(`${name} (${environment.database}, ${environment.caller})`, () => suite(usePlace(environment)));
  }
}
