import type { z } from "zod";
import { ServiceError } from "../../contract/errors.ts";
import type { webhooks as contract } from "../../contract/webhooks.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { deletedUser } from "../directory/present-authors.ts";
import { presentUsers, type User } from "../directory/present-users.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { onlyItem } from "../pipeline/only-item.ts";

type Webhook = z.infer<ReturnType<(typeof contract)["get"]["output"]>>["data"];

const none = { edit: false, delete: false };

async function presentWebhooks(ctx: Ctx, rows: readonly RowOf<"webhooks">[]): Promise<Webhook[]> {
  const users = await presentUsers(ctx, [...new Set(rows.map((row) => row.author_id))]);
  const authors = new Map(users.map((user) => [user.id, presentAuthor(user)]));
  return rows.map((row) => ({
    content_type: "webhook",
    id: row.id,
    name: row.name,
    uri: row.uri,
    triggers: JSON.parse(row.triggers),
    active: row.active === 1,
    disabled_at: row.disabled_at,
    disabled_reason: row.disabled_reason,
    author: authors.get(row.author_id) ?? { ...deletedUser(row.author_id), permissions: none },
    permissions: { edit: true, delete: true },
    created_at: row.created_at,
    updated_at: row.updated_at,
    url: `/webhooks/${row.id}`,
  }));
}

function presentAuthor(user: User): Webhook["author"] {
  const { content_type, id, name, first_name, last_name, title, active, permissions, avatar, url } = user;
  return {
    content_type,
    id,
    name,
    first_name,
    last_name,
    title,
    active,
    permissions,
    avatar,
    unit: presentAuthorUnit(user.unit),
    physicalUnit: presentAuthorUnit(user.physicalUnit),
    url,
  };
}

function presentAuthorUnit(unit: User["unit"]): Webhook["author"]["unit"] {
  if (unit === null) return null;
  const { parent, url, ...same } = unit;
  return { ...same, parent_id: parent?.id ?? null, stats: [], url };
}

export const webhookReadHandlers = {
  async list(ctx) {
    return { data: await presentWebhooks(ctx, await webhookRows(ctx).orderBy("id").execute()) };
  },

  get: async (ctx, { id }) => ({ data: await webhookResponse(ctx, id) }),
} satisfies Partial<Handlers<typeof contract>>;

export async function webhookResponse(ctx: Ctx, id: number): Promise<Webhook> {
  return onlyItem(await presentWebhooks(ctx, [await findWebhook(ctx, id)]));
}

const webhookRows = ({ db }: Ctx) => db.selectFrom("webhooks").selectAll().where("deleted_at", "is", null);

export async function findWebhook(ctx: Ctx, id: number) {
  const missing = () => new ServiceError("not_found", `There is no webhook ${id}.`);
  return webhookRows(ctx).where("id", "=", id).executeTakeFirstOrThrow(missing);
}

export async function findActiveWebhook(ctx: Ctx, id: number) {
  const row = await findWebhook(ctx, id);
  if (row.active === 1) return row;
  throw new ServiceError("conflict", `Webhook ${id} is not active; activate it first.`);
}
