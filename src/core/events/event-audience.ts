import type { FieldIssues } from "../../contract/errors.ts";
import type { eventTypes } from "../../contract/event-schemas.ts";
import type { events } from "../../contract/events.ts";
import type { InputOf } from "../../contract/operation.ts";
import { may } from "../pipeline/actor.ts";
import type { Ctx } from "../pipeline/context.ts";
import { referenceIssues } from "../pipeline/field-issues.ts";
import { requireAbilityIn, unitPath } from "../pipeline/permissions.ts";
import { type Audience, admitsMoreTypes, sharesOf } from "../visibility/audience.ts";
import { eventAbility } from "../visibility/event-visibility.ts";

type EventType = (typeof eventTypes)[number];

type EventReadersInput = Pick<InputOf<typeof events.update>, "type" | "units" | "userTypes" | "shares">;

export interface Readers {
  readonly type: EventType;
  readonly units: readonly number[];
  readonly userTypes: readonly number[];
  readonly shares: readonly number[];
  /** The unit whose editors may change the event; null for personal events. */
  readonly owner: number | null;
}

/** Returns the readers of an event after a change. Adds validation errors to `issues`. */
export async function planReaders(
  ctx: Ctx,
  input: EventReadersInput & { readonly type: EventType },
  issues: FieldIssues,
  before?: Readers,
): Promise<Readers> {
  const { type } = input;
  const shares = distinct(input.shares ? sharesOf(ctx, input.shares, before?.shares) : before?.shares);
  const personal = type === "user";
  const found = await referenceIssues(ctx, [
    ["units", "units", personal ? [] : input.units, before?.units],
    ["userTypes", "user_types", personal ? [] : input.userTypes, before?.userTypes],
    ["shares", "users", input.shares, before?.shares],
  ]);
  Object.assign(issues, found);
  if (personal) {
    for (const name of ["units", "userTypes"] as const) {
      if (input[name]?.length) issues[name] = ["must not be given for personal events"];
    }
    return { type, units: [], userTypes: [], shares, owner: null };
  }
  const named = input.units ?? before?.units ?? [];
  const stays = before?.type === type && input.units === undefined;
  const home = before?.owner ?? ctx.actor.unitId;
  const units = named.length > 0 || stays ? distinct(named) : [home].filter((id) => id !== null);
  const isOwnedByReaders = type === "unit" || (before?.owner == null && !(await mayPublishIn(ctx, home)));
  const firstUnit = units.find((id) => id === before?.owner) ?? named[0];
  const owner = (isOwnedByReaders ? firstUnit : undefined) ?? home;
  return { type, units, userTypes: distinct(input.userTypes ?? before?.userTypes), shares, owner };
}

/** Returns true when the actor has the ability in the unit. Otherwise the unit must not own the event. */
async function mayPublishIn({ db, actor }: Ctx, unit: number | null): Promise<boolean> {
  return actor.admin || (unit !== null && may(actor, eventAbility, await unitPath(db, unit)));
}

const distinct = (ids: readonly number[] = []) => [...new Set(ids)].sort((a, b) => a - b);

export function eventAudienceOf({ type, units, userTypes, shares, owner }: Readers) {
  const audience: Audience = {
    everywhere: false,
    units: units.map((id) => ({ id, falldown: type === "chain" })),
    userTypes,
    shares,
    group: null,
  };
  return { ...audience, ownerUnit: owner, personal: type === "user" };
}

/** Throws `forbidden` without the ability in a unit. Those of `before` may stay, unless more members are to read it. */
export async function requireEventPlaces({ db, actor }: Ctx, after: Readers, before?: Readers): Promise<void> {
  if (actor.admin || after.type === "user") return;
  const stays = before?.type === after.type && !admitsMoreTypes(before.userTypes, after.userTypes);
  const there = stays ? before.units : [];
  const asked = after.units.filter((id) => !there.includes(id));
  const rows = await db.selectFrom("units").select(["id", "path"]).where("id", "in", asked).orderBy("id").execute();
  requireAbilityIn(actor, eventAbility, rows);
}
