import { type SqlBool, sql } from "kysely";
import type { audit as contract } from "../../contract/audit.ts";
import type { Handlers } from "../pipeline/context.ts";
import { decodeCursor, makeCursorPage } from "../pipeline/cursor.ts";

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
    const { rows, meta } = makeCursorPage(ctx, list, await query.execute(), {
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
