import type { auth as contract } from "../../contract/auth.ts";
import { ServiceError } from "../../contract/errors.ts";
import { countRows, findRow } from "../../store/bulk.ts";
import { markChanged } from "../directory/mark-changed.ts";
import { removeTwoFactor } from "../directory/two-factors.ts";
import type { Handlers } from "../pipeline/context.ts";
import { queueNotice } from "../pipeline/queue-mail.ts";
import { lacksTwoFactor } from "../pipeline/two-factor-requirement.ts";
import { readTwoFactor } from "./one-time-codes.ts";
import { proveIdentity, useProof } from "./prove-identity.ts";
import { replaceRecoveryCodes } from "./recovery-codes.ts";

type Auth = Handlers<typeof contract>;

export const twoFactorStatus: Auth["twoFactorStatus"] = async (ctx) => {
  const { db, actor } = ctx;
  const user = await findRow(db, "users", { id: actor.id }, ["two_factor_at"]);
  const enabled_at = user?.two_factor_at ?? null;
  return {
    enabled: enabled_at !== null,
    enabled_at,
    recovery_codes_left: await countRows(db.selectFrom("recovery_codes").where("user_id", "=", actor.id)),
    required: lacksTwoFactor(ctx),
  };
};

export const twoFactorRecoveryCodes: Auth["twoFactorRecoveryCodes"] = async (ctx, proof) => {
  if (!ctx.actor.twoFactor) throw notOn();
  const code = await proveIdentity(ctx, proof);
  return ctx.transaction(async (tx) => {
    await useProof(tx, code);
    const factor = await readTwoFactor(tx, tx.actor.id);
    if (factor === undefined) throw notOn();
    await queueNotice(tx, tx.actor.id, "recovery_codes");
    return { recovery_codes: await replaceRecoveryCodes(tx, tx.actor.id, factor.plain) };
  });
};

export const twoFactorDisable: Auth["twoFactorDisable"] = async (ctx, proof) => {
  const code = await proveIdentity(ctx, proof);
  await ctx.transaction(async (tx) => {
    await useProof(tx, code);
    if (!(await removeTwoFactor(tx, tx.actor.id))) throw notOn();
    await queueNotice(tx, tx.actor.id, "two_factor_off");
    await markChanged(tx, "user", [tx.actor.id]);
  });
};

const notOn = () => new ServiceError("conflict", "You don't sign in with two factors.");
