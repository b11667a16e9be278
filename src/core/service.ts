import { ServiceError } from "../contract/errors.ts";
import type { AnyOperation, Caller, Invoke, Origin } from "../contract/operation.ts";
import type { RoomName } from "../contract/operation-groups.ts";
import { parse } from "../contract/parse-input.ts";
import type { Settings } from "../contract/settings.ts";
import type { Database } from "../store/database.ts";
import type { Topic } from "../store/topics.ts";
import { resolveUser } from "./directory/resolve-user.ts";
import { type Actor, loadActor, nobody } from "./pipeline/actor.ts";
import { type Ctx, type Instance, readingContext } from "./pipeline/context.ts";
import { exclusive, keepAnswer, repeatableOf } from "./pipeline/idempotency.ts";
import { loadInstance, loadSettings } from "./pipeline/load-instance.ts";
import { Waits } from "./pipeline/long-poll.ts";
import { BoundedMap, kept, type Version } from "./pipeline/memory-cache.ts";
import type { Change } from "./pipeline/outbox.ts";
import { permit } from "./pipeline/permissions.ts";
import { readinessOf } from "./pipeline/readiness.ts";
import type { Claims } from "./pipeline/tokens.ts";
import { TopicWatch } from "./pipeline/topic-watch.ts";

type AnyHandler = (ctx: Ctx, input: unknown) => Promise<unknown>;
const rooms: Record<RoomName, () => Promise<object>> = {
  auth: async () => (await import("./auth/auth-operations.ts")).auth,
  users: async () => (await import("./users/user-operations.ts")).users,
  units: async () => (await import("./units/unit-operations.ts")).units,
  usertypes: async () => (await import("./usertypes/usertype-operations.ts")).usertypes,
  posts: async () => (await import("./posts/post-operations.ts")).posts,
  events: async () => (await import("./events/event-operations.ts")).events,
  groups: async () => (await import("./groups/group-operations.ts")).groups,
  counters: async () => (await import("./counters/count-new.ts")).counters,
  conversations: async () => (await import("./conversations/conversation-operations.ts")).conversations,
  files: async () => (await import("./files/get-file.ts")).files,
  webhooks: async () => (await import("./webhooks/webhook-operations.ts")).webhooks,
  languages: async () => (await import("./languages/list-languages.ts")).languages,
  timezones: async () => (await import("./timezones/list-timezones.ts")).timezones,
  audit: async () => (await import("./audit/list-audit.ts")).audit,
  settings: async () => (await import("./settings/change-settings.ts")).settings,
};
const handlers = new Map<string, AnyHandler>();

export interface ServiceOptions {
  readonly database: Database;
  /** Returns milliseconds since 1970, like `Date.now`. */
  readonly clock?: () => number;
  /** `WCS_SETTING_<KEY>` and `WCS_TOKEN_KEY` take precedence over the values in the database. */
  readonly environment?: Record<string, string | undefined>;
  /** Receives the topics that each commit of this service announced. */
  readonly onAnnounce?: (topics: readonly Topic[]) => void;
  /** Milliseconds after which waiting requests notice changes that were not announced. */
  readonly blindPause?: number;
  /** Checks each answer before it is returned; throws when it violates the contract. For tests. */
  readonly check?: (op: AnyOperation, output: unknown) => void;
}

/**
 * The identity of an embedded caller: a token as over HTTP or, because the caller has access to the database, a user
 * ID.
 */
export type Identity = { readonly token: string } | { readonly userId: number };

type FullOrigin = Origin & { readonly userId?: number };

export interface Service {
  readonly invoke: Invoke;
  /**
   * Throws the error that `invoke` would throw for an unknown or unauthorized caller, as far as the path fields allow a
   * decision, so that a server can refuse before reading the body. Returns the caller's ID.
   */
  admit(op: AnyOperation, path: Readonly<Record<string, unknown>>, origin: Origin): Promise<number>;
  /** Returns a caller that runs operations in this process. */
  caller(identity: Identity): Caller;
  /** Returns the ID of the user with that e-mail address or ID, by default of the first active administrator. */
  resolveUser(emailOrId?: string): Promise<number>;
  /** Resolves when the database accepts writes. Tests it at most once per second, however often it is called. */
  ready(): Promise<void>;
  /** Makes waiting operations answer immediately with the current state, so that a server can shut down. */
  endWaits(): void;
  /** Returns the current settings. */
  settings(): Promise<Settings>;
  /** Returns the setting `base_url`. */
  baseUrl(): Promise<string | null>;
}

