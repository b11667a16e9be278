import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Ability } from "../../contract/operation.ts";
import { deleteRows, updateRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { beginsWith } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import type { Audience } from "./audience.ts";

/** Keys of a post or event in the feed index ("places"): they cover every user who may read it, so that a feed skips the rest. */
export const placeInFeed = {
  everywhere: "*",
  /** Contains everything that is not personal, for users whose other keys would cover most of it. */
  common: "c",
  /** `unit`: for members of that unit only; `branch`: for members of units below it, too. */
  unit: (id: number) => `u${id}`,
  branch: (id: number) => `d${id}`,
  owner: (id: number) => `o${id}`,
  author: (id: number) => `a${id}`,
  share: (id: number) => `s${id}`,
  group: (id: number) => `g${id}`,
} as const;

export const isOfMembers = (place: RawBuilder<unknown>) => sql<SqlBool>`substr(${place}, 1, 1) in ('u', 'd')`;

interface Home {
  readonly author: number;
  readonly owner: number | null;
}

/** Returns all places of content with that audience, except `placeInFeed.common`. */
export function placesOf({ everywhere, units, shares, group }: Audience, { author, owner }: Home): string[] {
  return [
    placeInFeed.author(author),
    ...(owner === null ? [] : [placeInFeed.owner(owner)]),
    ...(everywhere ? [placeInFeed.everywhere] : []),
    ...units.map(({ id, falldown }) => (falldown ? placeInFeed.branch(id) : placeInFeed.unit(id))),
    ...[...new Set(shares)].map(placeInFeed.share),
    ...(group === null ? [] : [placeInFeed.group(group)]),
  ];
}

/** Transfers content that a deleted unit owned to another unit, and removes the places of the unit's members. */
export async function transferContent(db: Db, from: number, to: number): Promise<void> {
  await updateRows(db, "audiences", { owner_unit_id: from }, { owner_unit_id: to });
  for (const table of ["post_places", "event_places"] as const) {
    await updateRows(db, table, { place: placeInFeed.owner(from) }, { place: placeInFeed.owner(to) });
    await deleteRows(db, table, { place: [placeInFeed.unit(from), placeInFeed.branch(from)] });
  }
}

const groupsOfUser = prepared((db, p: { me: number }) =>
  db.selectFrom("group_members").select("group_id").where("user_id", "=", p.me),
);

/** Returns the places of all posts that the actor may read, or edit; undefined in the same case as `placesFor`. */
export async function placesOfPosts(ctx: Ctx, which: "readable" | "editable"): Promise<string[] | undefined> {
  const places = await placesFor(ctx, which, ["news", "calendar"]);
  if (places === undefined || which === "editable") return places;
  const groups = await groupsOfUser(ctx.db, { me: ctx.actor.id });
  return [...places, placeInFeed.everywhere, ...groups.map((row) => placeInFeed.group(row.group_id))];
}

/** With more owned units than this, a scan of everything is faster than a search per unit. */
const maxOwners = 500;

/** Returns the places of content that the actor may edit with these abilities and, for `readable`, of content addressed to the actor; undefined when a scan is faster. */
export async function placesFor(
  ctx: Ctx,
  which: "readable" | "editable",
  abilities: readonly Ability[],
): Promise<string[] | undefined> {
  const { actor } = ctx;
  const owners = await editedUnits(ctx, abilities);
  if (owners === undefined) return undefined;
  const own = [placeInFeed.author(actor.id), ...owners.map(placeInFeed.owner)];
  if (which === "editable") return own;
  return [
    ...own,
    placeInFeed.share(actor.id),
    ...actor.units.map(placeInFeed.unit),
    ...actor.branch.map(placeInFeed.branch),
  ];
}

/** Counts the units of the largest of the branches at these paths, without listing them. */
const largestBranch = prepared((db, p: { paths: readonly string[] }) =>
  db
    .selectFrom("units")
    .select((eb) => sql<number>`coalesce(max(${eb.ref("descendant_count")} + 1), 0)`.as("units"))
    .where("path", "in", p.paths),
);

/** Returns the units whose content the actor may edit; undefined when there are more than `maxOwners`. */
async function editedUnits({ db, actor }: Ctx, abilities: readonly Ability[]): Promise<number[] | undefined> {
  if (actor.admin) return undefined;
  const grants = actor.grants.filter((grant) => abilities.some((ability) => grant.abilities.includes(ability)));
  const paths = [...new Set(grants.map((grant) => grant.path))];
  if (paths.length === 0) return [];
  const [largest] = await largestBranch(db, { paths });
  if (largest !== undefined && largest.units > maxOwners) return undefined;
  const rows = await db
    .selectFrom("units")
    .select("id")
    .where((eb) => eb.or(paths.map((path) => beginsWith("path", path))))
    .limit(maxOwners + 1)
    .execute();
  return rows.length > maxOwners ? undefined : rows.map((row) => row.id);
}
