import { once } from "../contract/once.ts";
import type { Database, Tx } from "../store/database.ts";
import { runOrRollBack } from "../store/dry-run.ts";
import type { Topic } from "../store/topics.ts";
import type { Actor } from "./pipeline/actor.ts";
import type { BaseContext, Ctx } from "./pipeline/context.ts";
import type { RecordedChange } from "./pipeline/outbox.ts";

interface TransactionOptions extends Pick<Database, "write" | "announce"> {
  readonly base: BaseContext;
  /** Returns the actor at the start of the transaction, or throws. */
  readonly confirm: (tx: Tx) => Promise<Actor>;
  readonly dryRun: boolean;
}

const eventWriting = once(() => import("./directory/write-events.ts"));

/** Runs `work` in a transaction, at whose end events of changes are written. Announces topics after the commit. */
export async function runTransaction<T>(
  { write, announce, base, confirm, dryRun }: TransactionOptions,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  let topics = new Set<Topic>();
  const result = await runOrRollBack(write, dryRun, async (tx) => {
    topics = new Set();
    const changes: RecordedChange[] = [];
    const ctx: Ctx = {
      ...base,
      actor: await confirm(tx),
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
    for (const { trigger, id } of changes) if (trigger.startsWith("user.")) ctx.announce(`user:${id}`);
    return result;
  });
  if (topics.size > 0 && !dryRun) announce([...topics]);
  return result;
}
