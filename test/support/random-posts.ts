import fc from "fast-check";
import { groups } from "../../src/contract/groups.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import type { Instance } from "./instance.ts";

/** A reader, with the sets that the rule of visibility depends on. */
export interface Person {
  readonly id: number;
  readonly admin: boolean;
  readonly units: ReadonlySet<number>;
  readonly types: ReadonlySet<number>;
  readonly groups: ReadonlySet<number>;
  /** Units where, and below which, the person edits. */
  readonly edits: { readonly news: ReadonlySet<number>; readonly calendar: ReadonlySet<number> };
  readonly caller: Caller;
}

/** A tree, people with memberships and types in it, and groups. */
export interface Society {
  readonly instance: Instance;
  readonly people: readonly Person[];
  readonly units: readonly number[];
  readonly parents: ReadonlyMap<number, number>;
  readonly types: readonly number[];
  readonly groups: readonly number[];
}

/** The same society each time: what is drawn are the posts. */
export async function newSociety(instance: Instance): Promise<Society> {
  const { administrator } = instance;
  const parents = new Map<number, number>();
  const places = [1];
  for (let count = 0; count < 9; count += 1) {
    const parent = places[Math.floor((count * 2) / 3)]!;
    const { id } = await administrator.call(units.create, { name: `Unit ${count}`, parent });
    places.push(id);
    parents.set(id, parent);
  }
  const type = async (name: string, abilities: object) =>
    (await administrator.call(usertypes.create, { name, abilities })).id;
  const types = [
    await type("Reader", {}),
    await type("Guest", {}),
    await type("Editor", { news: true }),
    await type("Planner", { calendar: true }),
  ];
  const group = async (name: string) => (await administrator.call(groups.create, { name })).id;
  const society = { instance, units: places, parents, types, groups: [await group("First"), await group("Second")] };
  const people: Person[] = [await person(society, 1, [])];
  for (let count = 0; count < 8; count += 1) people.push(await addPerson(society, count));
  return { ...society, people };
}

type Founding = Omit<Society, "people">;
interface Place {
  readonly unit: number;
  readonly types: readonly number[];
}

async function addPerson(society: Founding, count: number): Promise<Person> {
  const { instance, units: places, types } = society;
  const { administrator } = instance;
  const memberships: Place[] = [{ unit: places[(count * 5) % places.length]!, types: [types[count % 4]!] }];
  if (count % 3 === 0)
    memberships.push({ unit: places[(count * 7 + 3) % places.length]!, types: [types[(count + 1) % 4]!] });
  const [first, ...others] = memberships;
  const { id } = await administrator.call(users.create, {
    first_name: "Person",
    last_name: String(count),
    email: `person${count}@example.com`,
    unit: first!.unit,
    userTypes: [...first!.types],
  });
  const joined = others.filter(({ unit }) => unit !== first!.unit);
  for (const { unit, types } of joined) {
    await administrator.call(users.membershipAdd, { user: id, unit, userTypes: [...types] });
  }
  if (count % 2 === 0) {
    await administrator.call(groups.memberAdd, { id: society.groups[(count / 2) % 2]!, user: id });
  }
  return person(society, id, [first!, ...joined]);
}

async function person(society: Founding, id: number, memberships: readonly Place[]): Promise<Person> {
  const { instance, types } = society;
  const rows = await instance.database.reader
    .selectFrom("group_members")
    .select("group_id")
    .where("user_id", "=", id)
    .execute();
  const withType = (type: number) => memberships.filter((each) => each.types.includes(type)).map((each) => each.unit);
  return {
    id,
    admin: id === 1,
    units: new Set(id === 1 ? [1] : memberships.map((each) => each.unit)),
    types: new Set(memberships.flatMap((each) => each.types)),
    groups: new Set(rows.map((row) => row.group_id)),
    edits: { news: new Set(withType(types[2]!)), calendar: new Set(withType(types[3]!)) },
    caller: await instance.as(id),
  };
}

/** A post as it is drawn; what it names are numbers, taken modulo how many there are. */
export interface Drawn {
  readonly kind: "news" | "debate" | "event";
  readonly author: number;
  readonly owner: number;
  readonly everywhere: boolean;
  readonly units: readonly number[];
  readonly below: readonly number[];
  readonly types: readonly number[];
  readonly shares: readonly number[];
  readonly group: number | null;
  readonly state: "published" | "draft" | "scheduled" | "unpublished";
  readonly age: number;
  readonly important: boolean;
  readonly feed: boolean;
  readonly pin: "none" | "on" | "own" | "over";
  readonly seen: readonly number[];
  readonly bookmarked: readonly number[];
}

const which = fc.nat(11);
const some = (maxLength: number) => fc.array(which, { maxLength });
export const drawn: fc.Arbitrary<Drawn> = fc.record({
  kind: fc.constantFrom("news", "debate", "event"),
  author: which,
  owner: which,
  everywhere: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  units: some(2),
  below: some(2),
  types: some(2),
  shares: some(1),
  group: fc.option(fc.nat(1), { freq: 3 }),
  state: fc.oneof(
    { weight: 5, arbitrary: fc.constant("published" as const) },
    { weight: 1, arbitrary: fc.constantFrom("draft", "scheduled", "unpublished") },
  ),
  age: fc.nat(3),
  important: fc.boolean(),
  feed: fc.boolean(),
  pin: fc.constantFrom("none", "none", "on", "own", "over"),
  seen: some(3),
  bookmarked: some(2),
});

