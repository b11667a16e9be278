import { ServiceError } from "../../contract/errors.ts";
import { type AnyOperation, type CallOptions, idempotencyKeyForm } from "../../contract/operation.ts";
import { isReplayable } from "../../contract/secrets.ts";
import { NoResponse } from "../../http/client/connection-errors.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { Context } from "./command-spec.ts";

/** Returns the key of --idempotency-key as an option of calls. Throws a `UsageError` for one that would not be kept. */
export function idempotencyOf({ flags, terminal }: Context, op?: AnyOperation): Pick<CallOptions, "idempotencyKey"> {
  if (flags.idempotencyKey === undefined) return {};
  const key = String(flags.idempotencyKey);
  if (!idempotencyKeyForm.test(key))
    throw new UsageError("--idempotency-key must have 1 to 255 visible ASCII characters");
  if (op && !isReplayable(op))
    throw new UsageError(`--idempotency-key: the service keeps no response to ${op.method} ${op.path}`);
  if (flags.dryRun) terminal.note("--idempotency-key has no effect in a dry run.");
  return { idempotencyKey: key };
}

/**
 * Throws the error of a change. Without a response to it, the hint names the key with which the command can be repeated: that
 * of the command, or the one that the client made.
 */
export function failWithKey(error: unknown, { flags }: Context): never {
  if (!(error instanceof ServiceError && error.cause instanceof NoResponse)) throw error;
  const { code, message, retryAfter } = error;
  const { cause } = error;
  const key = flags.idempotencyKey ?? cause.idempotencyKey;
  if (key === undefined) throw error;
  const hint = `${cause.advice}The change may have been made. Repeat the command with --idempotency-key ${key}: then it is made only once.`;
  throw new ServiceError(code, message, { hint, retryAfter, cause });
}

export function refuseSeveral(): never {
  throw new UsageError("--idempotency-key is for one change, not for several");
}
