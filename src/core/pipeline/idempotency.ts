import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { ServiceError } from "../../contract/errors.ts";
import type { AnyOperation, Origin } from "../../contract/operation.ts";
import { isReplayable, withoutSecrets } from "../../contract/secrets.ts";
import { deleteRows, insertRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import type { Ctx, Instance } from "./context.ts";

export const retentionSeconds = 86_400;
/** Characters hashed at a time; other requests get a turn in between. */
const portion = 262_144;

/** Identifies a request whose repeats with the same key and input get the stored answer. */
export interface Repeatable {
  readonly op: AnyOperation;
  readonly key: string;
  readonly input_hash: string;
}

/** Returns the identity of a request whose repeats get the stored answer, without secret input; undefined when repeats run again. */
export async function repeatableOf(
  op: AnyOperation,
  given: unknown,
  { idempotencyKey: key, dryRun }: Origin,
  instance: () => Promise<Instance> | Instance,
): Promise<Repeatable | undefined> {
  if (key === undefined || dryRun || !isReplayable(op)) return undefined;
  const { createHmac, hkdfSync } = await import("node:crypto");
  const { tokenKey } = await instance();
  const hashKey = hkdfSync("sha256", tokenKey, "", "wcs idempotency_keys.input_hash", 32);
  const hash = createHmac("sha256", new Uint8Array(hashKey)).update(op.name);
  const input = withoutSecrets(op.input(), given);
  // Long texts are hashed after the rest, which has their lengths and indexes instead.
  const long: string[] = [];
  const put = (_: string, value: unknown) =>
    typeof value === "string" && value.length > portion ? { length: value.length, long: long.push(value) } : value;
  hash.update(` ${JSON.stringify(input, put)}`);
  for (const text of long) {
    for (let at = 0; at < text.length; at += portion) {
      hash.update(text.slice(at, at + portion));
      await yieldToEventLoop();
    }
  }
  return { op, key, input_hash: hash.digest("base64url") };
}

/** Runs `work` once per actor and key, and stores the answer, without its secrets, in the transaction of the work. */
export async function storeResponse<T>(
  ctx: Ctx,
  repeatable: Repeatable | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (repeatable === undefined) return work();
  const { op, key, input_hash } = repeatable;
  const stored = await findResponse(ctx, repeatable);
  if (stored !== undefined) return stored.answer as T;
  // An expired response of this key. Those of other keys are left to the retention: in one statement, many would hold up all requests.
  await deleteRows(ctx.db, "idempotency_keys", { actor_id: ctx.actor.id, key });
  const answer = await work();
  const response = responseOf(op, answer);
  const row = { actor_id: ctx.actor.id, key, operation: op.name, input_hash, response, created_at: ctx.now };
  await insertRows(ctx.db, "idempotency_keys", [row]);
  return answer;
}

/** Returns the stored answer to an earlier request. Throws when that was another request, or the answer was erased. */
export async function findResponse(
  { db, actor, now }: Ctx,
  { key, input_hash }: Repeatable,
): Promise<{ readonly answer: unknown } | undefined> {
  const stored = await db
    .selectFrom("idempotency_keys")
    .select(["input_hash", "response"])
    .where("actor_id", "=", actor.id)
    .where("key", "=", key)
    .where("created_at", ">", now - retentionSeconds)
    .executeTakeFirst();
  if (stored === undefined) return undefined;
  if (stored.response === erasedResponse) throw new ServiceError("conflict", erasure);
  if (stored.input_hash === input_hash) return { answer: JSON.parse(stored.response) ?? undefined };
  throw new ServiceError("validation_failed", "The Idempotency-Key was used for another request; use a new key.", {
    fields: { "Idempotency-Key": ["was used for another request; use a new key"] },
  });
}

/** Replaces the stored answer by that of an operation which waited for its result after its transaction. */
export async function replaceResponse(db: Db, actorId: number, { op, key }: Repeatable, answer: unknown) {
  const row = db.updateTable("idempotency_keys").where("actor_id", "=", actorId).where("key", "=", key);
  await row
    .set({ response: responseOf(op, answer) })
    .where("response", "<>", erasedResponse)
    .execute();
}

const responseOf = (op: AnyOperation, answer: unknown) => JSON.stringify(withoutSecrets(op.output(), answer) ?? null);

const erasedResponse = "";
const erasure =
  "The request was executed; its response was erased, because it mentioned a user who was deleted. Use a new Idempotency-Key for another request.";

/** Erases the stored responses that mention a user. Repeats of their requests are refused, so that nothing is executed twice. */
export async function eraseResponses({ db }: Ctx, user: number): Promise<void> {
  const mentions = [`%"id":${user},%`, `%"id":${user}}%`, `%"/users/${user}"%`];
  const { inPortions } = await import("./change-in-portions.ts");
  await inPortions(db, { table: "idempotency_keys", key: "created_at" }, (rows) =>
    db
      .updateTable("idempotency_keys")
      .set({ response: erasedResponse })
      .where(rows)
      .where((eb) => eb.or([eb("actor_id", "=", user), ...mentions.map((text) => eb("response", "like", text))]))
      .execute(),
  );
}
