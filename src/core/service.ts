import { ServiceError } from "../contract/errors.ts";
import type { AnyOperation, Caller, Invoke, Origin } from "../contract/operation.ts";
import { Semaphores } from "../contract/semaphore.ts";
import type { Settings } from "../contract/settings.ts";
import type { Database } from "../store/database.ts";
import { instanceName } from "../store/instance-name.ts";
import type { Topic } from "../store/topics.ts";
import { resolveUser } from "./directory/resolve-user.ts";
import { currentMoment, executeOperation, type Runtime, readingContext } from "./execute-operation.ts";
import { FairTurns } from "./pipeline/fair-turns.ts";
import { callerIdentification, type FullOrigin } from "./pipeline/identify-caller.ts";
import { recordLastUses } from "./pipeline/last-uses.ts";
import { loadInstance, settingsLoader } from "./pipeline/load-instance.ts";
import { Waits } from "./pipeline/long-poll.ts";
import { cacheByVersion } from "./pipeline/memory-cache.ts";
import { readinessOf } from "./pipeline/readiness.ts";
import { TopicWatch } from "./pipeline/topic-watch.ts";

/** Maximum number of lists and searches that run for one user at a time on PostgreSQL: fewer than there are connections for reading. */
const maxWideReads = 2;
/** Maximum number of transactions of one user, or of all requests without a sign-in, that hold a connection to PostgreSQL at a time. */
const maxTransactions = 4;
/** Others wait as long as statements wait for a connection. */
const queueLimits = (message: string) => ({
  maxWait: 5000,
  maxWaiting: 1000,
  refusal: () => new ServiceError("unavailable", message, { retryAfter: 1 }),
});
const queueOfUser = queueLimits("Other requests of yours are still running; send fewer at once.");
const queueOfStrangers = queueLimits("Too many sign-ins and password requests are running; try again.");

/** Rejects a request while another one of the user with its Idempotency-Key is running in this process. */
const queueOfKey = {
  maxWaiting: 0,
  refusal: () =>
    new ServiceError("conflict", "A request with this Idempotency-Key is still running.", { retryAfter: 1 }),
};

interface ServiceOptions {
  readonly database: Database;
  /** Returns milliseconds since 1970, like `Date.now`. */
  readonly clock?: () => number;
  /** `WCS_SETTING_<KEY>` and `WCS_TOKEN_KEY` take precedence over the values in the database. */
  readonly environment?: Record<string, string | undefined>;
  /** Receives the topics that each commit of this service announced. */
  readonly onAnnounce?: (topics: readonly Topic[]) => void;
  /** Milliseconds after which waiting requests notice changes that were not announced. */
  readonly pollInterval?: number;
  /** Checks each answer before it is returned; throws when it violates the contract. For tests. */
  readonly check?: (op: AnyOperation, output: unknown) => void;
}

/** The identity of an embedded caller: a token, or a user ID, because the caller has access to the database. */
export type Identity = { readonly token: string } | { readonly userId: number };

export interface Service {
  readonly invoke: Invoke;
  /** Throws for a caller whom the path fields exclude, so that a server need not read the body. Returns the caller's ID. */
  admit(op: AnyOperation, path: Readonly<Record<string, unknown>>, origin: Origin): Promise<number>;
  caller(identity: Identity): Caller;
  /** Returns the ID of the user with that e-mail address or ID, by default of the first active administrator. */
  resolveUser(emailOrId?: string): Promise<number>;
  /** Resolves when the database accepts writes. Tests it at most once per second, however often it is called. */
  ready(): Promise<void>;
  /** Makes waiting operations answer immediately with the current state, so that a server can shut down. */
  endWaits(): void;
  settings(): Promise<Settings>;
  baseUrl(): Promise<string | null>;
  instance(): Promise<{ readonly name: string; readonly minPasswordLength: number }>;
}

/** Creates the core, which runs every operation of the contract on a database. */
export function createService(options: ServiceOptions): Service {
  const { database, check } = options;
  const runtime = createRuntime(options);
  const explained = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw database.explain(error);
    }
  };
  const execute = (op: AnyOperation, input: unknown, origin: FullOrigin) =>
    explained(() => executeOperation(runtime, { op, input, origin }));
  const executeAndCheck: typeof execute = async (op, input, origin) => {
    const output = await execute(op, input, origin);
    check?.(op, output);
    return output;
  };
  const invoke = check ? executeAndCheck : execute;
  const settings = () => explained(() => runtime.settings(database.factVersions()?.settings));
  return {
    invoke,
    admit: (op, path, origin) => explained(() => admit(runtime, { op, path, origin })),
    caller: (identity) => ({
      call: (op, input, options) => invoke(op, input, { ...options, ...identity }) as never,
      async close() {
        await runtime.lastUses.settled();
        await database.close();
      },
    }),
    resolveUser: (emailOrId) => explained(() => resolveUser(database, emailOrId)),
    ready: readinessOf(database),
    endWaits: () => runtime.waits.end(),
    settings,
    baseUrl: async () => (await settings()).base_url,
    instance: async () => {
      const { name, "passwords.min_length": minPasswordLength } = await settings();
      return { name: await explained(() => instanceName(database.reader, name)), minPasswordLength };
    },
  };
}

function createRuntime(options: ServiceOptions): Runtime {
  const { database, clock = Date.now, environment = {}, pollInterval = 1000, onAnnounce } = options;
  const keptInstance = cacheByVersion(() => loadInstance(database, environment));
  // Always of version 0: no operation changes the instance.
  const instance = () => keptInstance(0);
  const lastUses = recordLastUses(database);
  return {
    database,
    announce(topics) {
      database.announce(topics);
      onAnnounce?.(topics);
    },
    clock,
    instance,
    settings: cacheByVersion(settingsLoader(database, environment)),
    ...callerIdentification({ database, instance, lastUses }),
    lastUses,
    keysInUse: new Semaphores(1, queueOfKey),
    waits: new Waits(new TopicWatch(database, pollInterval)),
    fairTurns: new FairTurns(),
    wideReads: new Semaphores(maxWideReads, queueOfUser),
    transactions: new Semaphores(maxTransactions, queueOfUser),
    strangerTransactions: new Semaphores(maxTransactions, queueOfStrangers),
  };
}

async function admit(
  runtime: Runtime,
  { op, path, origin }: { op: AnyOperation; path: Readonly<Record<string, unknown>>; origin: FullOrigin },
): Promise<number> {
  const moment = currentMoment(runtime);
  const caller = await runtime.identify(op, origin, moment);
  const { requireAdmission, requirePath } = await import("./admission.ts");
  requirePath(op, path);
  const [settings, instance] = [await runtime.settings(caller.settingsVersion), await runtime.instance()];
  const ctx = readingContext(runtime, { op, caller, origin, moment }, { settings, instance });
  await requireAdmission(ctx, op, path, origin);
  return caller.actor.id;
}
