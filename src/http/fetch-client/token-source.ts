import { isAging, type TokenTimes, tokenTimesOf } from "../client/token-times.ts";
import type { ConnectOptions } from "./client-types.ts";

/** Milliseconds before a failed renewal is tried again. */
const renewalPause = 60_000;

/** Provides the token of a connection. Calls that run at the same time share one renewal, and one request for a new token. */
export class TokenSource {
  readonly #options: Pick<ConnectOptions, "token" | "onTokenRenewed">;
  readonly #renew: (token: string) => Promise<string>;
  #token: string | undefined;
  #times: TokenTimes | undefined;
  #pending: Promise<void> | undefined;
  #renewalAfter = 0;

  constructor(options: Pick<ConnectOptions, "token" | "onTokenRenewed">, renew: (token: string) => Promise<string>) {
    this.#options = options;
    this.#renew = renew;
    if (typeof options.token === "string") this.#take(options.token);
  }

  /** Returns a token that is valid as far as is known; undefined without one. */
  async current(): Promise<string | undefined> {
    const times = this.#times;
    const now = Date.now();
    const isExpired = times !== undefined && times.expires * 1000 <= now;
    if (typeof this.#options.token === "function" && (this.#token === undefined || isExpired))
      await this.#once(() => this.#provide());
    else if (times && !isExpired && isAging(times, now / 1000) && now >= this.#renewalAfter)
      await this.#once(() => this.#exchange());
    return this.#token;
  }

  /** Returns another token after the service refused this one; undefined when there is no way to get one. */
  async replace(refused: string | undefined): Promise<string | undefined> {
    if (typeof this.#options.token !== "function") return undefined;
    // Another call may have replaced it already.
    if (this.#token === refused) await this.#once(() => this.#provide());
    return this.#token;
  }

  async #provide(): Promise<void> {
    const { token } = this.#options;
    if (typeof token === "function") this.#take(await token());
  }

  async #exchange(): Promise<void> {
    this.#renewalAfter = Date.now() + renewalPause;
    try {
      const token = await this.#renew(this.#token ?? "");
      this.#take(token);
      this.#renewalAfter = 0;
      this.#options.onTokenRenewed?.(token);
    } catch {
      // The token is still valid, so a failed renewal is ignored.
    }
  }

  async #once(work: () => Promise<void>): Promise<void> {
    this.#pending ??= work().finally(() => {
      this.#pending = undefined;
    });
    await this.#pending;
  }

  #take(token: string): void {
    this.#token = token;
    this.#times = tokenTimesOf(token);
  }
}
