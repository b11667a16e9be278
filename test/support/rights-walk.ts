import fc from "fast-check";
import { groups } from "../../src/contract/groups.ts";
import { type Ability, type ArgumentsOf, abilities, type Caller } from "../../src/contract/operation.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import type { Identity } from "../../src/core/service.ts";
import { type Outcome, outcome } from "./outcome.ts";

/** The things that the attacker may use, also those made during the walk. */
export interface Walk {
  readonly units: { id: number; reference: string }[];
  readonly types: { id: number; name: string }[];
  readonly users: { id: number; reference: string }[];
  readonly groups: number[];
  /** Provider of some of the users. */
  readonly provider: string;
  /** Users as whom the attacker can act. */
  readonly sessions: Set<number>;
  /** API tokens of the attacker, by the ID of their service account. */
  readonly tokens: Map<number, string>;
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
const roleOf = (flag: boolean) =>
  (flag ? "administrator" : "member") satisfies ArgumentsOf<typeof groups.memberSet>["role"];
const privacyOf = (flag: boolean) =>
  (flag ? "public" : "private") satisfies ArgumentsOf<typeof groups.update>["privacy"];
const idOf = (answer: unknown) => (answer as { id: number }).id;
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
  profile: async (walk, { user, type }, as) => {
    const someone = pick(walk.users, user);
    const reference = walk.next();
    const fields = pick([{ reference }, { admin: true }, { provider: walk.provider }, { provider: "local" }], type);
    const result = await outcome(as.call(users.update, { id: someone.id, ...fields }));
    if ("answer" in result && "reference" in fields) someone.reference = reference;
    return result;
  },
  create: async (walk, step, as) => {
    const { unit, flag, by } = step;
    const name = walk.next();
    const userTypes = typesOf(walk, step).map((type) => type.id);
    const person = { first_name: "New", last_name: name, email: mail(name), reference: name, userTypes };
    const admin = flag && by % 5 === 0;
    const result = await outcome(as.call(users.create, { ...person, unit: pick(walk.units, unit).id, admin }));
    if ("answer" in result) addUser(walk, idOf(result.answer), name);
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
    if ("answer" in result) walk.units.push({ id: idOf(result.answer), reference });
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
    if ("answer" in result) walk.types.push({ id: idOf(result.answer), name });
    return result;
  },
  redefine: (walk, { type, bits }, as) =>
    outcome(as.call(usertypes.update, { id: pick(walk.types, type).id, abilities: flags(bits) })),
  deactivateMissing: (walk, { unit, bits, flag }, as) => {
    const scope = flag ? { provider: walk.provider } : { unit: pick(walk.units, unit).id };
    const present = chosen(walk.users, bits).map(({ id }) => id);
    return outcome(as.call(users.deactivateMissing, { ...scope, present, max_removals: "100%" }));
  },
  createMachine: async (walk, step, as) => {
    const reference = walk.next();
    const userTypes = typesOf(walk, step).map((type) => type.id);
    const machine = { first_name: "New", last_name: reference, reference, service: true, userTypes };
    const result = await outcome(as.call(users.create, { ...machine, unit: pick(walk.units, step.unit).id }));
    // Without a token of it, the attacker cannot act as the service account.
    if ("answer" in result) walk.users.push({ id: idOf(result.answer), reference });
    return result;
  },
  issueToken: async (walk, { user }, as) => {
    const owner = pick(walk.users, user).id;
    const result = await outcome(as.call(tokens.create, { name: walk.next(), scopes: ["write"], owner }));
    if ("answer" in result) {
      if (!walk.sessions.has(owner)) walk.tokens.set(owner, (result.answer as { token: string }).token);
      walk.sessions.add(owner);
    }
    return result;
  },
  foundGroup: async (walk, { flag }, as) => {
    const result = await outcome(as.call(groups.create, { name: walk.next(), privacy: privacyOf(flag) }));
    if ("answer" in result) walk.groups.push(idOf(result.answer));
    return result;
  },
  joinGroup: (walk, { by, user, unit, flag, type }, as) => {
    const someone = type % 2 === 0 ? pick([...walk.sessions], by) : pick(walk.users, user).id;
    return outcome(as.call(groups.memberAdd, { id: pick(walk.groups, unit), user: someone, role: roleOf(flag) }));
  },
  changeRole: (walk, { user, unit, flag }, as) => {
    const member = { id: pick(walk.groups, unit), user: pick(walk.users, user).id };
    return outcome(as.call(groups.memberSet, { ...member, role: roleOf(flag) }));
  },
  leaveGroup: (walk, { user, unit }, as) =>
    outcome(as.call(groups.memberRemove, { id: pick(walk.groups, unit), user: pick(walk.users, user).id })),
  changeGroup: (walk, { unit, flag }, as) =>
    outcome(as.call(groups.update, { id: pick(walk.groups, unit), privacy: privacyOf(flag) })),
} satisfies Record<string, Act>;

type ImportAnswer = { results: { action: string; id: number | null }[] };

function addUser(walk: Walk, id: number, reference: string): void {
  walk.users.push({ id, reference });
  walk.sessions.add(id);
}

/** Returns the user as whom the attacker takes a step. */
export const actorOf = (walk: Walk, { by }: Step): number => pick([...walk.sessions], by);

/** Carries out a step as one of the attacker's users. */
export function take(walk: Walk, step: Step, callerOf: (identity: Identity) => Caller): Promise<Outcome> {
  const userId = actorOf(walk, step);
  const token = walk.tokens.get(userId);
  return (steps[step.do] as Act)(walk, step, callerOf(token === undefined ? { userId } : { token }));
}

const often = [
  ...(["join", "change", "move", "move", "dissolve", "dissolve", "importUnits"] as const),
  ...(["joinGroup", "joinGroup", "changeRole", "deactivateMissing", "issueToken"] as const),
];
const which = fc.nat(29);
export const anyStep: fc.Arbitrary<Step> = fc.record({
  // Operations that move rights are chosen more often than those that sign in.
  do: fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[]), ...often),
  by: which,
  user: which,
  unit: which,
  other: which,
  type: which,
  bits: fc.nat(127),
  flag: fc.boolean(),
});
