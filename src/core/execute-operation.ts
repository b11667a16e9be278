import { ServiceError } from "../contract/errors.ts";
import { once } from "../contract/once.ts";
import type { AnyOperation } from "../contract/operation.ts";
import { type Issues, tryParseInput } from "../contract/parse-input.ts";
import { needsSecret, withoutSecrets } from "../contract/secrets.ts";
import type { Semaphores } from "../contract/semaphore.ts";
import type { Settings } from "../contract/settings.ts";
import type { Database } from "../store/database.ts";
import { runOrRollBack } from "../store/dry-run.ts";
import type { Topic } from "../store/topics.ts";
import { findHandler } from "./find-handler.ts";
import { nobody } from "./pipeline/actor.ts";
import type { Ctx, Instance } from "./pipeline/context.ts";
import { inTurns } from "./pipeline/event-loop-turns.ts";
import type { FairTurns } from "./pipeline/fair-turns.ts";
import { findResponse, type Repeatable, repeatableOf, replaceResponse, storeResponse } from "./pipeline/idempotency.ts";
import type { callerIdentification, FullOrigin, IdentifiedCall, Moment } from "./pipeline/identify-caller.ts";
import type { LastUses } from "./pipeline/last-uses.ts";
import type { Waits } from "./pipeline/long-poll.ts";
import type { Version } from "./pipeline/memory-cache.ts";
import type { RecordedChange } from "./pipeline/outbox.ts";
import { permit } from "./pipeline/permissions.ts";

export interface Runtime extends ReturnType<typeof callerIdentification> {
  readonly database: Database;
  readonly announce: Database["announce"];
  readonly clock: () => number;
  readonly instance: () => Promise<Instance> | Instance;
  readonly settings: (version: Version) => Promise<Settings> | Settings;
  readonly lastUses: LastUses;
  /** By the user and the Idempotency-Key. */
  readonly keysInUse: Semaphores<string>;
  readonly waits: Waits;
  readonly fairTurns: FairTurns;
  readonly wideReads: Semaphores<number>;
  readonly transactions: Semaphores<number>;
  readonly strangerTransactions: Semaphores<number>;
}

interface Execution extends IdentifiedCall {
  readonly runtime: Runtime;
  readonly input: Record<string, unknown>;
  readonly reading: Ctx;
  readonly repeatable: Repeatable | undefined;
}

// Node looks an imported module up again each time, which takes longer than using it.
const admission = once(() => import("./admission.ts"));
const auditLog = once(() => import("./pipeline/audit-log.ts"));
const eventWriting = once(() => import("./directory/write-events.ts"));

export function currentMoment({ clock, database }: Runtime): Moment {
  return { now: Math.floor(clock() / 1000), versions: database.factVersions() };
}

/** Returns the context of a call outside a transaction. */
export function readingContext(
  { database }: Runtime,
  { op, caller: { actor, token, apiToken }, origin, moment: { now } }: IdentifiedCall,
  { settings, instance }: Pick<Ctx, "settings" | "instance">,
): Ctx {
  const notInTransaction = () => {
    throw new Error(`${op.name} only reads`);
  };
  return {
    db: database.reader,
    actor,
    token,
    apiToken,
    now,
    settings,
    instance,
    address: origin.address,
    network: origin.network,
    userAgent: origin.userAgent,
    servedAt: origin.servedAt,
    dryRun: origin.dryRun === true,
    secrets: database.secrets,
    changed: notInTransaction,
    announce: notInTransaction,
    transaction: notInTransaction,
    waitFor: notInTransaction,
  };
}

