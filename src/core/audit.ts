import { type Insertable, type SqlBool, sql } from "kysely";
import type { audit as contract } from "../contract/audit.ts";
import { auth } from "../contract/auth.ts";
import type { AnyOperation } from "../contract/operation.ts";
import { pathFields, pathOfCreated } from "../contract/shape.ts";
import type { Schema } from "../store/schema.ts";
import type { Ctx, Handlers } from "./context.ts";
import { decodeCursor, page } from "./cursor.ts";

export const audit: Handlers<typeof contract> = {
  async list(ctx, { limit, cursor, actor, operation, path, since, until }) {
    const list = `audit ${JSON.stringify([actor, operation, path, since, until])}`;
    const position = decodeCursor<[number, number]>(ctx, list, cursor);
    const back = position?.direction === "before";
    const order = back ? "asc" : "desc";
    let query = ctx.db
      .selectFrom("audit_entries as e")
      .leftJoin("users as u", "u.id", "e.actor_id")
      .selectAll("e")
      .select(["u.first_name", "u.last_name"])
      .orderBy("e.created_at", order)
      .orderBy("e.id", order)
      .limit(limit + 1);
    if (actor !== undefined) query = query.where("e.actor_id", "=", actor);
    if (operation !== undefined) query = query.where("e.operation", "=", operation);
    if (path !== undefined) query = query.where("e.path", "=", path);
    if (since !== undefined) query = query.where("e.created_at", ">=", since);
    if (until !== undefined) query = query.where("e.created_at", "<=", until);
    if (position) {
      const [time, id] = position.key;
      query = query.where(sql<SqlBool>`(e.created_at, e.id) ${sql.raw(back ? ">" : "<")} (${time}, ${id})`);
    }
    const { rows, meta } = page(ctx, list, await query.execute(), {
      limit,
      position,
      keyOf: (row) => [row.created_at, row.id] as [number, number],
    });
    const data = rows.map(({ actor_id, first_name, last_name, fields, ...entry }) => ({
      ...entry,
      actor: actor_id === null ? null : { id: actor_id, name: `${first_name} ${last_name}`, url: `/users/${actor_id}` },
      fields: JSON.parse(fields) as string[],
    }));
    return { data, meta };
  },
};

/**
 * Remembers a change in the transaction that makes it: who, from where, of what, and which fields were given; not what they
 * held, which may be secret.
 */
export async function recordChange(ctx: Ctx, op: AnyOperation, input: object, output: unknown): Promise<void> {
  const inPath = pathFields(op);
  const given = input as Record<string, unknown>;
  const names = new Set(inPath.map(({ name }) => name));
  const fields = Object.keys(given).filter((name) => !names.has(name) && given[name] !== undefined);
  const paths = new Map(inPath.map(({ wire, name }) => [wire, String(given[name])]));
  const path = op.location
    ? pathOfCreated(op, op.location, output)
    : op.path.replace(/\{(\w+)[^}]*\}/g, (_, wire: string) => paths.get(wire)!);
  await writeEntry(ctx, { actor_id: ctx.actor.id || null, operation: op.name, path, fields: JSON.stringify(fields) });
}

/** Remembers that somebody signed in, or failed to. Never what was typed: a user name that is not known may be a password. */
export async function recordSignIn(ctx: Ctx, user: number | undefined, good: boolean): Promise<void> {
  const { name: operation, path } = auth.authenticate;
  const outcome = good ? "done" : "failed";
  await writeEntry(ctx, { actor_id: user ?? null, operation, path, fields: "[]", outcome });
}

type Entry = Omit<Insertable<Schema["audit_entries"]>, "created_at" | "address">;

async function writeEntry({ db, address, now }: Ctx, entry: Entry): Promise<void> {
  await db
    .insertInto("audit_entries")
    .values({ ...entry, address: address ?? null, created_at: now })
    .execute();
}
