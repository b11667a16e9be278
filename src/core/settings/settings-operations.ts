import { ServiceError } from "../../contract/errors.ts";
import { holdsSecret } from "../../contract/secrets.ts";
import { type settings as contract, defaults, type Settings, settingsSchema } from "../../contract/settings.ts";
import { deleteRows, upsertRow } from "../../store/bulk.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { requireSignIn } from "../pipeline/permissions.ts";

/**
 * Settings that decide who can read the links that set passwords, how administrators sign in, what webhooks reach, and how long
 * the audit log says what was done with a stolen token.
 */
const safeguards = [
  "base_url",
  "mail.smtp_url",
  "mail.allow_plain",
  "two_factor.required_for_administrators",
  "webhooks.allow_private",
  "audit.days",
] as const;

export const settings: Handlers<typeof contract> = {
  list: async (ctx) => presentSettings(ctx.settings),

  async set(ctx, changes) {
    // The caller must use two factors already, so that nobody is locked out by mistake.
    if (changes["two_factor.required_for_administrators"] && !ctx.actor.twoFactor)
      throw new ServiceError(
        "conflict",
        "Set up two factors for yourself first (wcs auth 2fa enable), so that nobody is locked out by mistake.",
      );
    if (safeguards.some((key) => changes[key] !== undefined))
      requireSignIn(
        ctx,
        `change ${safeguards.join(", ")}, which protect sign-ins, the network and the audit log of the service`,
      );
    const next: Record<string, unknown> = { ...ctx.settings };
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined) continue;
      next[key] = value ?? defaults[key as keyof Settings];
      if (value === null) await deleteRows(ctx.db, "settings", { key });
      else await storeSetting(ctx, key as keyof Settings, JSON.stringify(value));
    }
    return presentSettings(next as Settings);
  },
};

async function storeSetting(ctx: Ctx, key: keyof Settings, json: string): Promise<void> {
  const isSecret = holdsSecret(settingsSchema().shape[key]);
  const value = isSecret ? await ctx.secrets.seal(ctx.db, `settings.value.${key}`, json) : json;
  await upsertRow(ctx.db, "settings", { key }, { value });
}

function presentSettings(settings: Settings) {
  return { ...settings, "mail.smtp_url": settings["mail.smtp_url"] === null ? null : ("set" as const) };
}
