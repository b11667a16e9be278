import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { groups } from "../../src/contract/groups.ts";
import type { Ability } from "../../src/contract/operation.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { tries } from "../support/effort.ts";
import { type Instance, newInstance } from "../support/instance.ts";
import { forbiddenChanges, type RightsState, readRights } from "../support/rights-state.ts";
import { actorOf, anyStep, chosen, flags, take, type Walk } from "../support/rights-walk.ts";
import { mistakes } from "../support/tables.ts";

/** An organisation: the parent of each unit after the first, abilities of types, and where users have which types. */
const organisation = fc.record({
  parents: fc.array(fc.nat(5), { minLength: 3, maxLength: 6 }),
  /** Few abilities each, so that there is something left to gain. */
  types: fc.array(
    fc.nat(6).map((ability) => 1 << ability),
    { minLength: 2, maxLength: 4 },
  ),
  /** The first user is the attacker, whom some others help. */
  users: fc.array(fc.array(fc.record({ unit: fc.nat(6), types: fc.nat(15) }), { minLength: 1, maxLength: 3 }), {
    minLength: 3,
    maxLength: 5,
  }),
  helpers: fc.subarray([2, 3, 4]),
  administrator: fc.boolean(),
  deactivated: fc.boolean(),
  /** The last user is a service account. */
  machine: fc.boolean(),
  /** For each group, if it is private and which users are members; the administrator made it. */
  groups: fc.array(fc.record({ isPrivate: fc.boolean(), members: fc.nat(31), administrator: fc.nat(4) }), {
    minLength: 1,
    maxLength: 3,
  }),
  /** The attacker administers users, units and user types there. */
  rules: fc.oneof(fc.constant(0), fc.nat(6)),
});
type Organisation = typeof organisation extends fc.Arbitrary<infer T> ? T : never;

/** The abilities of the sessions of the attacker and the helpers together, by the ID of the unit. */
type Reach = Map<number, Set<Ability>>;

const runs = { sqlite: 50, postgres: 20 };

