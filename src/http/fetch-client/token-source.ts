import { isAging, type TokenTimes, tokenTimesOf } from "../client/token-times.ts";
import type { ConnectOptions } from "./client-types.ts";

/** Milliseconds before a failed renewal is tried again. */
const renewalPause = 60_000;

type TokenOptions = Pick<ConnectOptions, "token" | "onTokenRenewed">;

/** Provides the token of a connection. Calls that run at the same time share one renewal, and one request for a new token. */
export function createTokenSource(options: TokenOptions, renew: (token: string) => Promise<string>) {
  let token: string | undefined;
  let times: TokenTimes | undefined;
  let pending: Promise<void> | undefined;
  let renewalAfter = 0;
  const take = (next: string) => {
    token = next;
    times = tokenTimesOf(next);
  };
  const { token: given } = options;
  if (typeof given === "string") take(given);
  const provide = typeof given === "function" ? async () => take(await given()) : undefined;
  const exchange = async () => {
    try {
      const renewed = await renew(token ?? "");
      take(renewed);
      options.onTokenRenewed?.(renewed);
    } catch {
      // The token is still valid, so a failed renewal is ignored.
      renewalAfter = Date.now() + renewalPause;
    }
  };
  const once = (work: () => Promise<void>) => {
    pending ??= work().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  return {
    /** Returns a token that is valid as far as is known; undefined without one. */
    async current(): Promise<string | undefined> {
      const now = Date.now();
      const isExpired = times !== undefined && times.expires * 1000 <= now;
      if (provide && (token === undefined || isExpired)) await once(provide);
      else if (times && !isExpired && isAging(times, now / 1000) && now >= renewalAfter) await once(exchange);
      return token;
    },
    /** Returns another token after the service refused this one; undefined when there is no way to get one. */
    async replace(refused: string | undefined): Promise<string | undefined> {
      if (!provide) return undefined;
      // Another call may have replaced it already.
      if (token === refused) await once(provide);
      return token;
    },
  };
}
