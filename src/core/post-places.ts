import { insertRows } from "../store/bulk.ts";
import type { Db } from "../store/database.ts";
import { prepared } from "../store/prepared.ts";
import type { Audience } from "./audience.ts";
import type { Ctx } from "./context.ts";
import type { Actor } from "./permissions.ts";
import { branchEnd } from "./unit-tree.ts";

/** Where posts are found: each is in one place for everybody whom the rule of who may read may let through. */
export const place = {
  everywhere: "*",
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
  readonly owner: number;
}

/** All places of a post. */
export function placesOf({ everywhere, units, shares, group }: Audience, { author, owner }: Home): string[] {
  return [
    place.author(author),
    place.owner(owner),
    ...(everywhere ? [place.everywhere] : []),
    ...units.map(({ id, falldown }) => (falldown ? place.branch(id) : place.unit(id))),
    ...[...new Set(shares)].map(place.share),
    ...(group === null ? [] : [place.group(group)]),
  ];
}

/** Puts a post in these places, and in no others. */
export async function setPlaces(
  { db }: Ctx,
  { id: post_id, ...times }: { id: number; listed_at: number; updated_at: number },
  places: readonly string[],
): Promise<void> {
  await db.deleteFrom("post_places").where("post_id", "=", post_id).execute();
  await insertRows(
    db,
    "post_places",
    places.map((place) => ({ place, post_id, ...times })),
  );
}

/** When a unit goes: what it owned is another's, and its readers are gone. */
export async function handOverPlaces(db: Db, from: number, to: number): Promise<void> {
  const own = db.updateTable("post_places").set({ place: place.owner(to) });
  await own.where("place", "=", place.owner(from)).execute();
  await db
    .deleteFrom("post_places")
    .where("place", "in", [place.unit(from), place.branch(from)])
    .execute();
}

const groupsOf = prepared((db, p: { me: number }) =>
  db.selectFrom("group_members").select("group_id").where("user_id", "=", p.me),
);

/** Editors of more units find so much that there is no need to look in each. */
const mostOwners = 500;

/**
 * Where the actor finds all posts that he may read, or only those that he may edit; undefined when he had better look at all
 * posts.
 */
export async function placesFor(ctx: Ctx, which: "readable" | "editable"): Promise<string[] | undefined> {
  const { actor, db } = ctx;
  const owners = await edited(ctx);
  if (owners === undefined) return undefined;
  const own = [place.author(actor.id), ...owners.map(place.owner)];
  if (which === "editable") return own;
  const groups = await groupsOf(db, { me: actor.id });
  return [
    ...own,
    place.everywhere,
    place.share(actor.id),
    ...actor.units.map(place.unit),
    ...actor.branch.map(place.branch),
    ...groups.map((row) => place.group(row.group_id)),
  ];
}

/** Units whose posts the actor edits; undefined when they are many. */
async function edited({ db, actor }: Ctx): Promise<number[] | undefined> {
  if (actor.admin) return undefined;
  const paths = reachOf(actor);
  if (paths.length === 0) return [];
  const rows = await db
    .selectFrom("units")
    .select("id")
    .where((eb) => eb.or(paths.map((path) => eb("path", ">=", path).and("path", "<", branchEnd(path)))))
    .limit(mostOwners + 1)
    .execute();
  return rows.length > mostOwners ? undefined : rows.map((row) => row.id);
}

function reachOf({ grants }: Actor): string[] {
  const edits = grants.filter(({ abilities }) => abilities.includes("news") || abilities.includes("calendar"));
  return [...new Set(edits.map((grant) => grant.path))];
}