/** Executes an operation: identifies the caller, parses the input, checks permissions, and runs the handler. */
export async function executeOperation(
  runtime: Runtime,
  { op, input, origin }: { op: AnyOperation; input: unknown; origin: FullOrigin },
): Promise<unknown> {
  const moment = currentMoment(runtime);
  const identified = runtime.identify(op, origin, moment);
  // Reads for the presumed caller in the same round trip in which the caller is identified.
  const presumed = op.transaction === "read" && op.access !== "public" ? runtime.presume(origin, moment) : undefined;
  const executeNow = (caller: IdentifiedCall["caller"]) => executeAs(runtime, { op, input, origin, moment, caller });
  // Without versions there is a database server: while a read waits for it, others can run.
  const isRemote = moment.versions === undefined;
  // Exports write that they began, but page like lists; long polls have no pages and must not hold a turn.
  const takesTurns = op.transaction === "read" || op.list?.paging !== undefined;
  const isWide = isRemote && takesTurns && op.list !== undefined;
  const executeEarly = (caller: IdentifiedCall["caller"]) => {
    if (!isWide) return executeNow(caller);
    const { id } = caller.actor;
    return runtime.wideReads.isFull(id) ? undefined : runtime.wideReads.run(id, () => executeNow(caller));
  };
  const early = presumed && executeEarly(presumed);
  // The outcome does not matter when the caller turns out to be another.
  early?.catch(() => {});
  const caller = await identified;
  const { actor } = caller;
  if (actor !== nobody) origin.onIdentified?.(actor.id);
  const isSame = actor === presumed?.actor && caller.settingsVersion === presumed.settingsVersion;
  if (early && isSame) return early;
  const isShared = takesTurns && actor !== nobody && (isWide || !isRemote);
  if (!isShared) return executeNow(caller);
  const turns = isRemote ? runtime.wideReads : runtime.fairTurns;
  const executeLater = async () => {
    // The sign-in, or the right to read something, may have ended meanwhile.
    const later = currentMoment(runtime);
    return executeAs(runtime, { op, input, origin, moment: later, caller: await runtime.identify(op, origin, later) });
  };
  return turns.run(actor.id, (hasWaited) => (hasWaited ? executeLater() : executeNow(caller)));
}

async function executeAs(
  runtime: Runtime,
  { op, input: rawInput, origin, moment, caller }: IdentifiedCall & { readonly input: unknown },
): Promise<unknown> {
  // Most calls have nothing to wait for here, and each promise takes time.
  const found = findHandler(op);
  const handler = found instanceof Promise ? await found : found;
  const known = runtime.settings(caller.settingsVersion);
  const settings = known instanceof Promise ? await known : known;
  const kept = runtime.instance();
  const instance = kept instanceof Promise ? await kept : kept;
  const reading = readingContext(runtime, { op, caller, origin, moment }, { settings, instance });
  const wrong = async (found: Issues) => {
    const { inputError } = await import("./input-issues.ts");
    return inputError(reading, op, { input: rawInput, found, origin });
  };
  const parsed = tryParseInput(op, rawInput);
  if (!parsed.ok) throw await wrong(parsed);
  if (origin.refused !== undefined) throw await wrong({ fields: {}, issues: [] });
  const input = parsed.value;
  if (op.bodyLimit !== undefined) {
    const { prepareLargeInput } = await admission();
    await prepareLargeInput(reading, op, input, origin);
  }
  const { idempotencyKey } = origin;
  const repeatable = idempotencyKey === undefined ? undefined : await repeatableOf(op, input, origin, runtime.instance);
  const execution: Execution = { runtime, op, input, origin, moment, caller, reading, repeatable };
  const run = async (ctx: Ctx) => {
    try {
      const permitted = permit(ctx, op, input);
      if (permitted) await permitted;
      // A read checks each filter where it uses it, so its error may name the first wrong one only.
      if (op.transaction === "read") return await handler(ctx, input);
    } catch (error) {
      if (error instanceof ServiceError && error.fields) throw await wrong(error as Issues);
      throw error;
    }
    const output = await handler(ctx, input);
    // A secret returned by a dry run would never work.
    return origin.dryRun && !needsSecret(op.output()) ? withoutSecrets(op.output(), output) : output;
  };
  const work = () => {
    if (op.transaction === "write" || op.transaction === "locking") return inTransaction(execution, run);
    return op.transaction === "own" ? runOwn(execution, run) : run(reading);
  };
  // Callers without a sign-in may use the same key by chance.
  const isAlone = idempotencyKey === undefined || caller.actor === nobody;
  return isAlone ? work() : runtime.keysInUse.run(`${caller.actor.id} ${idempotencyKey}`, work);
}

