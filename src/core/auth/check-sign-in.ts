import { ServiceError } from "../../contract/errors.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { attempt } from "../directory/attempts.ts";
import { checkPassword } from "../directory/passwords.ts";
import type { Ctx } from "../pipeline/context.ts";
import { accountOfUser } from "../pipeline/rate-limits.ts";
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
  { password, otp }: { readonly password: string; readonly otp?: string | undefined },
): Promise<CheckedSignIn<U>> {
  // Users of other providers do not sign in by password.
  const { good, outdated } = await checkPassword(password, user?.provider === "local" ? user.password_hash : null);
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
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Uses the code up in a transaction of its own, because a sign-in in a dry run gets a valid token, too. */
async function acceptCode(ctx: Ctx, user: number, otp: string): Promise<boolean> {
  const code = await findCode(ctx, user, otp);
  return code !== undefined && ctx.transaction((tx) => useCode(tx, code), { lasting: true, locking: true });
}
