import type { Ability } from "../../contract/operation.ts";
import type { Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import { idsInPath, lastIdInPath } from "./unit-path.ts";

/** The user that sends a request: an active user with the abilities that the memberships grant. */
export interface Actor {
  readonly id: number;
  readonly admin: boolean;
  readonly unitId: number | null;
  readonly showBirthdays: "all" | "unit" | "none";
  readonly tokenVersion: number;
  readonly twoFactor: boolean;
  /** Granted abilities; each grant applies to the unit with that path and to all units below it. */
  readonly grants: readonly { path: string; abilities: readonly Ability[] }[];
  /** IDs: the units of the user, those and all their ancestors, and the user types held in any unit. */
  readonly units: readonly number[];
  readonly branch: readonly number[];
  readonly types: readonly number[];
}

/** The actor of a request without a token. May only use public operations. */
export const nobody: Actor = {
  id: 0,
  admin: false,
  unitId: null,
  showBirthdays: "all",
  tokenVersion: 0,
  twoFactor: false,
  grants: [],
  units: [],
  branch: [],
  types: [],
};

/** Loads active users with their memberships, and their sessions with these keys. Triggers watch these columns; see `fact-versions.ts`. */
const actorRows = prepared((db, p: { ids: readonly number[]; sessions: readonly string[] }) =>
  db
    .selectFrom("users as u")
    .leftJoin("sessions as s", (join) => join.onRef("s.user_id", "=", "u.id").on("s.key", "in", p.sessions))
    .leftJoin("memberships as m", "m.user_id", "u.id")
    .leftJoin("units as n", "n.id", "m.unit_id")
    .leftJoin("membership_user_types as mt", "mt.membership_id", "m.id")
    .leftJoin("user_types as t", "t.id", "mt.user_type_id")
    .select(["u.id", "u.admin", "u.unit_id", "u.show_birthdays", "u.token_version", "u.two_factor_at"])
    .select(["n.path", "t.id as type", "t.abilities"])
    .select(["s.id as session_id", "s.key as session_key", "s.last_used_at"])
    .select((eb) =>
      eb.selectFrom("fact_versions").select("version").where("kind", "=", "settings").as("settings_version"),
    )
    .where("u.id", "in", p.ids)
    .where("u.active", "=", 1),
);
type ActorRow = Awaited<ReturnType<typeof actorRows>>[number];

/** An actor with the requested session, if the actor has it, and the version of the settings, all read at the same time. */
export interface LoadedActor {
  readonly actor: Actor;
  readonly session: { readonly id: number; readonly lastUsed: number } | undefined;
  readonly settingsVersion: number;
}

/** Returns the active user with that ID, or undefined. `session` is the key of one of the user's sessions. */
export async function loadActor(db: Db, id: number, session = ""): Promise<LoadedActor | undefined> {
  return actorIn(await actorRows(db, { ids: [id], sessions: [session] }), session);
}

/** Returns the actor of the rows of one user, or undefined without rows. The rows may include other sessions of the user. */
function actorIn(all: readonly ActorRow[], session: string): LoadedActor | undefined {
  const user = all.find(({ session_key }) => session_key === session) ?? all[0];
  if (user === undefined) return undefined;
  const rows = all.filter(({ session_key }) => session_key === user.session_key);
  const paths = [...new Set(rows.flatMap(({ path }) => path ?? []))];
  const units = paths.map(lastIdInPath);
  const actor = {
    id: user.id,
    admin: user.admin === 1,
    unitId: user.unit_id,
    showBirthdays: user.show_birthdays,
    tokenVersion: user.token_version,
    twoFactor: user.two_factor_at !== null,
    grants: rows.flatMap(({ path, abilities }) =>
      path && abilities && abilities !== "[]" ? [{ path, abilities: JSON.parse(abilities) }] : [],
    ),
    units,
    branch: [...new Set(paths.flatMap(idsInPath))],
    types: [...new Set(rows.flatMap(({ type }) => type ?? []))],
  };
  const { session_id, session_key, last_used_at, settings_version } = user;
  const isKnown = session_key === session && session_id !== null && last_used_at !== null;
  return {
    actor,
    session: isKnown ? { id: session_id, lastUsed: last_used_at } : undefined,
    settingsVersion: settings_version ?? 0,
  };
}

/** Returns true when the actor has the ability in the unit with that path; without a path, in any unit. */
export function may(actor: Actor, ability: Ability, path?: string | null): boolean {
  if (actor.admin) return true;
  return actor.grants.some(
    (grant) => grant.abilities.includes(ability) && (path === undefined || (path?.startsWith(grant.path) ?? false)),
  );
}

interface Batch {
  readonly ids: Set<number>;
  readonly sessions: Set<string>;
  readonly rows: Promise<ReadonlyMap<number, ActorRow[]>>;
}

/** Returns `loadActor` for many: one statement for all of one turn of the event loop, in a quarter of the time. */
export function actorBatches(db: Db): (id: number, session?: string) => Promise<LoadedActor | undefined> {
  let current: Batch | undefined;
  const begin = (): Batch => {
    const ids = new Set<number>();
    const sessions = new Set<string>();
    const load = async () => {
      await new Promise(setImmediate);
      current = undefined;
      return Map.groupBy(await actorRows(db, { ids: [...ids], sessions: [...sessions] }), (row) => row.id);
    };
    return { ids, sessions, rows: load() };
  };
  return async (id, session = "") => {
    current ??= begin();
    current.ids.add(id);
    current.sessions.add(session);
    const { rows } = current;
    // A value that the database refuses fails the statement for all, so that each then asks for its own actor.
    const found = await rows.catch(() => undefined);
    return found ? actorIn(found.get(id) ?? [], session) : loadActor(db, id, session);
  };
}
