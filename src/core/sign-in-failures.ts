import { ServiceError } from "../contract/errors.ts";
import type { Ctx } from "./context.ts";

const windowSeconds = 900;
const perAccount = 10;
const perAddress = 30;

/**
 * Notes an attempt to sign in as a failure before it is tried, so that attempts at the same moment count, too. After 10
 * for the account, or 30 from the address, in 15 minutes: `too_many_requests`. The state is shared by all servers, and
 * a guess in a dry run is a guess.
 */
export async function beginAttempt(ctx: Ctx, account: string): Promise<void> {
  const attempt = async ({ db, now, address }: Ctx) => {
    const since = now - windowSeconds;
    await db.deleteFrom("sign_in_failures").where("at", "<=", since).execute();
    const count = async (column: "account" | "address", value: string) =>
      db
        .selectFrom("sign_in_failures")
        .select((eb) => [eb.fn.countAll<number>().as("failures"), eb.fn.min("at").as("first")])
        .where(column, "=", value)
        .executeTakeFirstOrThrow();
    const byAccount = await count("account", account);
    const byAddress = address === undefined ? undefined : await count("address", address);
    const full =
      byAccount.failures >= perAccount
        ? byAccount
        : byAddress && byAddress.failures >= perAddress
          ? byAddress
          : undefined;
    if (full !== undefined) {
      const retryAfter = Math.max((full.first ?? now) + windowSeconds - now, 1);
      throw new ServiceError("too_many_requests", "There were too many failed attempts; try again later.", {
        retryAfter,
      });
    }
    await db
      .insertInto("sign_in_failures")
      .values({ account, address: address ?? null, at: now })
      .execute();
  };
  await ctx.transaction(attempt, { lasting: true });
}

/** Forgets the failures of an account, once it has signed in. */
export async function attemptSucceeded(ctx: Ctx, account: string): Promise<void> {
  const forget = ({ db }: Ctx) => db.deleteFrom("sign_in_failures").where("account", "=", account).execute();
  await ctx.transaction(forget, { lasting: true });
}
