import { ServiceError } from "../../contract/errors.ts";
import type { Base } from "../client/base-url.ts";
import { timedOut, unreachable } from "../client/connection-errors.ts";

interface FetchRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

/** Throws `unavailable` without a response, and the reason of an abort. */
export async function sendByFetch<T>(
  base: Base,
  send: typeof fetch,
  { method, target, headers, body, timeout, signal }: FetchRequest,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(timedOut(base.origin, timeout)), timeout);
  try {
    const response = await send(base.origin + target, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
      redirect: "manual",
      credentials: "omit",
      cache: "no-store",
    });
    return await read(response);
  } catch (error) {
    signal?.throwIfAborted();
    if (late.signal.aborted) throw late.signal.reason;
    // Node's fetch wraps the error that has the code.
    throw error instanceof ServiceError ? error : unreachable((error as Error).cause ?? error, base);
  } finally {
    clearTimeout(timer);
  }
}
