import { allOperations } from "../../contract/all-operations.ts";
import type { audit as contract } from "../../contract/audit.ts";
import type { FieldIssues } from "../../contract/errors.ts";
import type { ArgumentsOf } from "../../contract/operation.ts";
import { operationsNamed } from "../../contract/token-scopes.ts";
import { beginsWith, isPostgres } from "../../store/dialect.ts";
import { inOrderOf } from "../directory/in-order-of.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { type AskedPage, readPage } from "../pipeline/cursor.ts";
import { filterIssues, hasIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { isAtOrBelow, mergeEntries, type PathFilter, searchPath } from "./search-path.ts";

export const audit: Handlers<typeof contract> = {
  async list(ctx, { limit, cursor, actor, operation, since, until, ...target }) {
    if (hasIssues(targetIssues(target))) requireNoIssues(await auditFilterIssues(ctx, { actor, operation, ...target }));
    const path = topOf(target);
    const list = `audit ${JSON.stringify([actor, operation, path, since, until])}`;
    const names = operation === undefined ? undefined : await operationNames(operation);
    if (names?.length === 0) requireNoIssues(await auditFilterIssues(ctx, { actor, operation }));
    const filter = { top: path, since, until, actor, operations: names };
    const { rows, meta } = await readEntries(ctx, filter, { list, limit, cursor });
    if (rows.length === 0) requireNoIssues(await auditFilterIssues(ctx, { actor, ...target }));
    const data = rows.map(({ actor_id, first_name, last_name, fields, ...entry }) => ({
      ...entry,
      actor: actor_id === null ? null : { id: actor_id, name: `${first_name} ${last_name}`, url: `/users/${actor_id}` },
      fields: JSON.parse(fields) as string[],
    }));
    return { data, meta };
  },
};

export const checks: Checks<typeof contract> = { list: auditFilterIssues };

type Filter = Pick<ArgumentsOf<typeof contract.list>, "actor" | "operation" | "path" | "user" | "unit">;
type Target = Pick<Filter, "path" | "user" | "unit">;

const topOf = ({ path, user, unit }: Target): string | undefined =>
  user !== undefined ? `/users/${user}` : unit !== undefined ? `/units/${unit}` : path?.replace(/\/+$/, "");

function targetIssues({ path, user, unit }: Target): FieldIssues {
  const [first = "", other] = Object.entries({ path, user, unit }).flatMap(([name, value]) => (value ? [name] : []));
  return other === undefined ? {} : { [other]: [`cannot be used together with ${first}`] };
}

async function auditFilterIssues(ctx: Ctx, { actor, operation, ...target }: Filter): Promise<FieldIssues> {
  const { user, unit } = target;
  const isUnknown = operation !== undefined && (await operationNames(operation)).length === 0;
  // A deleted unit still has entries.
  const ofUnit = ctx.db.selectFrom("audit_entries").select("id").where("path", "=", `/units/${unit}`).limit(1);
  const wasUnit = unit !== undefined && (await ofUnit.executeTakeFirst());
  return {
    ...targetIssues(target),
    ...(await filterIssues(ctx, { users: { actor, user }, units: { unit: wasUnit ? undefined : unit } })),
    ...(isUnknown && { operation: ["is neither an operation, like users.update, nor a group of them, like users.*"] }),
  };
}

const operationNames = async (text: string) => operationsNamed(text, await allOperations());

const entries = (ctx: Ctx) =>
  ctx.db
    .selectFrom("audit_entries as e")
    .leftJoin("users as u", "u.id", "e.actor_id")
    .selectAll("e")
    .select(["u.first_name", "u.last_name"]);

async function pageOfPath(ctx: Ctx, filter: PathFilter, asked: AskedPage) {
  const { rows: found, meta } = await searchPath(ctx, filter, asked);
  const ids = found.map(({ id }) => id);
  return { rows: inOrderOf(ids, await entries(ctx).where("e.id", "in", ids).execute()), meta };
}

async function readEntries(ctx: Ctx, filter: Omit<PathFilter, "top"> & { top?: string | undefined }, asked: AskedPage) {
  const { top, since, until, actor, operations } = filter;
  // PostgreSQL never blocks other requests.
  const isSqlite = !isPostgres(ctx.db);
  if (isSqlite && top) return pageOfPath(ctx, { ...filter, top }, asked);
  let query = entries(ctx);
  if (actor !== undefined) query = query.where("e.actor_id", "=", actor);
  // One range of the index has the path and all below it.
  if (top) query = query.where(beginsWith("e.path", top)).where(isAtOrBelow(top));
  const range = { min: since, max: until };
  const newestFirst = { by: ["created_at", "id"], alias: "e", descending: true, range } as const;
  if (operations === undefined) return readPage(ctx, query, newestFirst, asked);
  // The index of an actor has all entries in order.
  if (!isSqlite || actor !== undefined)
    return readPage(ctx, query.where("e.operation", "in", operations), newestFirst, asked);
  // An index has the entries of each operation in order; SQLite would sort those of several.
  const lists = operations.map(async (name) => {
    const more = { ...asked, limit: asked.limit + 1 };
    return (await readPage(ctx, query.where("e.operation", "=", name), newestFirst, more)).rows;
  });
  return mergeEntries(ctx, await Promise.all(lists), asked);
}
