import { ServiceError } from "../../contract/errors.ts";
import { filesField } from "../../contract/file-schemas.ts";
import type { AnyOperation, Origin } from "../../contract/operation.ts";
import { Semaphore, Semaphores } from "../../contract/semaphore.ts";
import { decodePath } from "../codec.ts";
import { jsonLimits } from "../json-limits.ts";
import { type Arrival, Arrivals } from "./arrivals.ts";
import type { Exchange } from "./exchange.ts";
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
  const takeBody = largeBodies();
  return async <T>({ op, params, exchange }: RequestWithBody, work: (body: unknown) => Promise<T>): Promise<T> => {
    const limit = limitOf(op, limits);
    const check = jsonLimits(op.valueLimit);
    const bytes = announcedBytes(exchange, limit);
    const isSmall = bytes <= smallBody;
    // A client that waits for 100 Continue learns first that it has no permission.
    const caller = isSmall && !exchange.isAwaited ? undefined : await admit(op, decodePath(op, params), exchange);
    if (isSmall) return work(parseJsonBody(await readBytes(exchange, { limit, check })));
    // Only large bodies of a user wait for each other, and imports: others would wait for all of their transactions.
    const user = bytes > largeBody || isBatch(op) ? caller : undefined;
    const read = (arrival: Arrival) => readBytes(exchange, { limit, check, arrival });
    return takeBody(user, exchange.network, read, work);
  };
}

/** Returns true for an operation whose body has many rows, and no files. */
const isBatch = (op: AnyOperation): boolean => op.bodyLimit !== undefined && filesField(op) === undefined;

function limitOf(op: AnyOperation, { bodyLimit, uploadLimit }: Omit<BodyOptions, "admit">): number {
  if (op.bodyLimit === undefined) return op.access === "public" ? publicLimit : bodyLimit;
  return filesField(op) === undefined ? op.bodyLimit : Math.min(op.bodyLimit, uploadLimit);
}

const mebibyte = 1024 * 1024;
const tooManyUploads = () =>
  new ServiceError("unavailable", "Too many uploads are under way; try again.", { retryAfter: 5 });
const alreadyUploading = () =>
  new ServiceError("too_many_requests", "Another large request of yours is still under way; try again.", {
    retryAfter: 5,
  });

/** Maximum bytes of bodies that are parsed and processed at once; they take about three times as much memory. */
const maxBytesInWork = 48 * mebibyte;
/** Limits of bodies being received. The oldest may exceed them by its own size, which is at most 40 MiB. */
const arrivalLimits = { total: 120 * mebibyte, perAddress: 40 * mebibyte, timeout: 30_000 };

/** Returns a function that reads a body and works on it, while there is room for both. */
function largeBodies() {
  /** Each user has one body at a time. Those that wait are not read. */
  const turns = new Semaphores<number>(1, { maxWaiting: 20, refusal: alreadyUploading });
  const arrivals = new Arrivals(arrivalLimits, tooManyUploads);
  const room = new Semaphore(maxBytesInWork, { refusal: tooManyUploads });
  return <T>(
    user: number | undefined,
    address: string,
    read: (arrival: Arrival) => Promise<Buffer | undefined>,
    work: (body: unknown) => Promise<T>,
  ): Promise<T> => {
    const take = async () => {
      const arrival = arrivals.begin(address);
      let done: (() => void) | undefined;
      try {
        let body = await read(arrival);
        done = await room.acquire(body?.length ?? 0);
        const parsed = parseJsonBody(body);
        body = undefined;
        return await work(parsed);
      } finally {
        done?.();
        arrival.leave();
      }
    };
    return user === undefined ? take() : turns.run(user, take);
  };
}
