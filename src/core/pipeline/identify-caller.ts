import { isDeepStrictEqual } from "node:util";
import { isApiToken } from "../../contract/api-token-prefix.ts";
import { BoundedMap } from "../../contract/bounded-map.ts";
import { ServiceError } from "../../contract/errors.ts";
import { once } from "../../contract/once.ts";
import type { AnyOperation, Origin } from "../../contract/operation.ts";
import { allows } from "../../contract/token-scopes.ts";
import type { Database, Db, FactVersions } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import { type Actor, actorBatches, type LoadedActor, loadActor, nobody } from "./actor.ts";
import type { ApiToken } from "./api-tokens.ts";
import type { Instance } from "./context.ts";
import type { LastUses } from "./last-uses.ts";
import type { Version } from "./memory-cache.ts";
import type { Claims } from "./signed-tokens.ts";

/** The origin of a call. An embedded caller may pass a user ID instead of a token. */
export type FullOrigin = Origin & { readonly userId?: number };

/** The start of a call: Unix seconds, and the versions of facts where they are known. */
export interface Moment {
  readonly now: number;
  readonly versions: FactVersions | undefined;
}

/** The actor of a call, the claims of the token or the API token that was sent, and the version of the settings if it is known. */
interface IdentifiedCaller {
  readonly actor: Actor;
  readonly token: Claims | undefined;
  readonly apiToken: ApiToken | undefined;
  readonly settingsVersion: Version;
}

/** Throws `unauthenticated` without a valid token or user ID, `forbidden` when the scopes do not cover the operation. */
type Identify = (op: AnyOperation, origin: FullOrigin, moment: Moment) => Promise<IdentifiedCaller>;

export interface IdentifiedCall {
  readonly op: AnyOperation;
  readonly origin: FullOrigin;
  readonly moment: Moment;
  readonly caller: IdentifiedCaller;
}

interface Sources {
  readonly database: Database;
  readonly instance: () => Promise<Instance> | Instance;
  readonly lastUses: LastUses;
}

