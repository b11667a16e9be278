import fc from "fast-check";
import { type Ability, abilities, type Caller } from "../../src/contract/operation.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { type Outcome, outcome } from "./outcome.ts";

/** What the attacker may name: all that there is in the walk, new things included. */
export interface Walk {
  readonly units: { id: number; reference: string }[];
  readonly types: { id: number; name: string }[];
  readonly users: { id: number; reference: string }[];
  /** Users as whom the attacker can act. */
  readonly sessions: Set<number>;
  /** Returns a name that nothing has yet. */
  next(): string;
}

/** One operation of the attacker; numbers choose, modulo how many there are. */
export interface Step {
  readonly do: keyof typeof steps;
  readonly by: number;
  readonly user: number;
  readonly unit: number;
  readonly other: number;
  readonly type: number;
  readonly bits: number;
  readonly flag: boolean;
}

const pick = <T>(items: readonly T[], index: number): T => items[index % items.length]!;
/** The items whose bits are set. */
export const chosen = <T>(items: readonly T[], bits: number): T[] => items.filter((_, at) => (bits >> at) & 1);
export const flags = (bits: number): Partial<Record<Ability, boolean>> =>
  Object.fromEntries(abilities.map((ability, at) => [ability, ((bits >> at) & 1) === 1]));
/** One user type mostly, since the more there are the likelier the actor lacks something. */
const typesOf = ({ types }: Walk, { type, bits }: Step) => (bits % 4 === 0 ? chosen(types, bits) : [pick(types, type)]);
const mail = (name: string) => `${name}@attacker.example`;

type Act = (walk: Walk, step: Step, as: Caller) => Promise<Outcome>;

/** Notes that the attacker can sign in as the user, when the operation that sees to it was allowed. */
async function obtaining(walk: Walk, user: number, call: Promise<unknown>): Promise<Outcome> {
  const result = await outcome(call);
  if ("answer" in result) walk.sessions.add(user);
  return result;
}

