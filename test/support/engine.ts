import { describe, onTestFinished, vi } from "vitest";
import { defaults, type Settings } from "../../src/contract/settings.ts";
import { createEngine, type Engine, type EngineOptions } from "../../src/delivery/delivery.ts";
import type { Database } from "../../src/store/database.ts";
import { type DatabaseKind, type Instance, newInstance } from "./instance.ts";

export const userAgent = "wcs/test";

/** Seconds for an answer, unless the settings say otherwise; longer than any test. */
const answerSeconds = 600;

/** An engine on an instance's database and clock, which may call receivers on loopback. */
export function newEngine(
  instance: Instance,
  { settings = {}, ...options }: Partial<Omit<EngineOptions, "settings">> & { settings?: Partial<Settings> } = {},
): Engine {
  return createEngine({
    database: instance.database,
    clock: () => instance.now() * 1000,
    settings: async () => ({
      ...defaults,
      "webhooks.allow_private": true,
      "webhooks.timeout": answerSeconds,
      ...settings,
    }),
    log: { info() {}, error() {} },
    userAgent,
    ...options,
  });
}

/** Returns a function that ends the attempts that have begun since and are not answered, as the timeout does. */
export function observeAttempts(): () => void {
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => void timers.mockRestore());
  return () => {
    for (const [end, milliseconds] of timers.mock.calls) if (milliseconds === answerSeconds * 1000) end();
  };
}

/** The database, with something that happens just before a transaction that claims. */
export function whenClaimed(database: Database, happens: () => void): Database {
  const writeLocking: Database["writeLocking"] = (work) => {
    happens();
    return database.writeLocking(work);
  };
  return { ...database, writeLocking };
}

/**
 * Resolves when the database hears of changes. On PostgreSQL, the first listener is woken once it is connected; those that
 * follow are woken by changes only. Returns a function that ends the listening.
 */
export async function listening(database: Database, kind: DatabaseKind): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = database.onChange(() => resolve());
  if (kind === "postgres") await promise;
  return stop;
}

/** An instance whose administrator is known by ID, so that no token ends however the clock moves. */
export async function openInstanceOf(database: DatabaseKind): Promise<Instance> {
  const instance = await newInstance({ database, caller: "local" });
  return { ...instance, administrator: instance.service.caller({ userId: 1 }) };
}

/** A suite that runs on each database, in an instance for each test. */
export function describeOnDatabases(
  name: string,
  suite: (open: () => Promise<Instance>, kind: DatabaseKind) => void,
): void {
  for (const database of ["sqlite", "postgres"] as const) {
    const open = async () => {
      const instance = await openInstanceOf(database);
      onTestFinished(() => instance.close());
      return instance;
    };
    describe(`${name} (${database})`, () => suite(open, database));
  }
}
