import type { auth as contract } from "../../contract/auth.ts";
import { ServiceError } from "../../contract/errors.ts";
import { updateRows, upsertRow } from "../../store/bulk.ts";
import { instanceName } from "../../store/instance-name.ts";
import { attempt, proofSubject } from "../directory/attempts.ts";
import { markChanged } from "../directory/mark-changed.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { queueNotice } from "../pipeline/queue-mail.ts";
import { refuse } from "../pipeline/refuse-issues.ts";
import { findStep, readTwoFactor } from "./one-time-codes.ts";
import { proveIdentity, wrongCode } from "./prove-identity.ts";
import { replaceRecoveryCodes } from "./recovery-codes.ts";

type Auth = Handlers<typeof contract>;

/** Seconds between the beginning and the confirmation. */
const setUpSeconds = 1800;

const isOn = () => new ServiceError("conflict", "You sign in with two factors already; switch them off first.");
const notBegun = () =>
  new ServiceError("conflict", "Begin again: setting up two factors was not begun, or more than 30 minutes ago.");

/** Stores a new secret. It has no effect until it is confirmed. */
export const twoFactorBegin: Auth["twoFactorBegin"] = async (ctx, { password }) => {
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
};

/** From now on signing in needs a code. */
export const twoFactorConfirm: Auth["twoFactorConfirm"] = async (ctx, { code }) => {
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
  if (step === undefined) refuse({ code: [wrongCode] });
  return ctx.transaction(async (tx) => {
    const begun = { user_id: id, secret: factor.secret };
    const [confirmed] = await updateRows(tx.db, "two_factors", begun, { last_step: step }, ["user_id"]);
    if (confirmed === undefined) throw notBegun();
    const off = { id, two_factor_at: null };
    const [enabled] = await updateRows(tx.db, "users", off, { two_factor_at: tx.now }, ["id"]);
    if (enabled === undefined) throw isOn();
    await queueNotice(tx, id, "two_factor_on");
    await markChanged(tx, "user", [id]);
    return { recovery_codes: await replaceRecoveryCodes(tx, id, factor.plain) };
  });
};

const ownRow = ({ db, actor }: Ctx) =>
  db
    .selectFrom("users")
    .select(["email", "password_hash", "two_factor_at"])
    .where("id", "=", actor.id)
    .executeTakeFirstOrThrow();
