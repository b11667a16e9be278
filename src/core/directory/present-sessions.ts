import type { Db } from "../../store/database.ts";
import type { Ctx } from "../pipeline/context.ts";

export type SessionRow = Awaited<ReturnType<ReturnType<typeof sessionRows>["execute"]>>[number];

/** Selects the live sessions of the user `me`. */
export function sessionRows(db: Db, { me, now }: { readonly me: number; readonly now: number }) {
  return db
    .selectFrom("sessions as s")
    .select(["s.id", "s.key", "s.user_agent", "s.address", "s.created_at", "s.last_used_at", "s.expires_at"])
    .where("s.user_id", "=", me)
    .where("s.expires_at", ">", now);
}

export function presentSession({ token }: Ctx, { key, ...row }: SessionRow) {
  return { content_type: "session" as const, ...row, current: key === token?.session };
}
