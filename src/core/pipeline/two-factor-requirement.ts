import { ServiceError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import type { Ctx } from "./context.ts";

/** Returns true for an administrator who has to set up two factors first. API tokens and embedded callers do not sign in. */
export function lacksTwoFactor({ settings, actor, token }: Ctx): boolean {
  return settings["two_factor.required_for_administrators"] && actor.admin && !actor.twoFactor && token !== undefined;
}

/** Throws `two_factor_required` when the actor has to set up two factors before calling the operation. */
export function requireTwoFactor(ctx: Ctx, op: AnyOperation): void {
  if (op.withoutTwoFactor || !lacksTwoFactor(ctx)) return;
  throw new ServiceError(
    "two_factor_required",
    "Administrators of this instance need two factors; set them up with wcs auth 2fa enable.",
  );
}
