import type { AnyOperation, Origin } from "../contract/operation.ts";
import { announcedBytes, parseJson, readBytes } from "./body.ts";
import { decodePath } from "./codec.ts";
import type { Exchange } from "./exchange.ts";
import { LargeBodies } from "./large-bodies.ts";

/** The size in bytes from which on a body is large, and the limit of operations that name no other. */
const commonLimit = 1_048_576;

export interface BodyOptions {
  /** Throws unless the caller is known and may do what the path says; returns the caller's ID. */
  readonly admit?: (op: AnyOperation, path: Readonly<Record<string, unknown>>, origin: Origin) => Promise<number>;
  /** The largest body in bytes. Default: that of the operation, else 1 MiB. */
  readonly bodyLimit?: (op: AnyOperation) => number;
}

export interface RequestWithBody {
  readonly op: AnyOperation;
  readonly params: readonly string[];
  readonly exchange: Exchange;
  readonly origin: Origin;
}

/** Returns a reader of request bodies. It reads a large one only for callers with permission, and while there is room for it. */
export function bodyReader({ admit, bodyLimit = (op) => op.bodyLimit ?? commonLimit }: BodyOptions) {
  const largeBodies = new LargeBodies();
  return async <T>(
    { op, params, exchange, origin }: RequestWithBody,
    work: (body: unknown) => Promise<T>,
  ): Promise<T> => {
    const limit = bodyLimit(op);
    if (announcedBytes(exchange, limit) <= commonLimit) return work(parseJson(await readBytes(exchange, limit)));
    const user = await admit?.(op, decodePath(op, params), origin);
    const { network: address } = exchange;
    return largeBodies.take({ user, address }, (arrival) => readBytes(exchange, limit, arrival), parseJson, work);
  };
}