/** A post that was written, with all that a reader's list depends on. */
export interface Written extends Drawn {
  readonly id: number;
  readonly authorId: number;
  readonly ownerId: number;
  readonly at: number;
}

export const pick = <T>(from: readonly T[], index: number): T => from[index % from.length]!;

/** Writes a post as it was drawn: by the administrator, who may write anything, and then it becomes the author's. */
export async function write({ instance, people, ...society }: Society, post: Drawn): Promise<Written> {
  const { administrator } = instance;
  const inGroup = post.kind === "debate" && post.group !== null;
  const now = instance.now();
  const at = now - post.age;
  const shares = [...new Set(post.shares.map((index) => pick(people, index).id))].filter((id) => id !== 1);
  const { id } = await administrator.call(posts.create, {
    content_type: post.kind,
    title: "Drawn",
    unit: pick(society.units, post.owner),
    ...(inGroup
      ? { group: pick(society.groups, post.group) }
      : {
          visibility: {
            all_units: post.everywhere,
            units: post.units.map((index) => pick(society.units, index)),
            units_falldown: post.below.map((index) => pick(society.units, index)),
            userTypes: post.types.map((index) => pick(society.types, index)),
          },
        }),
    sharing: { shares },
    important: post.important,
    show_in_feed: post.feed,
    publish: publishing(post, at, now),
    ...(post.kind === "event" && { event: { datetime_start: "2026-06-01T10:00" } }),
  });
  const authorId = pick(people, post.author).id;
  await instance.database.write(async (tx) => {
    const { audience_id } = await tx
      .selectFrom("posts")
      .select("audience_id")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    await tx.updateTable("audiences").set({ author_id: authorId }).where("id", "=", audience_id).execute();
    const place = tx
      .updateTable("post_places")
      .set({ place: `a${authorId}` })
      .where("post_id", "=", id);
    await place.where("place", "=", "a1").execute();
    await tx.deleteFrom("post_marks").where("post_id", "=", id).execute();
    const pin = {
      pinned_main_feed: post.pin === "none" ? null : post.pin === "own" ? (0 as const) : (1 as const),
      pinned_until: post.pin === "over" ? now - 1 : null,
    };
    await tx.updateTable("posts").set(pin).where("id", "=", id).execute();
    for (const user of new Set([...post.seen, ...post.bookmarked].map((index) => pick(people, index).id))) {
      const has = (list: readonly number[]) => (list.some((index) => pick(people, index).id === user) ? now : null);
      const marks = { seen_at: has(post.seen), bookmarked_at: has(post.bookmarked) };
      await tx
        .insertInto("post_marks")
        .values({ post_id: id, user_id: user, ...marks })
        .execute();
    }
  });
  const kept = await instance.database.reader
    .selectFrom("posts")
    .select("listed_at")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return {
    ...post,
    group: inGroup ? post.group : null,
    id,
    authorId,
    ownerId: pick(society.units, post.owner),
    at: kept.listed_at,
  };
}

function publishing({ state }: Drawn, at: number, now: number) {
  switch (state) {
    case "published":
      return { publish_on: at };
    case "draft":
      return { status: false };
    case "scheduled":
      return { publish_on: now + 1000 };
    case "unpublished":
      return { publish_on: at - 10, unpublish_on: at - 5 };
  }
}

/** Returns true when the person may edit the post: by the ability in the owning unit or above it. */
export function mayEdit({ parents }: Society, person: Person, post: Written): boolean {
  if (person.admin || post.authorId === person.id) return true;
  const places = post.kind === "event" ? person.edits.calendar : person.edits.news;
  return upwards(parents, post.ownerId).some((unit) => places.has(unit));
}

/** Returns whether the person may read the post, by a plain form of the rule. */
export function mayRead(society: Society, person: Person, post: Written): boolean {
  if (mayEdit(society, person, post)) return true;
  if (post.state !== "published") return false;
  if (post.shares.some((index) => pick(society.people, index).id === person.id && person.id !== 1)) return true;
  if (post.group !== null) return person.groups.has(pick(society.groups, post.group));
  const types = post.types.map((index) => pick(society.types, index));
  if (types.length > 0 && !types.some((type) => person.types.has(type))) return false;
  const units = new Set(post.units.map((index) => pick(society.units, index)));
  const below = new Set(post.below.map((index) => pick(society.units, index)));
  return (
    post.everywhere ||
    [...person.units].some(
      (unit) => units.has(unit) || upwards(society.parents, unit).some((above) => below.has(above)),
    )
  );
}

/** A unit and all above it. */
function upwards(parents: ReadonlyMap<number, number>, unit: number): number[] {
  const parent = parents.get(unit);
  return parent === undefined ? [unit] : [unit, ...upwards(parents, parent)];
}