/** Runs an operation that opens its transactions itself. A repeat gets the stored answer before anything else is checked. */
async function runOwn(execution: Execution, run: (ctx: Ctx) => Promise<unknown>): Promise<unknown> {
  const { runtime, reading, repeatable } = execution;
  const stored = repeatable && (await findResponse(reading, repeatable));
  if (stored !== undefined) return stored.answer;
  let kept: unknown;
  const output = await run(
    ownContext(execution, (answer) => {
      kept = answer;
    }),
  );
  if (repeatable && output !== kept)
    await runtime.database.write((tx) => replaceResponse(tx, reading.actor.id, repeatable, output));
  return output;
}

/** Returns the context of an operation that opens its transactions itself. Calls `onStored` with the answer that one stored. */
function ownContext(execution: Execution, onStored: (answer: unknown) => void): Ctx {
  const { runtime, op, input, origin, reading, caller } = execution;
  const { actor, token, apiToken } = caller;
  const authorize = async () => {
    const again = await runtime.identify(op, origin, currentMoment(runtime));
    await permit({ ...ctx, actor: again.actor }, op, input);
  };
  const ctx: Ctx = {
    ...reading,
    async transaction(work, options) {
      const answer = await inTransaction(execution, work, options);
      if (!options?.lasting) onStored(answer);
      return answer;
    },
    async waitFor(wanted, look) {
      const expires = token?.expires ?? apiToken?.expires ?? Number.POSITIVE_INFINITY;
      const tokenEnds = expires * 1000 - runtime.clock();
      return runtime.waits.waitFor({ ...wanted, user: actor.id, tokenEnds, signal: origin.signal, authorize }, look);
    },
  };
  return ctx;
}

/**
 * Runs `work` in a transaction that also stores the answer and the audit entry. The caller must still be signed in and
 * permitted, unless the transaction is `lasting`, which only counts attempts.
 */
function inTransaction<T>(
  execution: Execution,
  work: (ctx: Ctx) => Promise<T>,
  { lasting = false, locking = execution.op.transaction === "locking" } = {},
): Promise<T> {
  const { op, input, repeatable } = execution;
  const isRecorded = op.method !== "GET" && !op.private && !lasting;
  const run = () =>
    runTransaction(execution, { lasting, locking }, async (ctx) => {
      if (op.transaction === "own" && !lasting) await permit(ctx, op, input);
      // A lasting transaction is not that of the change, so its result is not the response.
      return storeResponse(ctx, lasting ? undefined : repeatable, async () => {
        if (!isRecorded) return work(ctx);
        return (await auditLog()).runRecorded(ctx, op, input, () => work(ctx));
      });
    });
  if (execution.moment.versions !== undefined) return run();
  const { actor } = execution.caller;
  const { transactions, strangerTransactions } = execution.runtime;
  return (actor === nobody ? strangerTransactions : transactions).run(actor.id, run);
}

/** Changes announced in one turn of the event loop. */
const changesAtOnce = 10_000;

/** Runs `work` in a transaction, at whose end events of changes are written. Announces topics after the commit. */
async function runTransaction<T>(
  execution: Execution,
  { lasting, locking }: { readonly lasting: boolean; readonly locking: boolean },
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const { runtime, origin, reading } = execution;
  const { write, writeLocking } = runtime.database;
  const dryRun = origin.dryRun === true && !lasting;
  let topics = new Set<Topic>();
  const result = await runOrRollBack(locking ? writeLocking : write, dryRun, async (tx) => {
    // PostgreSQL may try a transaction several times.
    topics = new Set();
    const changes: RecordedChange[] = [];
    const ctx: Ctx = {
      ...reading,
      actor: lasting ? reading.actor : await runtime.confirm(tx, execution),
      db: tx,
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
    if (dryRun) return result;
    if (changes.length > 0) await (await eventWriting()).writeEvents(ctx, changes);
    for await (const some of inTurns(changes, changesAtOnce)) {
      for (const { trigger, id } of some) if (trigger.startsWith("user.")) ctx.announce(`user:${id}`);
    }
    return result;
  });
  if (topics.size > 0 && !dryRun) runtime.announce([...topics]);
  return result;
}
