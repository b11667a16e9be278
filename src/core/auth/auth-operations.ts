import { randomInt, timingSafeEqual } from "node:crypto";
import { auth as contract } from "../../contract/auth.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Issue } from "../../contract/issue-messages.ts";
import { hashPasswordToken } from "../../store/password-tokens.ts";
import { attempt } from "../directory/attempts.ts";
import { checkNewPassword, checkPassword, hashPassword, passwordIssue } from "../directory/passwords.ts";
import { emailKey } from "../directory/text-keys.ts";
import { recordChange, recordSignIn } from "../pipeline/audit-log.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { queueMail } from "../pipeline/queue-mail.ts";
import { accountOf, countEvent, forgetFailures } from "../pipeline/rate-limits.ts";
import { fieldErrorsOf, refuseIssues } from "../pipeline/refuse-issues.ts";
import { issueToken } from "../pipeline/signed-tokens.ts";

export const auth: Handlers<typeof contract> = {
  async authenticate(ctx, { username, password }) {
    const user = await userByEmail(ctx, username);
    const account = accountOf(ctx, emailKey(username), user);
    const subject = { kind: "sign_in", account, network: ctx.network } as const;
    const { good, outdated } = await attempt(ctx, subject, {
      // Users of other providers do not sign in by password.
      check: () => checkPassword(password, user?.provider === "local" ? user.password_hash : null),
      settled: (tx, good) => recordSignIn(tx, user?.id, good),
    });
    if (!good || user === undefined)
      throw new ServiceError("unauthenticated", "The e-mail address or the password is wrong.");
    if (outdated) await rehash(ctx, user.id, password, user.password_hash);
    const claims = { userId: user.id, authTime: ctx.now, version: user.token_version };
    return [await issueToken(ctx.instance, ctx.settings, ctx.now, claims)];
  },

  async renew(ctx) {
    // An embedded caller without a token is authenticated by its access to the database.
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
    // Does the same work without a recipient, so that the duration reveals nothing; that mail is deleted again.
    await ctx.db.deleteFrom("mails").where("user_id", "=", nobody.id).execute();
  },

  async passwordReset(ctx, { token, email, password, password_confirm }) {
    const user = await userByEmail(ctx, email);
    const issues = await findResetIssues(ctx, { email, password, password_confirm });
    // Does the same work for an unknown address, which has no token, so that the duration reveals nothing.
    const isGood = await isToken(ctx, user?.id ?? stranger().id, token);
    const isUsable = isGood && user !== undefined;
    refuseIssues(isUsable || issues.some(({ field }) => field === "email") ? issues : [badToken, ...issues]);
    if (user === undefined) return;
    await checkNewPassword(password, user, ctx.settings);
    const password_hash = await hashPassword(password);
    await ctx.transaction(async (tx) => {
      // Checked again in the transaction: of several simultaneous uses, the first invalidates the token for the others.
      if (!(await isToken(tx, user.id, token))) refuseIssues([badToken]);
      await tx.db.deleteFrom("password_tokens").where("user_id", "=", user.id).execute();
      // Users reset a password that somebody else may know, who could have created tokens with it.
      await tx.db.deleteFrom("api_tokens").where("user_id", "=", user.id).execute();
      await tx.db
        .updateTable("users")
        .set((eb) => ({ password_hash, token_version: eb("token_version", "+", 1), updated_at: tx.now }))
        .where("id", "=", user.id)
        .execute();
      await forgetFailures(tx, user.id);
      tx.announce(`user:${user.id}`);
      // The holder of the token acts as that user.
      await recordChange({ ...tx, actor: { ...tx.actor, id: user.id } }, contract.passwordReset, {}, undefined);
    });
  },
};

/** Adds the issues of fields that depend on each other or on data. */
export const checks: Checks<typeof contract> = {
  passwordReset: async (ctx, input) => fieldErrorsOf(await findResetIssues(ctx, input)),
};

type Reset = Parameters<Handlers<typeof contract>["passwordReset"]>[1];

/** Names of the user are compared with the password only after the token, because they are not for everybody. */
async function findResetIssues(ctx: Ctx, { email, password, password_confirm }: Partial<Reset>): Promise<Issue[]> {
  const issues: Issue[] = [];
  const user = email === undefined ? undefined : await userByEmail(ctx, email);
  if (user !== undefined && user.provider !== "local") issues.push({ field: "email", code: "managed_elsewhere" });
  const issue = password === undefined ? undefined : await passwordIssue(password, { email }, ctx.settings);
  if (issue !== undefined) issues.push({ field: "password", ...issue });
  if (password !== undefined && password_confirm !== undefined && password !== password_confirm) {
    issues.push({ field: "password_confirm", code: "not_equal", params: { other: "password" } });
  }
  return issues;
}

/** Stands for the owner of an unknown address. The random ID keeps requests from waiting for each other's rows. */
const stranger = () => ({ id: -randomInt(1, 2 ** 47), email: "" });

/** Compared with the given token when there is no stored one. */
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

async function isToken(ctx: Ctx, user: number, token: string): Promise<boolean> {
  const stored = await ctx.db
    .selectFrom("password_tokens")
    .select(["token_hash", "expires_at"])
    .where("user_id", "=", user)
    .executeTakeFirst();
  const same = timingSafeEqual(Buffer.from(stored?.token_hash ?? noToken), Buffer.from(hashPasswordToken(token)));
  return same && stored !== undefined && stored.expires_at > ctx.now;
}

const badToken: Issue = { field: "token", code: "unusable_token" };