/** Creates the core, which runs every operation of the contract on a database. */
export function createService(options: ServiceOptions): Service {
  const { database, clock = Date.now, environment = {}, blindPause = 1000, check } = options;
  let instance: Promise<Instance> | undefined;
  const loadedInstance = () => {
    instance ??= loadInstance(database, environment);
    return instance;
  };
  const settings = kept(clock, 1000, () => loadSettings(database, environment));
  const verified = new BoundedMap<string, Claims>(10_000);
  const actors = new BoundedMap<number, { version: Version; actor: Actor | undefined }>(10_000);
  const answers = new BoundedMap<string, { version: Version; until: number; answer: unknown }>(1_000);
  const runExclusively = exclusive();
  const waits = new Waits(new TopicWatch(database, blindPause));
  const ready = readinessOf(database);
  const announce = (topics: readonly Topic[]) => {
    database.announce(topics);
    options.onAnnounce?.(topics);
  };
  const reading = { reader: database.reader, announce };

  async function claimsOf(token: string, now: number): Promise<Claims> {
    let claims = verified.get(token);
    if (claims === undefined) {
      const { verifyToken } = await import("./pipeline/tokens.ts");
      claims = await verifyToken(await loadedInstance(), token, now);
      verified.set(token, claims);
    }
    if (claims.expires > now) return claims;
    verified.delete(token);
    throw new ServiceError("unauthenticated", "The token has expired; sign in again.");
  }

  async function actorOf(id: number, version: Version): Promise<Actor | undefined> {
    const known = actors.get(id);
    if (known !== undefined && version !== undefined && known.version === version) return known.actor;
    const actor = await loadActor(database.reader, id);
    if (version !== undefined) actors.set(id, { version, actor });
    return actor;
  }

  async function identify(op: AnyOperation, origin: FullOrigin, now: number, version: Version) {
    // An invalid token does not matter for an operation that needs none.
    if (op.access === "public") return { actor: nobody, token: undefined };
    const { token, userId } = origin;
    if (token === undefined && userId === undefined) {
      throw new ServiceError("unauthenticated", "Sign in first: this needs a token.");
    }
    const claims = token === undefined ? undefined : await claimsOf(token, now);
    const actor = await actorOf(claims?.userId ?? userId ?? 0, version);
    if (actor === undefined || (claims && claims.version !== actor.tokenVersion)) {
      throw new ServiceError("unauthenticated", "The token is no longer valid; sign in again.");
    }
    return { actor, token: claims };
  }

  async function baseOf(who: Awaited<ReturnType<typeof identify>>, origin: FullOrigin, now: number, version: Version) {
    return {
      ...who,
      now,
      nowUntil: () => now,
      settings: await settings(version),
      instance: await loadedInstance(),
      address: origin.address,
      network: origin.network,
      servedAt: origin.servedAt,
      dryRun: origin.dryRun === true,
      secrets: database.secrets,
    };
  }

  async function perform(op: AnyOperation, rawInput: unknown, origin: FullOrigin) {
    const handler = handlers.get(op.name) ?? (await findHandler(op));
    const now = Math.floor(clock() / 1000);
    const version = database.version();
    const who = await identify(op, origin, now, version);
    const { actor, token } = who;
    if (actor !== nobody) origin.onIdentified?.(actor.id);
    // Lists can be large, so only answers with single objects are cached.
    const remembered = op.transaction === "read" && op.list === undefined && version !== undefined;
    const name = remembered ? `${actor.id} ${op.name} ${JSON.stringify(rawInput)}` : "";
    const known = name === "" ? undefined : answers.get(name);
    if (known !== undefined && known.version === version && now < known.until) return known.answer;
    const input = parse(op.input(), rawInput);
    const base = await baseOf(who, origin, now, version);
    if (op.bodyLimit !== undefined)
      await (await import("./admission.ts")).prepare(readingContext(op, base, reading), op, input, origin);
    const repeatable = await repeatableOf(op, input, origin, loadedInstance);
    const authorize = async () => {
      const again = await identify(op, origin, Math.floor(clock() / 1000), database.version());
      await permit({ ...ctx, actor: again.actor }, op, input as Record<string, unknown>);
    };
    const changes = op.method !== "GET" && !op.private;
    const inTransaction = <T>(
      work: (ctx: Ctx) => Promise<T>,
      { lasting = false, locking = op.transaction === "locking" } = {},
    ) => {
      const write = locking ? database.writeLocking : database.write;
      return transaction({ write, announce }, base, origin.dryRun === true && !lasting, (ctx) =>
        keepAnswer(ctx, repeatable, async () => {
          const output = await work(ctx);
          if (changes && !lasting)
            await (await import("./pipeline/audit-log.ts")).recordChange(ctx, op, input as object, output);
          return output;
        }),
      );
    };
    const run = async (ctx: Ctx) => {
      await permit(ctx, op, input as Record<string, unknown>);
      return handler(ctx, input);
    };
    if (op.transaction === "write" || op.transaction === "locking")
      return runExclusively(actor.id, origin, () => inTransaction(run));
    let until = Number.POSITIVE_INFINITY;
    const ctx: Ctx = {
      ...readingContext(op, base, reading),
      // An answer that depends on the time may be different a second later.
      get now() {
        until = now;
        return now;
      },
      nowUntil(changes) {
        for (const change of changes) if (change !== null && change > now) until = Math.min(until, change);
        return now;
      },
      transaction: inTransaction,
      waitFor: (wanted, look) => {
        const tokenEnds = token === undefined ? Number.POSITIVE_INFINITY : token.expires * 1000 - clock();
        return waits.waitFor({ ...wanted, user: actor.id, tokenEnds, signal: origin.signal, authorize }, look);
      },
    };
    const answer = await runExclusively(actor.id, origin, () => run(ctx));
    if (name !== "" && now < until && isSmall(answer)) answers.set(name, { version, until, answer });
    return answer;
  }

  const invoke = async (op: AnyOperation, input: unknown, origin: FullOrigin) => {
    try {
      const output = await perform(op, input, origin);
      check?.(op, output);
      return output;
    } catch (error) {
      throw database.explain(error);
    }
  };

  return {
    invoke,
    async admit(op, path, origin) {
      try {
        const now = Math.floor(clock() / 1000);
        const version = database.version();
        const who = await identify(op, origin, now, version);
        const { requireAdmission, requirePath } = await import("./admission.ts");
        requirePath(op, path);
        const ctx = readingContext(op, await baseOf(who, origin, now, version), reading);
        await requireAdmission(ctx, op, path, origin);
        return who.actor.id;
      } catch (error) {
        throw database.explain(error);
      }
    },
    caller: (identity) => ({
      call: (op, input, options) => invoke(op, input, { ...options, ...identity }) as never,
      close: () => database.close(),
    }),
    resolveUser: (emailOrId) => resolveUser(database, emailOrId),
    ready,
    endWaits: () => waits.end(),
    settings: async () => settings(database.version()),
    baseUrl: async () => (await settings(database.version())).base_url,
  };
}

