import { ServiceError } from "../../contract/errors.ts";
import type { users as contract } from "../../contract/users.ts";
import { removeTwoFactor } from "../directory/end-access.ts";
import { markChanged } from "../directory/mark-changed.ts";
import type { Handlers } from "../pipeline/context.ts";
import { queueNotice } from "../pipeline/queue-mail.ts";

/** Switches off the second factor of another user. One's own needs a password or a code, except with the database itself. */
export const twoFactorReset: Handlers<typeof contract>["twoFactorReset"] = async (ctx, { id }) => {
  if (id === ctx.actor.id && ctx.token !== undefined)
    throw new ServiceError(
      "forbidden",
      "You cannot reset your own second factor; disable it with your password or a code (wcs auth 2fa disable).",
    );
  if (!(await removeTwoFactor(ctx, id))) return;
  await queueNotice(ctx, id, "two_factor_off");
  await markChanged(ctx, "user", [id]);
};