/** Identifies callers. Caches verified tokens, and actors with their sessions while their version stays the same. */
export function callerIdentification({ database, instance, lastUses }: Sources) {
  const verified = new BoundedMap<string, Claims>(10_000);
  /** By the ID of the user and the key of the session. */
  const actors = new BoundedMap<string, { readonly version: Version; readonly loaded: LoadedActor }>(10_000);
  const loadInBatch = actorBatches(database.reader);
  const apiTokens = once(() => import("./api-tokens.ts"));

  function claimsOf(token: string, now: number): Claims | Promise<Claims> {
    const claims = verified.get(token);
    if (claims === undefined) return verify(token, now);
    if (claims.expires > now) return claims;
    verified.delete(token);
    throw new ServiceError("unauthenticated", "The token has expired; sign in again.");
  }

  async function verify(token: string, now: number): Promise<Claims> {
    const { verifyToken } = await import("./signed-tokens.ts");
    const claims = await verifyToken(await instance(), token, now);
    verified.set(token, claims);
    return claims;
  }

  /** Does not cache that there is no actor, because a new user changes no version. */
  function actorOf(id: number, version: Version, session = ""): LoadedActor | Promise<LoadedActor | undefined> {
    const known = actors.get(nameOf(id, session));
    return version !== undefined && known?.version === version ? known.loaded : loadAgain(id, version, session);
  }

  async function loadAgain(id: number, version: Version, session: string): Promise<LoadedActor | undefined> {
    const name = nameOf(id, session);
    const fresh =
      version === undefined ? await loadInBatch(id, session) : await loadActor(database.reader, id, session);
    const last = actors.get(name)?.loaded;
    const loaded = last && isDeepStrictEqual(fresh, last) ? last : fresh;
    if (loaded === undefined) actors.delete(name);
    else actors.set(name, { version, loaded });
    return loaded;
  }

  async function byApiToken(op: AnyOperation, text: string, { now, versions }: Moment): Promise<IdentifiedCaller> {
    const { verifyApiToken } = await apiTokens();
    const apiToken = await verifyApiToken(database.reader, text, now);
    const loaded = await actorOf(apiToken.userId, versions?.actors);
    requireOwner(loaded);
    lastUses.record("api_tokens", apiToken.id, apiToken.lastUsed, now);
    requireScope(op, apiToken.scopes);
    const settingsVersion = versions?.settings ?? loaded.settingsVersion;
    return { actor: loaded.actor, token: undefined, apiToken, settingsVersion };
  }

  const identify: Identify = async (op, { token, userId }, moment) => {
    const { now, versions } = moment;
    // An invalid token does not matter for an operation that needs none.
    if (op.access === "public") {
      return { actor: nobody, token: undefined, apiToken: undefined, settingsVersion: versions?.settings };
    }
    if (token !== undefined && isApiToken(token)) return byApiToken(op, token, moment);
    if (token === undefined && userId === undefined) {
      throw new ServiceError("unauthenticated", "Sign in first: this needs a token.");
    }
    const found = token === undefined ? undefined : claimsOf(token, now);
    const claims = found instanceof Promise ? await found : found;
    const known = actorOf(claims?.userId ?? userId ?? 0, versions?.actors, claims?.session);
    const loaded = known instanceof Promise ? await known : known;
    requireValid(loaded, claims);
    if (loaded.session) lastUses.record("sessions", loaded.session.id, loaded.session.lastUsed, now);
    const settingsVersion = versions?.settings ?? loaded.settingsVersion;
    return { actor: loaded.actor, token: claims, apiToken: undefined, settingsVersion };
  };

  return {
    identify,
    /** Returns the actor at the start of a transaction. Throws `unauthenticated` when the sign-in has ended meanwhile. */
    async confirm(tx: Db, { origin, moment, caller: { actor, token, apiToken } }: IdentifiedCall): Promise<Actor> {
      if (actor === nobody) return nobody;
      if (apiToken !== undefined) await (await apiTokens()).verifyApiToken(tx, origin.token ?? "", moment.now);
      if (moment.versions && (await actorsVersion(tx, {}))[0]?.version === moment.versions.actors) return actor;
      const loaded = await loadActor(tx, actor.id, token?.session);
      if (apiToken === undefined) requireValid(loaded, token);
      else requireOwner(loaded);
      return loaded.actor;
    },
    /** Returns the last known caller of this token, with the same `actor` object as `identify` when nothing changed. */
    presume({ token, userId }: FullOrigin, { now, versions }: Moment): IdentifiedCaller | undefined {
      if (versions !== undefined || (token !== undefined && isApiToken(token))) return undefined;
      const claims = token === undefined ? undefined : verified.get(token);
      if (token !== undefined && (claims === undefined || claims.expires <= now)) return undefined;
      const loaded = actors.get(nameOf(claims?.userId ?? userId ?? 0, claims?.session))?.loaded;
      if (loaded === undefined) return undefined;
      return { actor: loaded.actor, token: claims, apiToken: undefined, settingsVersion: loaded.settingsVersion };
    },
  };
}

const actorsVersion = prepared((db, _: object) =>
  db.selectFrom("fact_versions").select("version").where("kind", "=", "actors"),
);

/** Throws `unauthenticated` unless the user is active and the token, if any, belongs to a session that has not ended. */
function requireValid(loaded: LoadedActor | undefined, token: Claims | undefined): asserts loaded is LoadedActor {
  if (loaded === undefined || (token && token.version !== loaded.actor.tokenVersion))
    throw new ServiceError("unauthenticated", "The token is no longer valid; sign in again.");
  if (token && loaded.session === undefined) throw endedSession();
}

function requireOwner(loaded: LoadedActor | undefined): asserts loaded is LoadedActor {
  if (loaded === undefined) throw new ServiceError("unauthenticated", "The owner of the API token is not active.");
}

const nameOf = (id: number, session = "") => `${id} ${session}`;

export const endedSession = (): ServiceError =>
  new ServiceError("unauthenticated", "The session of the token has ended; sign in again.");

export const notCovered = (operation: string): ServiceError =>
  new ServiceError("forbidden", `The scopes of the API token do not cover ${operation}.`);

/** Throws `forbidden` when an API token with these scopes must not call the operation. */
function requireScope(op: AnyOperation, scopes: readonly string[]): void {
  if (op.signInOnly) throw new ServiceError("forbidden", `An API token cannot call ${op.name}; sign in instead.`);
  if (!op.limitsTokens && !allows(scopes, op)) throw notCovered(op.name);
}
