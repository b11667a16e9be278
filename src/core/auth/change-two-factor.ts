import type { auth as contract } from "../../contract/auth.ts";
import { type FieldIssues, ServiceError } from "../../contract/errors.ts";
import { countRows, findRow, updateRows, upsertRow } from "../../store/bulk.ts";
import { instanceName } from "../../store/instance-name.ts";
import { attempt, proofSubject } from "../directory/attempts.ts";
import { removeTwoFactor } from "../directory/end-access.ts";
import { markChanged } from "../directory/mark-changed.ts";
import { checkPassword } from "../directory/passwords.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { lacksTwoFactor } from "../pipeline/permissions.ts";
import { queueNotices } from "../pipeline/queue-mail.ts";
import { findCode, findStep, readTwoFactor, replaceRecoveryCodes, useCode, type ValidCode } from "./one-time-codes.ts";

/** Something that only the user knows or has, in addition to a token. */
interface Proof {
  readonly password?: string | undefined;
  readonly otp?: string | undefined;
}

const wrongCode = "is wrong, has expired or was used";

/** Returns the issue when there is neither a password nor a code; see `Checks`. */
export async function proofIssues(_ctx: Ctx, { password, otp }: Proof): Promise<FieldIssues> {
  return password === undefined && otp === undefined ? { password: ["is required, unless otp is given"] } : {};
}

/** Throws unless the password or the code is the actor's. Returns the code, to be used up in the transaction. */
async function proveIdentity(ctx: Ctx, proof: Proof): Promise<ValidCode | undefined> {
  requireNoIssues(await proofIssues(ctx, proof));
  const { password, otp = "" } = proof;
  const { id } = ctx.actor;
  const subject = proofSubject(ctx);
  const { good, code } = await attempt(ctx, subject, {
    check: async () => {
      if (password !== undefined) {
        const user = await findRow(ctx.db, "users", { id }, ["password_hash"]);
        const hash = user?.password_hash ?? null;
        return { ...(await checkPassword(subject.account, password, hash)), code: undefined };
      }
      const code = await findCode(ctx, id, otp);
      return { good: code !== undefined, code };
    },
  });
  if (!good)
    requireNoIssues(password === undefined ? { otp: [wrongCode] } : { password: ["is not your current password"] });
  return code;
}

/** Uses the code up that proved the identity. Throws `conflict` when it was used meanwhile. */
async function useProof(tx: Ctx, code: ValidCode | undefined): Promise<void> {
  if (code === undefined || (await useCode(tx, code))) return;
  throw new ServiceError("conflict", "The code was used at the same moment; try again with another one.");
}

/** Seconds between the beginning and the confirmation. */
const setUpSeconds = 1800;

const isOn = () => new ServiceError("conflict", "You sign in with two factors already; switch them off first.");
const notBegun = () =>
  new ServiceError("conflict", "You did not start to set up two factors in the last 30 minutes; start again.");
const notOn = () => new ServiceError("conflict", "You don't sign in with two factors.");

async function ownRow({ db, actor }: Ctx) {
  const user = await findRow(db, "users", { id: actor.id }, ["email", "password_hash", "two_factor_at"]);
  // The actor exists.
  return user!;
}

export const twoFactorHandlers = {
  /** Stores a new secret. It has no effect until it is confirmed. */
  async twoFactorBegin(ctx, { password }) {
    const user = await ownRow(ctx);
    if (user.two_factor_at !== null) throw isOn();
    if (user.password_hash === null)
      throw new ServiceError("conflict", "You have no password here, so there is no sign-in that needs two factors.");
    await proveIdentity(ctx, { password });
    const { newTotpSecret, totpUri } = await import("./totp.ts");
    const secret = newTotpSecret();
    const issuer = await instanceName(ctx.db, ctx.settings.name);
    return ctx.transaction(async (tx) => {
      // A secret in use must not be replaced.
      if ((await ownRow(tx)).two_factor_at !== null) throw isOn();
      const { id } = tx.actor;
      const sealed = await tx.secrets.seal(tx.db, `two_factors.secret.${id}`, secret);
      await upsertRow(tx.db, "two_factors", { user_id: id }, { secret: sealed, last_step: 0, begun_at: tx.now });
      return { secret, uri: totpUri(secret, issuer, user.email ?? String(id)) };
    });
  },

  /** From now on signing in needs a code. */
  async twoFactorConfirm(ctx, { code }) {
    const { id } = ctx.actor;
    if ((await ownRow(ctx)).two_factor_at !== null) throw isOn();
    const factor = await readTwoFactor(ctx, id);
    if (factor === undefined || factor.begun_at <= ctx.now - setUpSeconds) throw notBegun();
    const { step } = await attempt(ctx, proofSubject(ctx), {
      check: async () => {
        const step = await findStep(ctx, factor.plain, code);
        return { good: step !== undefined, step };
      },
    });
    if (step === undefined) requireNoIssues({ code: [wrongCode] });
    return ctx.transaction(async (tx) => {
      const begun = { user_id: id, secret: factor.secret };
      const [confirmed] = await updateRows(tx.db, "two_factors", begun, { last_step: step }, ["user_id"]);
      if (confirmed === undefined) throw notBegun();
      const off = { id, two_factor_at: null };
      const [enabled] = await updateRows(tx.db, "users", off, { two_factor_at: tx.now }, ["id"]);
      if (enabled === undefined) throw isOn();
      await queueNotices(tx, [id], "two_factor_on");
      await markChanged(tx, "user", [id]);
      return { recovery_codes: await replaceRecoveryCodes(tx, id, factor.plain) };
    });
  },

  async twoFactorStatus(ctx) {
    const { db, actor } = ctx;
    const { two_factor_at: enabled_at } = await ownRow(ctx);
    return {
      enabled: enabled_at !== null,
      enabled_at,
      recovery_codes_left: await countRows(db.selectFrom("recovery_codes").where("user_id", "=", actor.id)),
      required: lacksTwoFactor(ctx),
    };
  },

  async twoFactorRecoveryCodes(ctx, proof) {
    if (!ctx.actor.twoFactor) throw notOn();
    const code = await proveIdentity(ctx, proof);
    return ctx.transaction(async (tx) => {
      await useProof(tx, code);
      const factor = await readTwoFactor(tx, tx.actor.id);
      if (factor === undefined) throw notOn();
      await queueNotices(tx, [tx.actor.id], "recovery_codes");
      return { recovery_codes: await replaceRecoveryCodes(tx, tx.actor.id, factor.plain) };
    });
  },

  async twoFactorDisable(ctx, proof) {
    const code = await proveIdentity(ctx, proof);
    await ctx.transaction(async (tx) => {
      await useProof(tx, code);
      if (!(await removeTwoFactor(tx, tx.actor.id))) throw notOn();
      await queueNotices(tx, [tx.actor.id], "two_factor_off");
      await markChanged(tx, "user", [tx.actor.id]);
    });
  },
} satisfies Partial<Handlers<typeof contract>>;