/** A post can have a text of 100,000 characters; a cache of a thousand such answers would need too much memory. */
const isSmall = (answer: unknown) => (JSON.stringify(answer)?.length ?? 0) <= 16_384;

async function findHandler(op: AnyOperation): Promise<AnyHandler> {
  const [roomName, verb] = op.name.split(".") as [RoomName, string];
  const handler = ((await rooms[roomName]()) as Record<string, AnyHandler>)[verb]!;
  handlers.set(op.name, handler);
  return handler;
}

/** Carries the result of a dry run out of its transaction and rolls the transaction back. */
class DryRun extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super("dry run");
    this.result = result;
  }
}

async function transaction<T>(
  { write, announce }: Pick<Database, "write" | "announce">,
  base: Omit<Ctx, "db" | "transaction" | "onCommit" | "announce" | "changed" | "waitFor">,
  dryRun: boolean,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  let wakes: (() => void)[] = [];
  let topics = new Set<Topic>();
  try {
    const result = await write(async (tx) => {
      wakes = [];
      topics = new Set();
      const changes: Change[] = [];
      const ctx: Ctx = {
        ...base,
        db: tx,
        onCommit: (wake) => wakes.push(wake),
        announce(...changed) {
          for (const topic of changed) topics.add(topic);
        },
        changed: (trigger, id, before) => changes.push({ trigger, id, before }),
        transaction: (inner) => inner(ctx),
        waitFor: async () => {
          throw new Error("waiting is not possible in a transaction");
        },
      };
      const result = await work(ctx);
      if (dryRun) throw new DryRun(result);
      if (changes.length > 0) await (await import("./directory/write-events.ts")).writeEvents(ctx, changes);
      for (const { trigger, id } of changes) if (trigger.startsWith("user.")) ctx.announce(`user:${id}`);
      return result;
    });
    for (const wake of wakes) wake();
    if (topics.size > 0) announce([...topics]);
    return result;
  } catch (error) {
    if (error instanceof DryRun) return error.result as T;
    throw error;
  }
}
