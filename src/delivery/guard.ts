import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { isPublic } from "./addresses.ts";

export interface Address {
  readonly address: string;
  readonly family: number;
}
/** Finds the addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

/** A host has no address that a callback may go to. */
export class BlockedError extends Error {
  readonly code = "EBLOCKED";
}

/**
 * Connects to public addresses only. What is checked is the address that is connected to, at the moment of connecting: a name
 * that gives another address a moment later gains nothing, and neither does any way to write an address.
 */
export function guarded(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    const { hostname } = options;
    // Sockets do not look up what is an address already.
    if (isIP(hostname) === 0 || isPublic(hostname)) connect(options, callback);
    else callback(new BlockedError(`${hostname} is not a public address`), null);
  };
}

/** The lookup of sockets, with `resolve` behind it; those `allowed` only. */
export function socketLookup(resolve: Resolve, allowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const good = found.filter(({ address, family }) => allowed(address) && wanted(options.family, family));
        const [first] = good;
        if (first === undefined) callback(new BlockedError(`${hostname} has no public address`), "", 0);
        else if (options.all) callback(null, [...good]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, "", 0),
    );
  };
}

function wanted(asked: number | string | undefined, family: number): boolean {
  const name = typeof asked === "string" ? Number(asked.replace("IPv", "")) : (asked ?? 0);
  return name === 0 || name === family;
}

/**
 * The system's resolver, asked once at a time for each name: it keeps one of few threads busy until it answers, so a name
 * that hangs must not take them all.
 */
export function sharedResolver(lookup: Resolve = (hostname) => systemLookup(hostname, { all: true })): Resolve {
  const running = new Map<string, Promise<readonly Address[]>>();
  return (hostname) => {
    const known = running.get(hostname);
    if (known !== undefined) return known;
    const asked = lookup(hostname).finally(() => running.delete(hostname));
    running.set(hostname, asked);
    return asked;
  };
}
