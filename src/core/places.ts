import type { Ability } from "../contract/operation.ts";
import type { Db } from "../store/database.ts";
import { prepared } from "../store/prepared.ts";
import type { Audience } from "./audience.ts";
import type { Ctx } from "./context.ts";
import { branchEnd } from "./unit-tree.ts";

/**
 * Where posts and events are found: each is in one place for everybody whom the rule of who may read may let through, so that
 * nobody has to look at what is not for him.
 */
export const place = {
  everywhere: "*",
  /** For those who had better look at all that is not personal. */
  common: "c",
  /** For the members of a unit, and for those of units below it, too. */
  unit: (id: number) => `u${id}`,
  branch: (id: number) => `d${id}`,
  owner: (id: number) => `o${id}`,
  author: (id: number) => `a${id}`,
  share: (id: number) => `s${id}`,
  group: (id: number) => `g${id}`,
} as const;

interface Home {
  readonly author: number;
  readonly owner: number | null;
}

/** All places of what has that audience, but for `place.common`. */
export function placesOf(
  { everywhere, units, shares, group }: Pick<Audience, "everywhere" | "units" | "shares" | "group">,
  { author, owner }: Home,
): string[] {
  return [
    place.author(author),
    ...(owner === null ? [] : [place.owner(owner)]),
    ...(everywhere ? [place.everywhere] : []),
    ...units.map(({ id, falldown }) => (falldown ? place.branch(id) : place.unit(id))),
    ...[...new Set(shares)].map(place.share),
    ...(group === null ? [] : [place.group(group)]),
  ];
}

/** When a unit goes: what it owned is another's, and its readers are gone. */
export async function handOverPlaces(db: Db, from: number, to: number): Promise<void> {
  for (const table of ["post_places", "event_places"] as const) {
    const own = db.updateTable(table).set({ place: place.owner(to) });
    await own.where("place", "=", place.owner(from)).execute();
    await db
      .deleteFrom(table)
      .where("place", "in", [place.unit(from), place.branch(from)])
      .execute();
  }
}

const groupsOf = prepared((db, p: { me: number }) =>
  db.selectFrom("group_members").select("group_id").where("user_id", "=", p.me),
);

/** Where the actor finds all posts that he may read, or only those that he may edit; undefined as of `placesFor`. */
export async function placesOfPosts(ctx: Ctx, which: "readable" | "editable"): Promise<string[] | undefined> {
  const places = await placesFor(ctx, which, ["news", "calendar"]);
  if (places === undefined || which === "editable") return places;
  const groups = await groupsOf(ctx.db, { me: ctx.actor.id });
  return [...places, place.everywhere, ...groups.map((row) => place.group(row.group_id))];
}

/** Editors of more units find so much that there is no need to look in each. */
const mostOwners = 500;

/**
 * Where the actor finds all that he may edit by one of the abilities and, if it is `readable`, what is meant for him by his
 * units or shared with him. Undefined when he had better look at all that there is.
 */
export async function placesFor(
  ctx: Ctx,
  which: "readable" | "editable",
  abilities: readonly Ability[],
): Promise<string[] | undefined> {
  const { actor } = ctx;
  const owners = await edited(ctx, abilities);
  if (owners === undefined) return undefined;
  const own = [place.author(actor.id), ...owners.map(place.owner)];
  if (which === "editable") return own;
  return [...own, place.share(actor.id), ...actor.units.map(place.unit), ...actor.branch.map(place.branch)];
}

/** Units whose things the actor edits; undefined when they are many. */
async function edited({ db, actor }: Ctx, abilities: readonly Ability[]): Promise<number[] | undefined> {
  if (actor.admin) return undefined;
  const grants = actor.grants.filter((grant) => abilities.some((ability) => grant.abilities.includes(ability)));
  const paths = [...new Set(grants.map((grant) => grant.path))];
  if (paths.length === 0) return [];
  const rows = await db
    .selectFrom("units")
    .select("id")
    .where((eb) => eb.or(paths.map((path) => eb("path", ">=", path).and("path", "<", branchEnd(path)))))
    .limit(mostOwners + 1)
    .execute();
  return rows.length > mostOwners ? undefined : rows.map((row) => row.id);
}
