import { type FieldErrors, ServiceError } from "../../contract/errors.ts";
import type { eventTypes } from "../../contract/event-forms.ts";
import { isAmong } from "../../store/dialect.ts";
import { type Audience, audienceMistakes } from "../audience.ts";
import type { Ctx } from "../context.ts";
import { may } from "../permissions.ts";
import { ability } from "./finding.ts";

export type EventType = (typeof eventTypes)[number];

/** Whom an event is for, as the input says it. */
export interface ReadersInput {
  readonly type?: EventType | undefined;
  readonly units?: readonly number[] | undefined;
  readonly userTypes?: readonly number[] | undefined;
  readonly shares?: readonly number[] | undefined;
}

/** Whom an event is for. */
export interface Readers {
  readonly type: EventType;
  readonly units: readonly number[];
  readonly userTypes: readonly number[];
  readonly shares: readonly number[];
  /** The unit whose editors may change it; none of a personal one. */
  readonly owner: number | null;
}

/** Whom an event is to be for. What is wrong goes into `mistakes`. */
export async function planReaders(
  ctx: Ctx,
  input: ReadersInput & { readonly type: EventType },
  mistakes: FieldErrors,
  before?: Readers,
): Promise<Readers> {
  const { type } = input;
  const shares = distinct(input.shares ?? before?.shares);
  const added = (ids: readonly number[] = [], known: readonly number[] = []) => ids.filter((id) => !known.includes(id));
  const personal = type === "user";
  const asked = {
    units: personal ? [] : added(input.units, before?.units),
    userTypes: personal ? [] : added(input.userTypes, before?.userTypes),
    shares: added(input.shares, before?.shares),
  };
  Object.assign(
    mistakes,
    await audienceMistakes(ctx, asked, { units: "units", userTypes: "userTypes", shares: "shares" }),
  );
  if (personal) {
    for (const name of ["units", "userTypes"] as const) {
      if (input[name]?.length) mistakes[name] = ["must not be given: the event is personal"];
    }
    return { type, units: [], userTypes: [], shares, owner: null };
  }
  const named = input.units ?? before?.units ?? [];
  const stays = before?.type === type && input.units === undefined;
  const units = named.length > 0 || stays ? distinct(named) : [ctx.actor.unitId].filter((id) => id !== null);
  if (type === "unit" && units.length > 1) {
    mistakes.units = [...(mistakes.units ?? []), "must name one unit only: the event is of a unit"];
  }
  const owner = (type === "unit" ? units[0] : undefined) ?? before?.owner ?? ctx.actor.unitId;
  return { type, units, userTypes: distinct(input.userTypes ?? before?.userTypes), shares, owner };
}

const distinct = (ids: readonly number[] = []) => [...new Set(ids)].sort((a, b) => a - b);

/** The audience that is kept of readers. */
export function audienceOf({ type, units, userTypes, shares, owner }: Readers) {
  const audience: Audience = {
    everywhere: false,
    units: units.map((id) => ({ id, falldown: type === "chain" })),
    userTypes,
    shares,
    group: null,
  };
  return { ...audience, ownerUnit: owner, personal: type === "user" };
}

/** Refuses to publish in units where the actor has no say; of the same type in those that were there `before` it may stay. */
export async function requirePlaces({ db, actor }: Ctx, after: Readers, before?: Readers): Promise<void> {
  if (actor.admin || after.type === "user") return;
  const there = before?.type === after.type ? before.units : [];
  const asked = after.units.filter((id) => !there.includes(id));
  const rows = await db
    .selectFrom("units")
    .select(["id", "path"])
    .where((eb) => isAmong(db, eb.ref("id"), asked))
    .orderBy("id")
    .execute();
  const missing = rows.filter(({ path }) => !may(actor, ability, path)).map(({ id }) => id);
  if (missing.length === 0) return;
  throw new ServiceError(
    "forbidden",
    `This needs the ability ${ability} in these units, or above them: ${missing.join(", ")}.`,
  );
}