for (const database of ["sqlite", "postgres"] as const) {
  describe(`rights (${database})`, () => {
    let instance: Instance;
    let count = 0;
    beforeAll(async () => {
      instance = await newInstance({ database, caller: "local" });
    });
    afterAll(async () => {
      const found = await mistakes(instance.database);
      await instance.close();
      expect(found).toEqual([]);
    });
    const next = () => `w${++count}`;

    async function build({ users: people, administrator, deactivated, machine, rules, ...rest }: Organisation) {
      const { parents, types } = rest;
      const { administrator: admin } = instance;
      const lists = { units: [], types: [], users: [], groups: [], sessions: new Set<number>() };
      const walk: Walk = { ...lists, tokens: new Map(), provider: next(), next };
      const root = { parent: 1 };
      for (const [at, parent] of [0, ...parents].entries()) {
        const above = at === 0 ? root : { parent: walk.units[parent % at]!.id };
        const reference = next();
        walk.units.push({
          reference,
          id: (await admin.call(units.create, { name: reference, reference, ...above })).id,
        });
      }
      for (const bits of types) {
        const name = next();
        walk.types.push({ name, id: (await admin.call(usertypes.create, { name, abilities: flags(bits) })).id });
      }
      const ruler = await admin.call(usertypes.create, {
        name: next(),
        abilities: { user: true, units: true, usertypes: true },
      });
      for (const [at, memberships] of people.entries()) {
        const reference = next();
        const unitAt = (index: number) => walk.units[index % walk.units.length]!.id;
        const places = new Map(
          memberships.map(({ unit, types }) => [unitAt(unit), chosen(walk.types, types).map((t) => t.id)]),
        );
        if (at === 0) places.set(unitAt(rules), [...(places.get(unitAt(rules)) ?? []), ruler.id]);
        const [first, ...others] = [...places];
        const account =
          machine && at === people.length - 1
            ? { service: true }
            : { email: `${reference}@example.com`, ...(at % 2 === 1 && { provider: walk.provider }) };
        const { id } = await admin.call(users.create, {
          first_name: "A",
          last_name: reference,
          ...account,
          reference,
          unit: first![0],
          userTypes: first![1],
          admin: administrator && at === 1,
        });
        for (const [unit, userTypes] of others) await admin.call(users.membershipAdd, { user: id, unit, userTypes });
        if (deactivated && at === 2) await admin.call(users.deactivate, { id });
        walk.users.push({ id, reference });
      }
      for (const { isPrivate, members, administrator: place } of rest.groups) {
        const privacy = isPrivate ? "private" : "public";
        const { id } = await admin.call(groups.create, { name: next(), privacy });
        for (const [at, user] of walk.users.entries()) {
          if (deactivated && at === 2) continue;
          const role = at > 0 && at === place ? "administrator" : "member";
          if ((members >> at) & 1) await admin.call(groups.memberAdd, { id, user: user.id, role });
        }
        walk.groups.push(id);
      }
      const isHelper = (at: number) =>
        rest.helpers.includes(at) && !(deactivated && at === 2) && !(machine && at === people.length - 1);
      for (const [at, { id }] of walk.users.entries()) if (at === 0 || isHelper(at)) walk.sessions.add(id);
      return walk;
    }

    /** Returns what these sessions may do now, in every unit. Those of deactivated and deleted users may do nothing. */
    async function reachOf({ sessions }: Walk) {
      const { reader } = instance.database;
      const grants = await reader
        .selectFrom("users as u")
        .innerJoin("memberships as m", "m.user_id", "u.id")
        .innerJoin("units as n", "n.id", "m.unit_id")
        .innerJoin("membership_user_types as mt", "mt.membership_id", "m.id")
        .innerJoin("user_types as t", "t.id", "mt.user_type_id")
        .select(["n.path", "t.abilities"])
        .where("u.active", "=", 1)
        .where("u.id", "in", [...sessions])
        .execute();
      const admins = await reader
        .selectFrom("users")
        .select("id")
        .where("admin", "=", 1)
        .where("active", "=", 1)
        .where("id", "in", [...sessions])
        .execute();
      const all = await reader.selectFrom("units").select(["id", "path", "parent_id"]).orderBy("level").execute();
      const reach: Reach = new Map();
      for (const { id, path } of all) {
        const above = grants.filter((grant) => path.startsWith(grant.path));
        reach.set(id, new Set(above.flatMap((grant) => JSON.parse(grant.abilities) as Ability[])));
      }
      return { reach, parents: new Map(all.map((unit) => [unit.id, unit.parent_id])), admins };
    }

    /**
     * A unit is known by its ID, wherever it is moved. `allowed` holds, for each, what the sessions had there when the walk
     * began; for a unit that is new, what they had there when it was new, which may not be more than allowed at its parent.
     */
    async function check(walk: Walk, allowed: Reach, step: unknown) {
      const { reach, parents, admins } = await reachOf(walk);
      const gained: string[] = admins.map(({ id }) => `user ${id} is an administrator`);
      for (const [id, now] of reach) {
        const before = allowed.get(id) ?? allowed.get(parents.get(id)!) ?? new Set();
        for (const ability of now) if (!before.has(ability)) gained.push(`${ability} in unit ${id}`);
        if (!allowed.has(id)) allowed.set(id, now);
      }
      expect(gained, JSON.stringify(step)).toEqual([]);
    }

    it("no sequence of allowed operations gives colluding users an ability in a unit where none of them had it", async () => {
      let done = 0;
      let tried = 0;
      const walks = fc.asyncProperty(
        organisation,
        fc.array(anyStep, { minLength: 10, maxLength: 50 }),
        async (start, list) => {
          const walk = await build(start);
          const { reach: allowed } = await reachOf(walk);
          let before: RightsState = await readRights(instance.database.reader, walk);
          for (const step of list) {
            const actor = actorOf(walk, step);
            const result = await take(walk, step, (identity) => instance.service.caller(identity));
            tried += 1;
            if ("answer" in result) done += 1;
            await check(walk, allowed, step);
            const after = await readRights(instance.database.reader, walk);
            expect(forbiddenChanges(before, after, actor), JSON.stringify(step)).toEqual([]);
            before = after;
          }
        },
      );
      await fc.assert(walks, { numRuns: tries(runs[database]) });
      // A service that refuses everything gives nothing away, either.
      expect(done / tried).toBeGreaterThan(0.1);
    });
  });
}