const steps = {
  password: (walk, { user }, as) => {
    const { id } = pick(walk.users, user);
    return obtaining(walk, id, as.call(users.password, { id, password: "known to the attacker" }));
  },
  email: (walk, { user }, as) => {
    const { id } = pick(walk.users, user);
    return obtaining(walk, id, as.call(users.update, { id, email: mail(walk.next()) }));
  },
  profile: async (walk, { user, flag }, as) => {
    const someone = pick(walk.users, user);
    const reference = walk.next();
    const result = await outcome(
      as.call(users.update, { id: someone.id, ...(flag ? { admin: true } : { reference }) }),
    );
    if ("answer" in result && !flag) someone.reference = reference;
    return result;
  },
  create: async (walk, step, as) => {
    const { unit, flag, by } = step;
    const name = walk.next();
    const userTypes = typesOf(walk, step).map((type) => type.id);
    const person = { first_name: "New", last_name: name, email: mail(name), reference: name, userTypes };
    const admin = flag && by % 5 === 0;
    const result = await outcome(as.call(users.create, { ...person, unit: pick(walk.units, unit).id, admin }));
    if ("answer" in result) addUser(walk, (result.answer as { id: number }).id, name);
    return result;
  },
  end: (walk, { user, type }, as) => {
    const verb = pick(["delete", "deactivate", "reactivate", "reactivate"] as const, type);
    return outcome(as.call(users[verb], { id: pick(walk.users, user).id }));
  },
  join: (walk, step, as) =>
    outcome(
      as.call(users.membershipAdd, {
        user: pick(walk.users, step.user).id,
        unit: pick(walk.units, step.unit).id,
        userTypes: typesOf(walk, step).map((type) => type.id),
      }),
    ),
  change: (walk, step, as) => {
    const { user, unit, other, flag, type } = step;
    return outcome(
      as.call(users.membershipSet, {
        user: pick(walk.users, user).id,
        from: pick(walk.units, unit).id,
        unit: flag ? pick(walk.units, other).id : undefined,
        userTypes: type % 3 === 0 ? undefined : typesOf(walk, step).map((each) => each.id),
        overwrite: type % 3 === 1,
      }),
    );
  },
  leave: (walk, { user, unit }, as) =>
    outcome(as.call(users.membershipRemove, { user: pick(walk.users, user).id, unit: pick(walk.units, unit).id })),
  importUser: async (walk, step, as) => {
    const { user, unit, flag, type } = step;
    const email = mail(walk.next());
    const someone = flag ? pick(walk.users, user) : { id: 0, reference: walk.next() };
    const user_types = type % 2 === 0 ? undefined : typesOf(walk, step).map((each) => each.name);
    const person = { reference: someone.reference, first_name: "Im", last_name: "Port", email };
    const row = { ...person, unit: pick(walk.units, unit).reference, user_types: user_types?.join(";") };
    const result = await outcome(as.call(users.import, { rows: [row] }));
    const [done] = "answer" in result ? (result.answer as ImportAnswer).results : [];
    // The address is the attacker's, so that links to set a password go there.
    if (done?.action === "changed") walk.sessions.add(someone.id);
    if (done?.action === "created") addUser(walk, done.id!, someone.reference);
    return result;
  },
  found: async (walk, { unit }, as) => {
    const reference = walk.next();
    const input = { name: reference, reference, parent: pick(walk.units, unit).id };
    const result = await outcome(as.call(units.create, input));
    if ("answer" in result) walk.units.push({ id: (result.answer as { id: number }).id, reference });
    return result;
  },
  move: (walk, { unit, other }, as) =>
    outcome(as.call(units.move, { id: pick(walk.units, unit).id, parent: pick(walk.units, other).id })),
  dissolve: async (walk, { unit, other, flag }, as) => {
    const { id } = pick(walk.units, unit);
    const transfer = flag ? pick(walk.units, other).id : undefined;
    const result = await outcome(as.call(units.delete, { id, transfer }));
    const at = walk.units.findIndex((each) => each.id === id);
    if ("answer" in result) walk.units.splice(at, 1);
    return result;
  },
  importUnits: async (walk, { unit, other, user }, as) => {
    const reference = walk.next();
    const row = (child: string, parent: number) => ({
      reference: child,
      name: child,
      parent: pick(walk.units, parent).reference,
    });
    // A new unit, and two that move: the second below the first, perhaps.
    const moves = [row(pick(walk.units, unit).reference, other), row(pick(walk.units, user).reference, unit)];
    const result = await outcome(as.call(units.import, { rows: [row(reference, unit), ...moves] }));
    const [done] = "answer" in result ? (result.answer as ImportAnswer).results : [];
    if (done?.action === "created") walk.units.push({ id: done.id!, reference });
    return result;
  },
  invent: async (walk, { bits }, as) => {
    const name = walk.next();
    const result = await outcome(as.call(usertypes.create, { name, abilities: flags(bits) }));
    if ("answer" in result) walk.types.push({ id: (result.answer as { id: number }).id, name });
    return result;
  },
  redefine: (walk, { type, bits }, as) =>
    outcome(as.call(usertypes.update, { id: pick(walk.types, type).id, abilities: flags(bits) })),
} satisfies Record<string, Act>;

type ImportAnswer = { results: { action: string; id: number | null }[] };

function addUser(walk: Walk, id: number, reference: string): void {
  walk.users.push({ id, reference });
  walk.sessions.add(id);
}

/** Carries out a step as one of the attacker's users. */
export function take(walk: Walk, step: Step, callerOf: (user: number) => Caller): Promise<Outcome> {
  return (steps[step.do] as Act)(walk, step, callerOf(pick([...walk.sessions], step.by)));
}

const often = ["join", "change", "move", "move", "dissolve", "dissolve", "importUnits"] as const;
const which = fc.nat(29);
export const anyStep: fc.Arbitrary<Step> = fc.record({
  // What moves rights comes more often than what signs in.
  do: fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[]), ...often),
  by: which,
  user: which,
  unit: which,
  other: which,
  type: which,
  bits: fc.nat(127),
  flag: fc.boolean(),
});
