import { type FieldErrors, ServiceError } from "../../contract/errors.ts";
import { findRow } from "../../store/bulk.ts";
import { attempt, proofSubject } from "../directory/attempts.ts";
import { checkPassword } from "../directory/passwords.ts";
import type { Ctx } from "../pipeline/context.ts";
import { refuse } from "../pipeline/refuse-issues.ts";
import { findCode, useCode, type ValidCode } from "./one-time-codes.ts";

/** Something that only the user knows or has, in addition to a token. */
interface Proof {
  readonly password?: string | undefined;
  readonly otp?: string | undefined;
}

export const wrongCode = "is wrong, has expired or was used";

/** Returns the issue when there is neither a password nor a code; see `Checks`. */
export async function proofIssues(_ctx: Ctx, { password, otp }: Proof): Promise<FieldErrors> {
  return password === undefined && otp === undefined ? { password: ["is required, unless otp is given"] } : {};
}

/** Throws unless the password or the code is the actor's. Returns the code, to be used up in the transaction. */
export async function proveIdentity(ctx: Ctx, proof: Proof): Promise<ValidCode | undefined> {
  refuse(await proofIssues(ctx, proof));
  const { password, otp = "" } = proof;
  const { id } = ctx.actor;
  const { good, code } = await attempt(ctx, proofSubject(ctx), {
    check: async () => {
      if (password !== undefined) {
        const user = await findRow(ctx.db, "users", { id }, ["password_hash"]);
        return { ...(await checkPassword(password, user?.password_hash ?? null)), code: undefined };
      }
      const code = await findCode(ctx, id, otp);
      return { good: code !== undefined, code };
    },
  });
  if (!good) refuse(password === undefined ? { otp: [wrongCode] } : { password: ["is not your current password"] });
  return code;
}

/** Uses the code up that proved the identity. Throws `conflict` when it was used meanwhile. */
export async function useProof(tx: Ctx, code: ValidCode | undefined): Promise<void> {
  if (code === undefined || (await useCode(tx, code))) return;
  throw new ServiceError("conflict", "The code was used at the same moment; try again with another one.");
}
