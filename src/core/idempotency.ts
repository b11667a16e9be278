import { ServiceError } from "../contract/errors.ts";
import type { AnyOperation, Origin } from "../contract/operation.ts";
import type { Ctx } from "./context.ts";

const keptSeconds = 86_400;

/**
 * Does `work` once for each `Idempotency-Key` of an actor: a repeat with the same input gets the first answer, with
 * another input `validation_failed`. The answer is kept in the transaction of the work itself, so there is no moment in
 * which one is there without the other. Answers with secrets are not kept.
 */
export async function keepAnswer<T>(
  ctx: Ctx,
  op: AnyOperation,
  input: unknown,
  { idempotencyKey: key, dryRun }: Origin,
  work: () => Promise<T>,
): Promise<T> {
  if (key === undefined || op.method !== "POST" || op.secret || dryRun) return work();
  const { createHash } = await import("node:crypto");
  const input_hash = createHash("sha256")
    .update(`${op.name} ${JSON.stringify(input)}`)
    .digest("base64url");
  await ctx.db
    .deleteFrom("idempotency_keys")
    .where("created_at", "<=", ctx.now - keptSeconds)
    .execute();
  const kept = await ctx.db
    .selectFrom("idempotency_keys")
    .select(["input_hash", "response"])
    .where("actor_id", "=", ctx.actor.id)
    .where("key", "=", key)
    .executeTakeFirst();
  if (kept !== undefined) {
    if (kept.input_hash === input_hash) return JSON.parse(kept.response) ?? undefined;
    throw new ServiceError("validation_failed", "The Idempotency-Key was used for another request; take a new one.", {
      fields: { "Idempotency-Key": ["was used for another request"] },
    });
  }
  const answer = await work();
  await ctx.db
    .insertInto("idempotency_keys")
    .values({ actor_id: ctx.actor.id, key, input_hash, response: JSON.stringify(answer ?? null), created_at: ctx.now })
    .execute();
  return answer;
}

/** Refuses a second request with the same key while the first is still running in this process. */
export function exclusive() {
  const running = new Set<string>();
  return async <T>(actorId: number, { idempotencyKey: key }: Origin, work: () => Promise<T>): Promise<T> => {
    if (key === undefined) return work();
    const name = `${actorId} ${key}`;
    if (running.has(name)) {
      throw new ServiceError("conflict", "A request with this Idempotency-Key is still running.", { retryAfter: 1 });
    }
    running.add(name);
    try {
      return await work();
    } finally {
      running.delete(name);
    }
  };
}
