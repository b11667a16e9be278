import { sql } from "kysely";
import { createService } from "../../src/core/service.ts";
import { placeInFeed } from "../../src/core/visibility/feed-index.ts";
import { insertRows } from "../../src/store/bulk.ts";
import type { Database, Tx } from "../../src/store/database.ts";
import { isPostgres } from "../../src/store/dialect.ts";
import { openNewInstance } from "../support/new-instance.ts";

const maxUnitLevel = 8;
const base = 1_700_000_000;
const ofLastUnit = 600;
const isAmongFirst = (id: number) => id > 0 && id <= ofLastUnit;

export interface Size {
  readonly units: number;
  readonly posts: number;
}

/** Percentage of posts for all users. The others are for a unit, most of them with all below. */
export type Everywhere = number;

/**
 * An instance with so many units, eight deep, and so many posts, each owned by any of the units. The callers are the
 * administrator, a member of the last unit, and an editor of it and of what is above it up to the second level.
 */
export async function fillPosts(target: string, size: Size, everywhere: Everywhere) {
  const database = await openNewInstance(target, base);
  await database.write(async (tx) => {
    const paths = await addUnits(tx, size.units);
    await addPeople(tx, paths);
    await addPosts(tx, size, everywhere);
  });
  // PostgreSQL does it by itself, a while later.
  if (isPostgres(database.reader)) await sql`vacuum analyze`.execute(database.reader);
  return { database, ...callers(database) };
}

function callers(database: Database) {
  const service = createService({ database });
  const as = (userId: number) => service.caller({ userId });
  return { administrator: as(1), member: as(2), editor: as(3) };
}

async function addUnits(tx: Tx, count: number): Promise<string[]> {
  const wide = Math.max(2, Math.ceil(count ** (1 / maxUnitLevel)));
  const parentOf = (id: number) => Math.floor((id - 2) / wide) + 1;
  const descendants = new Array<number>(count + 1).fill(0);
  for (let id = count; id > 1; id -= 1) descendants[parentOf(id)]! += descendants[id]! + 1;
  const paths = ["", "/1/"];
  const rows = [];
  for (let id = 2; id <= count; id += 1) {
    const path = `${paths[parentOf(id)]}${id}/`;
    paths.push(path);
    const level = path.split("/").length - 3;
    rows.push({
      id,
      name: `Unit ${id}`,
      name_key: `unit ${id}`,
      parent_id: parentOf(id),
      path,
      level,
      descendant_count: descendants[id]!,
      created_at: base,
      updated_at: base,
    });
  }
  await insertRows(tx, "units", rows);
  await tx.updateTable("units").set({ descendant_count: descendants[1]! }).where("id", "=", 1).execute();
  return paths;
}

async function addPeople(tx: Tx, paths: readonly string[]): Promise<void> {
  const type = { id: 1, name: "Editor", name_key: "editor", abilities: '["news","calendar"]' };
  await insertRows(tx, "user_types", [type]);
  const last = paths.length - 1;
  const above = Number(paths[last]!.split("/").at(3));
  const places = [
    { user: 2, unit: last },
    { user: 3, unit: above },
  ];
  const person = { first_name: "Given", last_name: "Family", created_at: base, updated_at: base };
  const people = places.map(({ user, unit }) => {
    const email = `p${user}@example.com`;
    return { id: user, email, email_key: email, unit_id: unit, ...person };
  });
  await insertRows(tx, "users", people);
  const memberships = places.map(({ user, unit }) => ({ id: user + 1000, user_id: user, unit_id: unit }));
  await insertRows(tx, "memberships", memberships);
  await insertRows(tx, "membership_user_types", [{ membership_id: 1003, user_type_id: 1 }]);
}

async function addPosts(tx: Tx, { posts, units }: Size, everywhere: Everywhere): Promise<void> {
  for (let from = 1; from <= posts; from += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, posts - from + 1) }, (_, at) =>
      row(from + at, units, everywhere),
    );
    const audiences = rows.map((each) => each.audience);
    await insertRows(tx, "audiences", audiences);
    const audienceUnits = rows.flatMap((each) => each.units);
    await insertRows(tx, "audience_units", audienceUnits);
    await insertRows(
      tx,
      "posts",
      rows.map((each) => each.post),
    );
    await insertRows(
      tx,
      "post_places",
      rows.flatMap((each) => each.places),
    );
  }
}

/** A post with all that belongs to it: numbers that look as if they were drawn, and are the same each time. */
function row(id: number, unitCount: number, everywhere: Everywhere) {
  const drawn = (salt: number, below: number) => (Math.imul(id * 31 + salt, 2_654_435_761) >>> 8) % below;
  // Small or large: of the last unit, and for all, there is more than is ever looked at.
  const unit = isAmongFirst(id) ? unitCount : 1 + drawn(1, unitCount);
  const author_id = 4 + drawn(2, unitCount);
  const isForAll = everywhere > 0 && (isAmongFirst(id - ofLastUnit) || drawn(3, 10_000) < everywhere * 100);
  const falldown = drawn(4, 10) < 7 ? 1 : 0;
  const time = base + id * 10;
  const times = { post_id: id, listed_at: time, updated_at: time };
  const found = [
    placeInFeed.author(author_id),
    placeInFeed.owner(unit),
    isForAll ? placeInFeed.everywhere : falldown ? placeInFeed.branch(unit) : placeInFeed.unit(unit),
  ];
  return {
    audience: { id, author_id, owner_unit_id: unit, everywhere: isForAll ? 1 : 0 },
    units: isForAll ? [] : [{ audience_id: id, unit_id: unit, falldown }],
    places: found.map((place) => ({ place, ...times })),
    post: {
      id,
      audience_id: id,
      content_type: drawn(5, 5) === 0 ? "debate" : "news",
      title: `Post ${id}`,
      body: "Text ".repeat(100),
      draft: drawn(6, 50) === 0 ? 1 : 0,
      important: drawn(7, 50) === 0 ? 1 : 0,
      published_at: time,
      listed_at: time,
      created_at: time,
      updated_at: time,
    },
  };
}
