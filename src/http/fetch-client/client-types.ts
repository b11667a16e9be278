/** Options of a connection. */
export interface ConnectOptions {
  /** Base URL of the service. A trailing slash or `/api` is ignored. */
  readonly url: string;
  /**
   * An API token, the token of a sign-in, or a function that returns one. The function is called before the first call that
   * needs a token, and again when the service has refused the token. The token of a sign-in is renewed before it expires.
   */
  readonly token?: string | (() => string | Promise<string>);
  /** Called with each renewed token of a sign-in, to store it. */
  readonly onTokenRenewed?: (token: string) => void;
  /** Milliseconds for a call with all its retries. Default: 30,000. */
  readonly timeout?: number;
  /** Replaces the global `fetch`, for example to use a proxy. */
  readonly fetch?: typeof fetch;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, which then fails with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Executes the operation and rolls it back; the result is that of a real call. */
  readonly dryRun?: boolean;
  /** A repeated POST with the same key gets the first answer. Default: a random key for each call. Public operations take none. */
  readonly idempotencyKey?: string;
}

/** Arguments of a call. The input may be left out when the operation needs none. */
export type Arguments<Input> =
  Record<never, never> extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions];

/** Calls an operation. Fails with a `ServiceError`. */
export type Operation<Input, Output> = (...args: Arguments<Input>) => Promise<Output>;

/** Calls an operation that returns a list; `all` yields the items of all its pages, from the page that the input names. */
export type ListOperation<Input, Output, Item> = Operation<Input, Output> & {
  all(...args: Arguments<Input>): AsyncGenerator<Item, void, undefined>;
};
