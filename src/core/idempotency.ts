import { setImmediate as breathe } from "node:timers/promises";
import { ServiceError } from "../contract/errors.ts";
import type { AnyOperation, Origin } from "../contract/operation.ts";
import { isReplayable, withoutSecrets } from "../contract/secrets.ts";
import type { Ctx, Instance } from "./context.ts";

const keptSeconds = 86_400;
/** Characters of a text that are hashed in one go; of a longer one the parts, and others get their turn in between. */
const portion = 262_144;

/** What tells a request from another one with the same key. */
export interface Repeatable {
  readonly op: AnyOperation;
  readonly key: string;
  readonly input_hash: string;
}

/**
 * Returns what identifies a request whose repeats get its answer; undefined when it is done each time. Secrets of the
 * input are left out of the hash, and nobody can guess the rest of it without the instance's key.
 */
export async function repeatableOf(
  op: AnyOperation,
  given: unknown,
  { idempotencyKey: key, dryRun }: Origin,
  instance: () => Promise<Instance>,
): Promise<Repeatable | undefined> {
  if (key === undefined || dryRun || !isReplayable(op)) return undefined;
  const { createHmac, hkdfSync } = await import("node:crypto");
  const { tokenKey } = await instance();
  const hashKey = hkdfSync("sha256", tokenKey, "", "wcs idempotency_keys.input_hash", 32);
  const hash = createHmac("sha256", new Uint8Array(hashKey)).update(op.name);
  const input = withoutSecrets(op.input(), given);
  const long: string[] = [];
  const put = (_: string, value: unknown) =>
    typeof value === "string" && value.length > portion ? { length: value.length, long: long.push(value) } : value;
  hash.update(` ${JSON.stringify(input, put)}`);
  for (const text of long) {
    for (let at = 0; at < text.length; at += portion) {
      hash.update(text.slice(at, at + portion));
      await breathe();
    }
  }
  return { op, key, input_hash: hash.digest("base64url") };
}

/**
 * Does `work` once for each key of an actor: a repeat with the same input gets the first answer, with
 * another input `validation_failed`. The answer is kept in the transaction of the work itself, so there is no moment in
 * which one is there without the other. Its secrets are not kept: only the first answer holds them.
 */
export async function keepAnswer<T>(ctx: Ctx, repeatable: Repeatable | undefined, work: () => Promise<T>): Promise<T> {
  if (repeatable === undefined) return work();
  const { op, key, input_hash } = repeatable;
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
  const response = JSON.stringify(withoutSecrets(op.output(), answer) ?? null);
  await ctx.db
    .insertInto("idempotency_keys")
    .values({ actor_id: ctx.actor.id, key, input_hash, response, created_at: ctx.now })
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
