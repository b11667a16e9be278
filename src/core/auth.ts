import { randomInt, timingSafeEqual } from "node:crypto";
import { auth as contract } from "../contract/auth.ts";
import { invalid, ServiceError } from "../contract/errors.ts";
import { hashPasswordToken } from "../store/password-tokens.ts";
import { attempt } from "./attempts.ts";
import { recordChange, recordSignIn } from "./audit.ts";
import type { Ctx, Handlers } from "./context.ts";
import { queueMail } from "./mails.ts";
import { checkNewPassword, checkPassword, hashPassword } from "./passwords.ts";
import { accountOf, countEvent, forgetFailures } from "./rate-limits.ts";
import { emailKey } from "./text-keys.ts";
import { issueToken } from "./tokens.ts";

export const auth: Handlers<typeof contract> = {
  async authenticate(ctx, { username, password }) {
    const user = await userByEmail(ctx, username);
    const account = accountOf(ctx, emailKey(username), user);
    const subject = { kind: "sign_in", account, network: ctx.network } as const;
    const { good, outdated } = await attempt(ctx, subject, {
      check: () => checkPassword(password, user?.password_hash ?? null),
      settled: (tx, good) => recordSignIn(tx, user?.id, good),
    });
    if (!good || user === undefined)
      throw new ServiceError("unauthenticated", "The e-mail address or the password is wrong.");
    if (outdated) await rehash(ctx, user.id, password, user.password_hash);
    const claims = { userId: user.id, authTime: ctx.now, version: user.token_version };
    return [await issueToken(ctx.instance, ctx.settings, ctx.now, claims)];
  },

  async renew(ctx) {
    // An embedded caller without a token signs in by owning the database.
    const authTime = ctx.token?.authTime ?? ctx.now;
    const claims = { userId: ctx.actor.id, authTime, version: ctx.actor.tokenVersion };
    return [await issueToken(ctx.instance, ctx.settings, ctx.now, claims)];
  },

  async passwordRequest(ctx, { email }) {
    const user = await userByEmail(ctx, email);
    const account = accountOf(ctx, emailKey(email), user);
    const admitted = await countEvent(ctx, { kind: "password_request", account, network: ctx.network });
    const nobody = stranger();
    await queueMail(ctx, "password_reset", admitted && user?.provider === "local" ? user : nobody);
    // Without a recipient the same work is done, so that the time tells nothing; the mail is taken back.
    await ctx.db.deleteFrom("mails").where("user_id", "=", nobody.id).execute();
  },

  async passwordReset(ctx, { token, email, password, password_confirm }) {
    if (password !== password_confirm) throw invalid({ password_confirm: ["must be the same as password"] });
    const user = await userByEmail(ctx, email);
    if (user !== undefined && user.provider !== "local") {
      throw invalid({ email: ["belongs to a user whose password is managed elsewhere"] });
    }
    // An unknown address has no token; the same work is done to find that out, so that the time tells nothing.
    await requireToken(ctx, user?.id ?? stranger().id, token);
    if (user === undefined) throw badToken();
    await checkNewPassword(password, user, ctx.settings);
    const password_hash = await hashPassword(password);
    await ctx.transaction(async (tx) => {
      // Checked again: of several uses at once, the first ends the token for the others.
      await requireToken(tx, user.id, token);
      await tx.db.deleteFrom("password_tokens").where("user_id", "=", user.id).execute();
      await tx.db
        .updateTable("users")
        .set((eb) => ({ password_hash, token_version: eb("token_version", "+", 1), updated_at: tx.now }))
        .where("id", "=", user.id)
        .execute();
      await forgetFailures(tx, user.id);
      tx.announce(`user:${user.id}`);
      // Whoever has the token is that user.
      await recordChange({ ...tx, actor: { ...tx.actor, id: user.id } }, contract.passwordReset, {}, undefined);
    });
  },
};

/** Stands for the owner of an address that is not known here. No two requests share an ID, and so none waits for another. */
const stranger = () => ({ id: -randomInt(1, 2 ** 47), email: "" });

/** Compared with when there is no token. */
const noToken = hashPasswordToken("");

async function userByEmail(ctx: Ctx, email: string) {
  const user = await ctx.db
    .selectFrom("users")
    .select(["id", "email", "first_name", "last_name", "provider", "password_hash", "token_version"])
    .where("email_key", "=", emailKey(email))
    .where("active", "=", 1)
    .executeTakeFirst();
  return user && { ...user, email: user.email ?? "" };
}

async function rehash(ctx: Ctx, id: number, password: string, old: string | null): Promise<void> {
  const password_hash = await hashPassword(password);
  await ctx.transaction(({ db }) =>
    db.updateTable("users").set({ password_hash }).where("id", "=", id).where("password_hash", "=", old).execute(),
  );
}

async function requireToken(ctx: Ctx, user: number, token: string): Promise<void> {
  const kept = await ctx.db
    .selectFrom("password_tokens")
    .select(["token_hash", "expires_at"])
    .where("user_id", "=", user)
    .executeTakeFirst();
  const same = timingSafeEqual(Buffer.from(kept?.token_hash ?? noToken), Buffer.from(hashPasswordToken(token)));
  if (!same || kept === undefined || kept.expires_at <= ctx.now) throw badToken();
}

function badToken(): ServiceError {
  return invalid({ token: ["is not good, was used, or is too old; ask for a new mail"] });
}
