import { ServiceError } from "../../contract/errors.ts";
import type { AnyOperation, Origin } from "../../contract/operation.ts";
import type { Database } from "../../store/database.ts";
import { type Actor, loadActor, nobody } from "./actor.ts";
import type { Instance } from "./context.ts";
import { BoundedMap, type Version } from "./memory-cache.ts";
import type { Claims } from "./tokens.ts";

/** The origin of a call. An embedded caller may give a user ID in place of a token. */
export type FullOrigin = Origin & { readonly userId?: number };

/** The start of a call: Unix seconds, and the version of the data. */
export interface Moment {
  readonly now: number;
  readonly version: Version;
}

/** The actor of a call, and the claims of the token that was sent. */
export interface IdentifiedCaller {
  readonly actor: Actor;
  readonly token: Claims | undefined;
}

/** Throws `unauthenticated` unless the operation is public or the token or user ID is valid. */
export type Identify = (op: AnyOperation, origin: FullOrigin, moment: Moment) => Promise<IdentifiedCaller>;

/** Returns a function that identifies callers. It caches verified tokens, and actors while the data does not change. */
export function callerIdentification(database: Database, instance: () => Promise<Instance>): Identify {
  const verified = new BoundedMap<string, Claims>(10_000);
  const actors = new BoundedMap<number, { version: Version; actor: Actor | undefined }>(10_000);

  async function claimsOf(token: string, now: number): Promise<Claims> {
    let claims = verified.get(token);
    if (claims === undefined) {
      const { verifyToken } = await import("./tokens.ts");
      claims = await verifyToken(await instance(), token, now);
      verified.set(token, claims);
    }
    if (claims.expires > now) return claims;
    verified.delete(token);
    throw new ServiceError("unauthenticated", "The token has expired; sign in again.");
  }

  async function actorOf(id: number, version: Version): Promise<Actor | undefined> {
    const known = actors.get(id);
    if (known !== undefined && version !== undefined && known.version === version) return known.actor;
    const actor = await loadActor(database.reader, id);
    if (version !== undefined) actors.set(id, { version, actor });
    return actor;
  }

  return async (op, { token, userId }, { now, version }) => {
    // An invalid token does not matter for an operation that needs none.
    if (op.access === "public") return { actor: nobody, token: undefined };
    if (token === undefined && userId === undefined) {
      throw new ServiceError("unauthenticated", "Sign in first: this needs a token.");
    }
    const claims = token === undefined ? undefined : await claimsOf(token, now);
    const actor = await actorOf(claims?.userId ?? userId ?? 0, version);
    if (actor === undefined || (claims && claims.version !== actor.tokenVersion)) {
      throw new ServiceError("unauthenticated", "The token is no longer valid; sign in again.");
    }
    return { actor, token: claims };
  };
}
