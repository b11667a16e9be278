import { filesField } from "../../contract/file-schemas.ts";
import type { AnyOperation, Origin } from "../../contract/operation.ts";
import { decodePath, valueLimitOf } from "../codec.ts";
import type { Arrival } from "./arrivals.ts";
import type { Exchange } from "./exchange.ts";
import { jsonLimits } from "./json-limits.ts";
import { LargeBodies } from "./large-bodies.ts";
import { announcedBytes, parseJsonBody, readBytes } from "./request-body.ts";

/** Size in bytes above which a body is read only for callers with permission, and counted while it arrives. */
const smallBody = 16_384;
/** Size in bytes above which a body is large. */
const largeBody = 1_048_576;
const publicLimit = 65_536;

export interface BodyOptions {
  /** Throws unless the caller is signed in and has permission for the path. Returns the caller's ID. */
  readonly admit: (op: AnyOperation, path: Readonly<Record<string, unknown>>, origin: Origin) => Promise<number>;
  /** Maximum size in bytes of bodies of operations that have no limit of their own. */
  readonly bodyLimit: number;
  /** Maximum size in bytes of bodies with files, if that of the operation is not smaller. */
  readonly uploadLimit: number;
}

interface RequestWithBody {
  readonly op: AnyOperation;
  readonly params: readonly string[];
  readonly exchange: Exchange;
}

/** Reads all but small bodies only for callers with permission, and while there is room for them. */
export function bodyReader({ admit, ...limits }: BodyOptions) {
  const largeBodies = new LargeBodies();
  return async <T>({ op, params, exchange }: RequestWithBody, work: (body: unknown) => Promise<T>): Promise<T> => {
    const limit = limitOf(op, limits);
    const check = jsonLimits(valueLimitOf(op));
    const bytes = announcedBytes(exchange, limit);
    if (bytes <= smallBody) return work(parseJsonBody(await readBytes(exchange, { limit, check })));
    const caller = await admit(op, decodePath(op, params), exchange);
    // Only large bodies of a user wait for each other, and imports: others would wait for all of their transactions.
    const user = bytes > largeBody || isBatch(op) ? caller : undefined;
    const read = (arrival: Arrival) => readBytes(exchange, { limit, check, arrival });
    return largeBodies.take(user, exchange.network, read, work);
  };
}

/** Returns true for an operation whose body has many rows, and no files. */
const isBatch = (op: AnyOperation): boolean => op.bodyLimit !== undefined && filesField(op) === undefined;

function limitOf(op: AnyOperation, { bodyLimit, uploadLimit }: Omit<BodyOptions, "admit">): number {
  if (op.bodyLimit === undefined) return op.access === "public" ? publicLimit : bodyLimit;
  return filesField(op) === undefined ? op.bodyLimit : Math.min(op.bodyLimit, uploadLimit);
}
