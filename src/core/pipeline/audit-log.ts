import { auth } from "../../contract/auth.ts";
import { events } from "../../contract/events.ts";
import { filledPath, pathFields, pathOfCreated } from "../../contract/field-spec.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { users } from "../../contract/users.ts";
import { insertRows } from "../../store/bulk.ts";
import type { Ctx } from "./context.ts";

/**
 * Records a change in the same transaction: the actor, the address, the path and the names of the given fields. Leaves
 * out their values, which may be secret.
 */
export async function recordChange(ctx: Ctx, op: AnyOperation, input: object, output: unknown): Promise<void> {
  const given = input as Record<string, unknown>;
  const names = new Set(pathFields(op).map(({ name }) => name));
  const fields = Object.keys(given).filter((name) => !names.has(name) && given[name] !== undefined);
  const path = op.location ? pathOfCreated(op, op.location, output) : filledPath(op, (name) => String(given[name]));
  const event = op === events.filesAdd ? given.id : /^\/events\/(\d+)/.exec(path)?.[1];
  if (event !== undefined && (await isPersonal(ctx, Number(event)))) return;
  // No address is kept of users who delete themselves.
  const isOwnEnd = op === users.delete && given.id === ctx.actor.id;
  const entry = { actor_id: ctx.actor.id || null, operation: op.name, path, fields: JSON.stringify(fields) };
  await writeEntry(isOwnEnd ? { ...ctx, address: undefined } : ctx, entry);
}

/** Returns true for a personal event, which does not exist for administrators, who read the log. */
async function isPersonal({ db }: Ctx, event: number): Promise<boolean> {
  const query = db.selectFrom("events as e").innerJoin("audiences as a", "a.id", "e.audience_id");
  const row = await query.select("a.personal").where("e.id", "=", event).executeTakeFirst();
  return row?.personal === 1;
}

/**
 * Records a successful or failed sign-in. Never stores the typed user name, because an unknown one may be a password.
 */
export async function recordSignIn(ctx: Ctx, user: number | undefined, good: boolean): Promise<void> {
  const { name: operation, path } = auth.authenticate;
  const outcome = good ? "done" : "failed";
  await writeEntry(ctx, { actor_id: user ?? null, operation, path, fields: "[]", outcome });
}

interface Entry {
  readonly actor_id: number | null;
  readonly operation: string;
  readonly path: string;
  readonly fields: string;
  readonly outcome?: "done" | "failed";
}

async function writeEntry({ db, address, now }: Ctx, { outcome = "done", ...entry }: Entry): Promise<void> {
  await insertRows(db, "audit_entries", [{ ...entry, outcome, address: address ?? null, created_at: now }]);
}
