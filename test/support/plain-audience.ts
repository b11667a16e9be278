import fc from "fast-check";

/** An organisation and what is to be read in it; units, types, users and groups are named by their place in the lists. */
export interface Model {
  /** The parent of each unit but the first, by its place: always an earlier one. */
  readonly parents: readonly number[];
  /** The abilities of each user type. */
  readonly types: readonly (readonly ("news" | "calendar")[])[];
  readonly users: readonly PlainUser[];
  readonly groups: readonly (readonly number[])[];
  readonly things: readonly Thing[];
}

export interface PlainUser {
  readonly admin: boolean;
  readonly memberships: readonly { readonly unit: number; readonly types: readonly number[] }[];
}

export interface Thing {
  readonly author: number;
  readonly owner: number | null;
  readonly everywhere: boolean;
  readonly personal: boolean;
  readonly units: readonly { readonly unit: number; readonly falldown: boolean }[];
  readonly types: readonly number[];
  readonly shares: readonly number[];
  readonly group: number | null;
}

const sizes = { units: 6, types: 3, users: 5, groups: 2 };
const index = (count: number) => fc.nat(count - 1);
const some = (count: number, maxLength: number) => fc.uniqueArray(index(count), { maxLength });

const thing: fc.Arbitrary<Thing> = fc
  .record({
    author: index(sizes.users),
    owner: fc.option(index(sizes.units), { freq: 8 }),
    everywhere: fc.boolean(),
    personal: fc.boolean(),
    units: fc.uniqueArray(fc.record({ unit: index(sizes.units), falldown: fc.boolean() }), {
      maxLength: 3,
      selector: ({ unit }) => unit,
    }),
    types: fc.oneof(fc.constant([]), some(sizes.types, 2)),
    shares: fc.oneof(fc.constant([]), some(sizes.users, 2)),
    group: fc.option(index(sizes.groups), { freq: 1 }),
  })
  .map((made) => (made.personal ? { ...made, group: null } : made));

const user: fc.Arbitrary<PlainUser> = fc.record({
  admin: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 9),
  memberships: fc.uniqueArray(fc.record({ unit: index(sizes.units), types: some(sizes.types, 2) }), {
    minLength: 1,
    maxLength: 3,
    selector: ({ unit }) => unit,
  }),
});

export const models = (things: { minLength: number; maxLength: number }): fc.Arbitrary<Model> =>
  fc.record({
    parents: fc.tuple(...Array.from({ length: sizes.units - 1 }, (_, at) => fc.nat(at))),
    types: fc.array(fc.subarray(["news", "calendar"] as const), { minLength: sizes.types, maxLength: sizes.types }),
    users: fc.array(user, { minLength: sizes.users, maxLength: sizes.users }),
    groups: fc.array(some(sizes.users, 3), { minLength: sizes.groups, maxLength: sizes.groups }),
    things: fc.array(thing, things),
  });

/** Returns true when a unit is another one or below it. */
function isIn(model: Model, unit: number, above: number): boolean {
  return unit === above || (unit > 0 && isIn(model, model.parents[unit - 1]!, above));
}

/** Returns whether the thing is addressed to the user, by a plain form of the rule. */
export function isAddressed(model: Model, me: number, thing: Thing): boolean {
  const { admin, memberships } = model.users[me]!;
  if (thing.author === me || thing.shares.includes(me)) return true;
  if (thing.group !== null && model.groups[thing.group]!.includes(me)) return true;
  if (thing.personal) return false;
  if (admin) return true;
  const held = memberships.flatMap((membership) => membership.types);
  const hasType = thing.types.length === 0 || thing.types.some((type) => held.includes(type));
  const inUnit = memberships.some(({ unit: mine }) =>
    thing.units.some(({ unit, falldown }) => (falldown ? isIn(model, mine, unit) : mine === unit)),
  );
  return hasType && (thing.everywhere || inUnit);
}

/** Returns true for users with the ability in the owning unit; of something personal, for its author only. */
export function isEditor(model: Model, me: number, thing: Thing, ability: "news" | "calendar"): boolean {
  const { admin, memberships } = model.users[me]!;
  if (thing.personal) return thing.author === me;
  const { owner } = thing;
  const reaches = memberships.some(
    ({ unit, types }) =>
      owner !== null && isIn(model, owner, unit) && types.some((type) => model.types[type]!.includes(ability)),
  );
  return admin || reaches;
}
