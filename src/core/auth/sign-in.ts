import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { isLine } from "../../contract/common-schemas.ts";
import { ServiceError } from "../../contract/errors.ts";
import { insertRow, updateRows } from "../../store/bulk.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { attempt } from "../directory/attempts.ts";
import { checkPassword } from "../directory/passwords.ts";
import type { Ctx } from "../pipeline/context.ts";
import { endedSession } from "../pipeline/identify-caller.ts";
import { accountOfUser } from "../pipeline/rate-limits.ts";
import { issueToken } from "../pipeline/signed-tokens.ts";
import { findCode, useCode } from "./one-time-codes.ts";

type Account = RowOf<"users", "id" | "provider" | "password_hash" | "two_factor_at">;

/** The user of a successful sign-in, or the error of a failed one. `outdated` is that of `checkPassword`. */
type CheckedSignIn<U> =
  | { readonly good: true; readonly user: U; readonly outdated: boolean }
  | { readonly good: false; readonly failure: ServiceError };

/** Checks the password and then, for users with two factors, the code, which it uses up. */
export async function checkSignIn<U extends Account>(
  ctx: Ctx,
  user: U | undefined,
  { account, password, otp }: Record<"account" | "password", string> & { readonly otp?: string | undefined },
): Promise<CheckedSignIn<U>> {
  // Users of other providers do not sign in by password.
  const hash = user?.provider === "local" ? user.password_hash : null;
  const { good, outdated } = await checkPassword(account, password, hash);
  if (!good || user === undefined)
    return {
      good: false,
      failure: new ServiceError("unauthenticated", "The e-mail address or the password is wrong."),
    };
  const failure = await codeFailure(ctx, user, otp);
  return failure === undefined ? { good: true, user, outdated } : { good: false, failure };
}

/** Returns why the second factor refuses the sign-in. Somebody who knows the password can try few codes only. */
async function codeFailure(ctx: Ctx, { id, two_factor_at }: Account, otp: string | undefined) {
  if (two_factor_at === null) return undefined;
  if (otp === undefined)
    return new ServiceError("otp_required", "Give the code of your authenticator app, or a recovery code.");
  const subject = { kind: "one_time_code", account: accountOfUser(id) } as const;
  try {
    const { good } = await attempt(ctx, subject, { check: async () => ({ good: await acceptCode(ctx, id, otp) }) });
    return good ? undefined : new ServiceError("otp_required", "The code is wrong, has expired or was used.");
  } catch (error) {
    // The limit of codes is reached. Returned, so that the failed sign-in is counted and recorded, too.
    if (error instanceof ServiceError && error.code === "too_many_requests") return error;
    throw error;
  }
}

/** Uses the code up in a transaction of its own, also in a dry run, which tells whether the code is right. */
async function acceptCode(ctx: Ctx, user: number, otp: string): Promise<boolean> {
  const code = await findCode(ctx, user, otp);
  return code !== undefined && ctx.transaction((tx) => useCode(tx, code), { lasting: true, locking: true });
}

/** Maximum number of sessions of a user. A further sign-in ends the oldest one. */
const maxSessions = 100;
const maxCharacters = 200;

/** Starts a session and returns its token. Throws `unauthenticated` if `version` is no longer the user's `token_version`. */
export async function startSession(ctx: Ctx, user: number, version: number) {
  const { instance, settings, now, address = null } = ctx;
  const key = randomBytes(16).toString("base64url");
  const token = await issueToken(instance, settings, now, { userId: user, authTime: now, version, session: key });
  await ctx.transaction(
    async (tx) => {
      await requireUnchanged(tx, user, version);
      await removeOldSessions(tx, user);
      const user_agent = shownUserAgent(tx.userAgent);
      const times = { created_at: now, last_used_at: now, expires_at: token.expires };
      await insertRow(tx.db, "sessions", { user_id: user, key, user_agent, address, ...times });
    },
    { locking: true },
  );
  return token;
}

/** Returns a newer token of the same session. Throws `unauthenticated` when it has ended or is too old. */
export async function extendSession(ctx: Ctx, { authTime, session }: NonNullable<Ctx["token"]>) {
  const claims = { userId: ctx.actor.id, authTime, version: ctx.actor.tokenVersion, session };
  const token = await issueToken(ctx.instance, ctx.settings, ctx.now, claims);
  const { expires } = token;
  const later = sql<number>`case when expires_at < ${expires} then ${expires} else expires_at end`;
  await ctx.transaction(
    async ({ db }) => {
      const own = db.updateTable("sessions").set({ expires_at: later }).where("key", "=", session);
      if ((await own.executeTakeFirst()).numUpdatedRows === 0n) throw endedSession();
    },
    { locking: true },
  );
  return token;
}

/** Writes the user's row unchanged, so that simultaneous sign-ins, changes and deactivations follow each other. */
async function requireUnchanged({ db }: Ctx, user: number, version: number): Promise<void> {
  const before = { id: user, token_version: version, active: 1 } as const;
  const [unchanged] = await updateRows(db, "users", before, { token_version: version }, ["id"]);
  if (unchanged === undefined)
    throw new ServiceError("unauthenticated", "The account was changed at the same moment; sign in again.");
}

/** Removes the user's expired sessions, and the oldest ones when there is no room for another. */
async function removeOldSessions(tx: Ctx, user: number): Promise<void> {
  const { db, now } = tx;
  const newest = db
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", user)
    .orderBy("id", "desc")
    .limit(maxSessions - 1);
  const { numDeletedRows } = await db
    .deleteFrom("sessions")
    .where("user_id", "=", user)
    .where((eb) => eb.or([eb("expires_at", "<=", now), eb("id", "not in", newest)]))
    .executeTakeFirst();
  if (numDeletedRows > 0n) tx.announce(`user:${user}`);
}

/** Returns the header on one line, without control characters, and not longer than a table can show. */
function shownUserAgent(header = ""): string | null {
  const shown = [...header.toWellFormed()].filter(isLine).slice(0, maxCharacters).join("").trim();
  return shown === "" ? null : shown;
}
