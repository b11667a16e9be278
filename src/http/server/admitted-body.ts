import type { AnyOperation, Origin } from "../../contract/operation.ts";
import { decodePath } from "../codec.ts";
import type { Exchange } from "./exchange.ts";
import { LargeBodies } from "./large-bodies.ts";
import { announcedBytes, parseJsonBody, readBytes } from "./request-body.ts";

/** Size in bytes above which a body is large, and the limit of operations without one of their own. */
const commonLimit = 1_048_576;

export interface BodyOptions {
  /** Throws unless the caller is signed in and has permission for the path. Returns the caller's ID. */
  readonly admit?: (op: AnyOperation, path: Readonly<Record<string, unknown>>, origin: Origin) => Promise<number>;
  /** Maximum size of a body in bytes. Default: the operation's limit, else 1 MiB. */
  readonly bodyLimit?: (op: AnyOperation) => number;
}

interface RequestWithBody {
  readonly op: AnyOperation;
  readonly params: readonly string[];
  readonly exchange: Exchange;
}

/**
 * Returns a reader of request bodies. Reads a large body only for callers with permission, and while there is room for it.
 */
export function bodyReader({ admit, bodyLimit = (op) => op.bodyLimit ?? commonLimit }: BodyOptions) {
  const largeBodies = new LargeBodies();
  return async <T>({ op, params, exchange }: RequestWithBody, work: (body: unknown) => Promise<T>): Promise<T> => {
    const limit = bodyLimit(op);
    if (announcedBytes(exchange, limit) <= commonLimit) return work(parseJsonBody(await readBytes(exchange, limit)));
    const user = await admit?.(op, decodePath(op, params), exchange);
    const { network: address } = exchange;
    return largeBodies.take({ user, address }, (arrival) => readBytes(exchange, limit, arrival), parseJsonBody, work);
  };
}
