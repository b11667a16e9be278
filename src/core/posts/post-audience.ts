import type { FieldIssues } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { ContentType } from "../../contract/post-schemas.ts";
import type { posts } from "../../contract/posts.ts";
import type { Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import { referenceIssues } from "../pipeline/field-issues.ts";
import { requireAbilityIn } from "../pipeline/permissions.ts";
import { type Audience, admitsMoreTypes, loadAudience, sharesOf } from "../visibility/audience.ts";
import { abilityFor } from "../visibility/post-visibility.ts";

type PostReadersInput = Partial<Pick<InputOf<typeof posts.create>, "visibility" | "sharing">>;

/** The type of a post and the unit and group it belongs to. */
export interface Home {
  readonly content_type: ContentType;
  readonly owner: number;
  readonly group: number | null;
}

/** Returns the audience that the fields of a new post change: its own unit and, unless it is a debate, all units below, if they name none. */
export function initialAudience({ content_type, owner, group }: Home, { visibility = {} }: PostReadersInput): Audience {
  const { all_units, units, units_falldown } = visibility;
  const isOwn = group === null && !all_units && units === undefined && units_falldown === undefined;
  const own = { id: owner, falldown: content_type !== "debate" };
  return { everywhere: false, units: isOwn ? [own] : [], userTypes: [], shares: [], group };
}

export async function postAudienceOf(
  db: Db,
  post: { audience_id: number; everywhere: number; group_id: number | null },
): Promise<Audience> {
  const { units, userTypes, shares } = await loadAudience(db, post.audience_id);
  return {
    everywhere: post.everywhere === 1,
    units: units.map(({ id, falldown }) => ({ id, falldown: falldown === 1 })),
    userTypes: userTypes.map((type) => type.id),
    shares,
    group: post.group_id,
  };
}

export function changedAudience(
  ctx: Ctx,
  before: Audience,
  { visibility = {}, sharing = {} }: PostReadersInput,
): Audience {
  const { all_units = before.everywhere, units, units_falldown, userTypes = before.userTypes } = visibility;
  const unitsBefore = (falldown: boolean) =>
    before.units.filter((unit) => unit.falldown === falldown).map(({ id }) => id);
  return {
    everywhere: all_units,
    units: mergeUnits(units ?? unitsBefore(false), units_falldown ?? unitsBefore(true)),
    userTypes,
    shares: sharing.shares ? sharesOf(ctx, sharing.shares, before.shares) : before.shares,
    group: before.group,
  };
}

/** Returns each unit once. A unit in both lists includes the units below it. */
function mergeUnits(exact: readonly number[], falldown: readonly number[]): Audience["units"] {
  const below = new Set(falldown);
  return [
    ...[...below].map((id) => ({ id, falldown: true })),
    ...[...new Set(exact)].filter((id) => !below.has(id)).map((id) => ({ id, falldown: false })),
  ];
}

/** Returns the validation errors of the audience; references that were in it `before` are not checked again. */
export async function readerIssues(
  ctx: Ctx,
  { visibility = {}, sharing = {} }: PostReadersInput,
  before?: Audience,
): Promise<FieldIssues> {
  const units = before?.units.map(({ id }) => id);
  return referenceIssues(ctx, [
    ["visibility.units", "units", visibility.units, units],
    ["visibility.userTypes", "user_types", visibility.userTypes, before?.userTypes],
    ["sharing.shares", "users", sharing.shares, before?.shares],
    ["visibility.units_falldown", "units", visibility.units_falldown, units],
  ]);
}

const unitsAndRoot = prepared((db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("units")
    .select(["id", "path"])
    .where((eb) => eb.or([eb("id", "in", p.ids), eb("parent_id", "is", null)]))
    .orderBy("id"),
);

/** Throws `forbidden` without the ability in a unit. Those of `before` may stay, unless more members are to read it. */
export async function requirePostPlaces(ctx: Ctx, content_type: ContentType, after: Audience, old?: Audience) {
  const { actor, db } = ctx;
  const before = old && admitsMoreTypes(old.userTypes, after.userTypes) ? undefined : old;
  const known = new Map(before?.units.map(({ id, falldown }) => [id, falldown]));
  const added = after.units.filter(({ id, falldown }) => !known.has(id) || (falldown && !known.get(id)));
  const own = new Set(content_type === "debate" ? actor.units : []);
  const asked = added.filter(({ id, falldown }) => falldown || !own.has(id)).map(({ id }) => id);
  const everywhere = after.everywhere && !before?.everywhere;
  if (actor.admin || (asked.length === 0 && !everywhere)) return;
  const rows = await unitsAndRoot(db, { ids: asked });
  requireAbilityIn(
    actor,
    abilityFor(content_type),
    rows.filter(({ id }) => everywhere || asked.includes(id)),
  );
}
