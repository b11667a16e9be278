import { auth } from "../../contract/auth.ts";
import { events } from "../../contract/events.ts";
import { fillPath, pathFields, pathOfCreated } from "../../contract/field-spec.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { users } from "../../contract/users.ts";
import { insertRows } from "../../store/bulk.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import type { Ctx } from "./context.ts";
import { inTurns } from "./event-loop-turns.ts";

/** Runs a change and records it, unless its event is personal before and after: administrators read the log. */
export async function runRecorded<T>(ctx: Ctx, op: AnyOperation, input: object, change: () => Promise<T>): Promise<T> {
  const { id, type } = input as Record<string, unknown>;
  const becomesPersonal = op === events.update && type === "user" && !(await isPersonal(ctx, Number(id)));
  const output = await change();
  const event = op === events.filesAdd ? id : /^\/events\/(\d+)/.exec(recordedPath(op, input, output))?.[1];
  if (becomesPersonal || event === undefined || !(await isPersonal(ctx, Number(event)))) {
    await recordChange(ctx, op, input, output);
  }
  return output;
}

/** Records a change in its transaction, with the names of the given fields and without values, which may be secret. */
export async function recordChange(ctx: Ctx, op: AnyOperation, input: object, output: unknown): Promise<void> {
  const given = input as Record<string, unknown>;
  const names = new Set(pathFields(op).map(({ name }) => name));
  const fields = Object.keys(given).filter((name) => !names.has(name) && given[name] !== undefined);
  // No address is kept of users who delete themselves.
  const isOwnEnd = op === users.delete && given.id === ctx.actor.id;
  const path = recordedPath(op, input, output);
  const change = { operation: op.name, path, fields: JSON.stringify(fields), outcome: "done" } as const;
  await writeEntry(isOwnEnd ? { ...ctx, address: undefined } : ctx, { ...change, actor_id: ctx.actor.id || null });
}

function recordedPath(op: AnyOperation, input: object, output: unknown): string {
  if (op.location) return pathOfCreated(op, op.location, output);
  const given = input as Record<string, unknown>;
  return fillPath(op, (name) => String(given[name]));
}

async function isPersonal({ db }: Ctx, event: number): Promise<boolean> {
  const query = db.selectFrom("events as e").innerJoin("audiences as a", "a.id", "e.audience_id");
  const row = await query.select("a.personal").where("e.id", "=", event).executeTakeFirst();
  return row?.personal === 1;
}

/** Records a sign-in. Never stores the typed user name, because an unknown one may be a password. */
export async function recordSignIn(ctx: Ctx, user: number | undefined, good: boolean): Promise<void> {
  const { name: operation, path } = auth.authenticate;
  const outcome = good ? "done" : "failed";
  await writeEntry(ctx, { actor_id: user ?? null, operation, path, fields: "[]", outcome });
}

/** Entries that a statement writes, for up to 20 ms, when no other request can run on SQLite. */
const portion = 1000;

/** Records a change of many things once for each of them, in addition to its own entry, so that it is found by their paths. */
export async function recordForEach(
  ctx: Ctx,
  { name: operation }: AnyOperation,
  paths: readonly string[],
): Promise<void> {
  const change = { actor_id: ctx.actor.id || null, operation, fields: "[]", outcome: "done" } as const;
  const entries = paths.map((path) => entryOf(ctx, { ...change, path }));
  for await (const some of inTurns(entries, portion)) await insertRows(ctx.db, "audit_entries", some);
}

type Entry = RowOf<"audit_entries", "actor_id" | "operation" | "path" | "fields" | "outcome">;

const entryOf = ({ address, now }: Ctx, entry: Entry) => ({ ...entry, address: address ?? null, created_at: now });

async function writeEntry(ctx: Ctx, entry: Entry): Promise<void> {
  await insertRows(ctx.db, "audit_entries", [entryOf(ctx, entry)]);
}
