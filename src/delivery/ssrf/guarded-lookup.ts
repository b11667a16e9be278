import type { LookupAddress } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { isPublic } from "./public-addresses.ts";

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Thrown when a host has no address that callbacks may use. */
class BlockedError extends Error {
  readonly code = "EBLOCKED";
}

/** Connects to public addresses only, by that of the actual connection: a name may resolve to another one later. */
export function guarded(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    const { hostname } = options;
    // Sockets do not look up literal addresses.
    if (isIP(hostname) === 0 || isPublic(hostname)) connect(options, callback);
    else callback(new BlockedError(`${hostname} is not a public address`), null);
  };
}

/** Returns a lookup function for sockets that keeps only the `allowed` addresses. */
export function socketLookup(resolve: Resolve, allowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const good = found.filter(({ address, family }) => allowed(address) && (options.family || family) === family);
        const [first] = good;
        if (first === undefined) callback(new BlockedError(`${hostname} has no public address`), "", 0);
        else if (options.all) callback(null, [...good]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, "", 0),
    );
  };
}

/** Runs one lookup at a time for each name: one that hangs must not occupy all threads of the system's resolver. */
export function sharedResolver(lookup: Resolve = (hostname) => systemLookup(hostname, { all: true })): Resolve {
  const running = new Map<string, Promise<readonly LookupAddress[]>>();
  return (hostname) => {
    const known = running.get(hostname);
    if (known !== undefined) return known;
    const asked = lookup(hostname).finally(() => running.delete(hostname));
    running.set(hostname, asked);
    return asked;
  };
}
