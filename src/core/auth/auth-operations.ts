import { randomInt } from "node:crypto";
import { auth as contract } from "../../contract/auth.ts";
import type { FieldIssues } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import { deleteRows, findRow, updateRows } from "../../store/bulk.ts";
import { hashToken } from "../../store/password-tokens.ts";
import { attempt } from "../directory/attempts.ts";
import { replacePassword } from "../directory/end-access.ts";
import { checkNewPassword, hashInTurn, passwordIssue } from "../directory/passwords.ts";
import { emailKey } from "../directory/text-keys.ts";
import { recordChange, recordSignIn } from "../pipeline/audit-log.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { queueMails } from "../pipeline/queue-mail.ts";
import { accountOf, accountOfUser, countEvent } from "../pipeline/rate-limits.ts";
import { proofIssues, twoFactorHandlers } from "./change-two-factor.ts";
import { checkSignIn, extendSession, startSession } from "./sign-in.ts";

export const auth: Handlers<typeof contract> = {
  async authenticate(ctx, { username, password, otp }) {
    const typed = await userByEmail(ctx, username);
    const account = accountOf(ctx, emailKey(username), typed);
    const subject = { kind: "sign_in", account, network: ctx.network } as const;
    const checked = await attempt(ctx, subject, {
      check: () => checkSignIn(ctx, typed, { account, password, otp }),
      settled: (tx, good) => recordSignIn(tx, typed?.id, good),
    });
    if (!checked.good) throw checked.failure;
    const { user } = checked;
    if (checked.outdated) {
      const before = { id: user.id, password_hash: user.password_hash };
      const password_hash = await hashInTurn(account, password);
      await ctx.transaction(({ db }) => updateRows(db, "users", before, { password_hash }));
    }
    return [await startSession(ctx, user.id, user.token_version)];
  },

  async renew(ctx) {
    const { id, tokenVersion } = ctx.actor;
    // An embedded caller without a token is authenticated by its access to the database.
    return [ctx.token ? await extendSession(ctx, ctx.token) : await startSession(ctx, id, tokenVersion)];
  },

  ...twoFactorHandlers,

  async passwordRequest(ctx, { email }) {
    const user = await userByEmail(ctx, email);
    const key = emailKey(email);
    const kind = "password_request";
    const byAccount = { kind, account: accountOf(ctx, key, user), network: ctx.network } as const;
    // Many accounts can have an address one after the other.
    const byAddress = { kind, account: accountOf(ctx, `${kind} ${key}`) } as const;
    const admitted = await countEvent(ctx, byAddress, await countEvent(ctx, byAccount));
    const nobody = unknownOwner();
    await queueMails(ctx, "password_reset", [admitted && user?.provider === "local" ? user : nobody]);
    // Does the same work without a recipient, so that the duration reveals nothing; that mail is deleted again.
    await deleteRows(ctx.db, "mails", { user_id: nobody.id });
  },

  async passwordReset(ctx, { token, email, password, password_confirm }) {
    const user = await userByEmail(ctx, email);
    const issues = await findResetIssues(ctx, { email, password, password_confirm });
    // Does the same work for an unknown address, which has no token, so that the duration reveals nothing.
    const isGood = await isToken(ctx, user?.id ?? unknownOwner().id, token);
    if (!isGood) requireNoIssues({ ...badToken, ...issues });
    // An unknown address has no good token.
    if (user === undefined) return;
    // Told only to the holder of a token: guesses must not find such accounts.
    if (user.provider !== "local") issues.email = [{ code: "managed_elsewhere" }];
    requireNoIssues(issues);
    await checkNewPassword(password, user, ctx.settings);
    const password_hash = await hashInTurn(accountOfUser(user.id), password);
    await ctx.transaction(async (tx) => {
      // Checked again in the transaction: of several simultaneous uses, the first invalidates the token for the others.
      if (!(await isToken(tx, user.id, token))) requireNoIssues(badToken);
      await replacePassword(tx, user, password_hash);
      // The holder of the token acts as that user.
      await recordChange({ ...tx, actor: { ...tx.actor, id: user.id } }, contract.passwordReset, {}, undefined);
    });
  },
};

export const checks: Checks<typeof contract> = {
  twoFactorRecoveryCodes: proofIssues,
  twoFactorDisable: proofIssues,
  passwordReset: findResetIssues,
};

type Reset = InputOf<typeof contract.passwordReset>;

/** Names of the user are compared with the password only after the token, because they are not for everybody. */
async function findResetIssues(ctx: Ctx, { email, password, password_confirm }: Partial<Reset>): Promise<FieldIssues> {
  const issues: FieldIssues = {};
  const issue = password === undefined ? undefined : await passwordIssue(password, { email }, ctx.settings);
  if (issue !== undefined) issues.password = [issue];
  if (password !== undefined && password_confirm !== undefined && password !== password_confirm) {
    issues.password_confirm = [{ code: "not_equal", params: { other: "password" } }];
  }
  return issues;
}

/** Stands for the owner of an unknown address. The random ID keeps requests from waiting for each other's rows. */
const unknownOwner = () => ({ id: -randomInt(1, 2 ** 47), email: "" });

async function userByEmail(ctx: Ctx, email: string) {
  const name = ["first_name", "last_name"] as const;
  const account = ["id", "email", "provider", "password_hash", "token_version", "two_factor_at"] as const;
  const user = await findRow(ctx.db, "users", { email_key: emailKey(email), active: 1 }, [...account, ...name]);
  return user && { ...user, email: user.email ?? "" };
}

async function isToken(ctx: Ctx, user: number, token: string): Promise<boolean> {
  const stored = await findRow(ctx.db, "password_tokens", { token_hash: hashToken(token), user_id: user }, [
    "expires_at",
  ]);
  return stored !== undefined && stored.expires_at > ctx.now;
}

const badToken: FieldIssues = { token: [{ code: "unusable_token" }] };
