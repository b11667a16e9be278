import { ServiceError } from "../../contract/errors.ts";
import type { webhooks as contract } from "../../contract/webhooks.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { presentWebhooks, type Webhook } from "./present-webhooks.ts";

export const webhookReadHandlers = {
  async list(ctx) {
    const rows = await ctx.db
      .selectFrom("webhooks")
      .selectAll()
      .where("deleted_at", "is", null)
      .orderBy("id")
      .execute();
    return { data: await presentWebhooks(ctx, rows) };
  },

  get: async (ctx, { id }) => ({ data: await webhookResponse(ctx, id) }),
} satisfies Partial<Handlers<typeof contract>>;

export async function webhookResponse(ctx: Ctx, id: number): Promise<Webhook> {
  const [webhook] = await presentWebhooks(ctx, [await findWebhook(ctx, id)]);
  // One row gives one representation.
  return webhook!;
}

export async function findWebhook(ctx: Ctx, id: number) {
  return ctx.db
    .selectFrom("webhooks")
    .selectAll()
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow(() => new ServiceError("not_found", `There is no webhook ${id}.`));
}

export async function findActiveWebhook(ctx: Ctx, id: number) {
  const row = await findWebhook(ctx, id);
  if (row.active === 1) return row;
  throw new ServiceError("conflict", `Webhook ${id} is not active; activate it first.`);
}
