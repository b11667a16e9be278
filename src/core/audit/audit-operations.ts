import type { audit as contract } from "../../contract/audit.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { filterIssues } from "../pipeline/reference-issues.ts";
import { refuse } from "../pipeline/refuse-issues.ts";

/** Returns the issue of an actor who does not exist. */
const auditFilterIssues = (ctx: Ctx, { actor }: { readonly actor?: number | undefined }) =>
  filterIssues(ctx, [["actor", "users", actor]]);

export const checks: Checks<typeof contract> = { list: auditFilterIssues };

export const audit: Handlers<typeof contract> = {
  async list(ctx, { limit, cursor, actor, operation, path, since, until }) {
    const list = `audit ${JSON.stringify([actor, operation, path, since, until])}`;
    let query = ctx.db
      .selectFrom("audit_entries as e")
      .leftJoin("users as u", "u.id", "e.actor_id")
      .selectAll("e")
      .select(["u.first_name", "u.last_name"]);
    if (actor !== undefined) query = query.where("e.actor_id", "=", actor);
    if (operation !== undefined) query = query.where("e.operation", "=", operation);
    if (path !== undefined) query = query.where("e.path", "=", path);
    const range = { least: since, most: until };
    const newestFirst = { by: ["created_at", "id"], alias: "e", descending: true, range } as const;
    const { rows, meta } = await readPage(ctx, query, newestFirst, { list, limit, cursor });
    if (rows.length === 0) refuse(await auditFilterIssues(ctx, { actor }));
    const data = rows.map(({ actor_id, first_name, last_name, fields, ...entry }) => ({
      ...entry,
      actor: actor_id === null ? null : { id: actor_id, name: `${first_name} ${last_name}`, url: `/users/${actor_id}` },
      fields: JSON.parse(fields) as string[],
    }));
    return { data, meta };
  },
};
