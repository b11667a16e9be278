import { randomBytes } from "node:crypto";
import type { Updateable } from "kysely";
import { triggers as allTriggers, type webhooks as contract } from "../../contract/webhooks.ts";
import { insertRow, updateRow } from "../../store/bulk.ts";
import { validSecrets } from "../../store/previous-secrets.ts";
import type { Schema } from "../../store/schema/schema.ts";
import { listChangedColumns } from "../pipeline/changed-columns.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { pollEvents } from "./poll-events.ts";
import { findWebhook, webhookReadHandlers, webhookResponse } from "./read-webhooks.ts";
import { webhookSendHandlers } from "./send-events.ts";
import { logFilterIssues, webhookLogHandlers } from "./webhook-logs.ts";

/** Standard Webhooks, "Signature scheme": between 24 and 64 bytes. */
const secretBytes = 32;
/** Seconds for which the old secret also signs after a rotation. */
const overlapSeconds = 86_400;
const maxPrevious = 5;

/** Gives a webhook a new secret, changes other columns with it, and returns the webhook with the secret. */
async function withNewSecret(ctx: Ctx, id: number, changes: Updateable<Schema["webhooks"]>) {
  const secret = `whsec_${randomBytes(secretBytes).toString("base64")}`;
  const sealed = await ctx.secrets.seal(ctx.db, `webhooks.secret.${id}`, secret);
  await updateRow(ctx.db, "webhooks", id, { secret: sealed, ...changes });
  return { data: { ...(await webhookResponse(ctx, id)), secret } };
}

/** Returns the triggers as JSON without duplicates, in the order of the contract. */
function inOrder(triggers: readonly string[]): string {
  return JSON.stringify(allTriggers.filter((trigger) => triggers.includes(trigger)));
}

/** Returns the columns that activate or deactivate a webhook; none when it is so already. */
function activityColumns(ctx: Ctx, { active }: { active: 0 | 1 }, wanted: boolean) {
  if (active === (wanted ? 1 : 0)) return {};
  return wanted
    ? { active: 1 as const, disabled_at: null, disabled_reason: null, failing_since: null }
    : { active: 0 as const, disabled_at: ctx.now, disabled_reason: "manual" as const };
}

export const webhooks: Handlers<typeof contract> = {
  ...webhookReadHandlers,

  async create(ctx, { name, uri, triggers = allTriggers, active = true }) {
    const id = await insertRow(ctx.db, "webhooks", {
      name,
      uri,
      // The encryption of a secret depends on the row's ID, which is known only after the insert.
      secret: "",
      triggers: inOrder(triggers),
      ...activityColumns(ctx, { active: 1 }, active),
      author_id: ctx.actor.id,
      created_at: ctx.now,
      updated_at: ctx.now,
    });
    return withNewSecret(ctx, id, {});
  },

  async update(ctx, { id, active, triggers, ...fields }) {
    const before = await findWebhook(ctx, id);
    const state = active === undefined ? {} : activityColumns(ctx, before, active);
    const changes = listChangedColumns(before, { ...fields, ...state, triggers: triggers && inOrder(triggers) });
    if (Object.keys(changes).length === 0) return;
    await updateRow(ctx.db, "webhooks", id, { ...changes, updated_at: ctx.now });
    ctx.announce("outbox");
  },

  async delete(ctx, { id }) {
    await findWebhook(ctx, id);
    // Deliveries and logs of the webhook can be very many; they are removed later, in small parts.
    await updateRow(ctx.db, "webhooks", id, { active: 0, deleted_at: ctx.now, secret: "", previous_secrets: null });
    ctx.announce("outbox");
  },

  async rotateSecret(ctx, { id }) {
    const before = await findWebhook(ctx, id);
    const secret = ctx.secrets.open(`webhooks.secret.${id}`, before.secret);
    const place = `webhooks.previous_secrets.${id}` as const;
    const earlier = before.previous_secrets && ctx.secrets.open(place, before.previous_secrets);
    const previous = [{ secret, until: ctx.now + overlapSeconds }, ...validSecrets(earlier, ctx.now)];
    return withNewSecret(ctx, id, {
      previous_secrets: await ctx.secrets.seal(ctx.db, place, JSON.stringify(previous.slice(0, maxPrevious))),
      updated_at: ctx.now,
    });
  },

  ...webhookLogHandlers,
  ...webhookSendHandlers,
  events: pollEvents,
};

export const checks: Checks<typeof contract> = { logs: logFilterIssues };
