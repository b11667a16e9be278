import { type settings as contract, defaults, type Settings } from "../contract/settings.ts";
import type { Db } from "../store/database.ts";
import type { Handlers } from "./context.ts";

export const settings: Handlers<typeof contract> = {
  async list(ctx) {
    return shown(ctx.settings);
  },

  async set(ctx, changes) {
    const next: Record<string, unknown> = { ...ctx.settings };
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined) continue;
      next[key] = value ?? defaults[key as keyof Settings];
      if (value === null) await ctx.db.deleteFrom("settings").where("key", "=", key).execute();
      else await keep(ctx.db, key, JSON.stringify(value));
    }
    return shown(next as Settings);
  },
};

async function keep(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto("settings")
    .values({ key, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

function shown(settings: Settings) {
  return { ...settings, "mail.smtp_url": settings["mail.smtp_url"] === null ? null : ("set" as const) };
}
