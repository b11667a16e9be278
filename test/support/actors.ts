import { afterAll, beforeAll, expect } from "vitest";
import type { ArgumentsOf, Caller, OutputOf } from "../../src/contract/operation.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { type Forgery, forgeries } from "./forgeries.ts";
import { type Environment, type Instance, newInstance, type Snapshot } from "./instance.ts";
import { arePasswordsQuick } from "./quick-passwords.ts";
import { mistakes } from "./tables.ts";

export type User = OutputOf<typeof users.create>;
export type Unit = OutputOf<typeof units.create>;

/** Names of the callers. The manager has `user`, `units` and `usertypes` in North and below; the attacker has tokens that are no good. */
export const actorNames = ["administrator", "manager", "member", "outsider", "deactivated", "attacker"] as const;
export type ActorName = (typeof actorNames)[number];

/**
 * Acme (1) has the branches North, with Harbour and the empty Yard, and South. The manager is a member of North, the
 * member, the colleague and the deactivated user of Harbour, the outsider of South; the boss, an administrator, of North.
 */
export interface World {
  readonly instance: Instance;
  readonly actors: Record<ActorName, Caller>;
  /** Without a token. */
  readonly stranger: Caller;
  readonly ids: Record<
    "administrator" | "boss" | "manager" | "member" | "colleague" | "outsider" | "deactivated",
    number
  >;
  readonly units: Record<"root" | "north" | "harbour" | "yard" | "south", number>;
  /** Department of Harbour. */
  readonly cranes: number;
  /** Manager grants user, units and usertypes; Editor news, which the manager has not; Employee nothing. */
  readonly types: Record<"manager" | "editor" | "employee", number>;
  readonly forged: readonly Forgery[];
  /** Adds a user, to Harbour unless told otherwise; names, address and password come by themselves. */
  addUser(fields?: Partial<ArgumentsOf<typeof users.create>>): Promise<User>;
  /** Adds a unit, to North unless told otherwise. */
  addUnit(fields?: Partial<ArgumentsOf<typeof units.create>>): Promise<Unit>;
}

/** The password of users with one. */
export const password = "a good long password";

/** A world for the suite that calls this; at its end all that is counted twice has to agree. */
export function useWorld(environment: Environment): () => World {
  let world: World | undefined;
  beforeAll(async () => {
    world = await newWorld(environment);
  });
  afterAll(async () => {
    if (world === undefined) return;
    const found = await mistakes(world.instance.database);
    await world.instance.close();
    expect(found).toEqual([]);
  });
  return () => world!;
}

/** The database that all worlds start with; made once per worker, because copying it is much faster. */
interface Population extends Pick<World, "ids" | "units" | "cranes" | "types" | "forged"> {
  readonly snapshot: Snapshot;
  readonly tokens: Record<"manager" | "member" | "outsider" | "deactivated", string>;
}

const populations = new Map<string, Promise<Population>>();

/** Makes a world. The clocks of all that a worker makes stand at the same time. */
export async function newWorld(environment: Environment): Promise<World> {
  const { database } = environment;
  const key = `${database} ${arePasswordsQuick() ? "quick" : "usual"}`;
  const made = populations.get(key) ?? populate({ database, caller: "local" });
  populations.set(key, made);
  const { snapshot, tokens, ...population } = await made;
  const instance = await newInstance(environment, { snapshot });
  // A suite that ends a token puts in another one.
  const actors = {
    administrator: instance.administrator,
    manager: instance.withToken(tokens.manager),
    member: instance.withToken(tokens.member),
    outsider: instance.withToken(tokens.outsider),
    deactivated: instance.withToken(tokens.deactivated),
    attacker: attacker(instance, population.forged),
  };
  const adding = additions(() => actors.administrator, population.units, 100);
  return { ...population, ...adding, instance, actors, stranger: instance.withToken(undefined) };
}

/** Returns functions that add units and users with numbers from `first` on in their names. */
function additions(
  administrator: () => Caller,
  places: World["units"],
  first: number,
): Pick<World, "addUnit" | "addUser"> {
  let number = first;
  return {
    addUnit(fields) {
      const name = `Unit ${number++}`;
      return administrator().call(units.create, { name, parent: places.north, ...fields });
    },
    addUser(fields) {
      const names = { first_name: "Given", last_name: `Family${number}`, email: `user${number}@example.com` };
      number += 1;
      return administrator().call(users.create, { ...names, unit: places.harbour, ...fields });
    },
  };
}

async function populate(environment: Environment): Promise<Population> {
  const instance = await newInstance(environment);
  instance.freeze();
  const { administrator } = instance;
  const types = await addTypes(administrator);
  const places = await addUnits(administrator);
  const { addUser } = additions(() => administrator, places, 1);
  const person = async (first_name: string, fields: Parameters<typeof addUser>[0]) =>
    (await addUser({ first_name, email: `${first_name.toLowerCase()}@example.com`, ...fields })).id;
  const ids = {
    administrator: 1,
    boss: await person("Boss", { unit: places.north, admin: true }),
    manager: await person("Manager", { unit: places.north, userTypes: [types.manager] }),
    member: await person("Member", { userTypes: [types.employee], password, phone: "123", birthday: "1990-06-15" }),
    colleague: await person("Colleague", { phone: "456", birthday: "1980-07-01", reference: "colleague" }),
    outsider: await person("Outsider", { unit: places.south, phone: "789", reference: "outsider" }),
    deactivated: await person("Deactivated", {}),
  };
  const { id: cranes } = await administrator.call(units.departmentAdd, { id: places.harbour, name: "Cranes" });
  const deactivated = await instance.tokenOf(ids.deactivated);
  const forged = [...(await forgeries(instance)).forged, ...(await stale(instance, addUser))];
  await administrator.call(users.deactivate, { id: ids.deactivated });
  const tokens = {
    manager: await instance.tokenOf(ids.manager),
    member: await instance.tokenOf(ids.member),
    outsider: await instance.tokenOf(ids.outsider),
    deactivated,
  };
  return { snapshot: await instance.snapshot(), tokens, ids, units: places, cranes, types, forged };
}

async function addTypes(administrator: Caller): Promise<World["types"]> {
  const add = async (name: string, abilities: ArgumentsOf<typeof usertypes.create>["abilities"]) =>
    (await administrator.call(usertypes.create, { name, reference: name.toLowerCase(), abilities })).id;
  return {
    manager: await add("Manager", { user: true, units: true, usertypes: true }),
    editor: await add("Editor", { news: true }),
    employee: await add("Employee", {}),
  };
}

async function addUnits(administrator: Caller): Promise<World["units"]> {
  const add = async (name: string, parent: number) =>
    (await administrator.call(units.create, { name, parent, reference: name.toLowerCase() })).id;
  const north = await add("North", 1);
  return {
    root: 1,
    north,
    harbour: await add("Harbour", north),
    yard: await add("Yard", north),
    south: await add("South", 1),
  };
}

/** Tokens that were good once: of a deleted user, and from before a change of the password. */
async function stale(instance: Instance, addUser: World["addUser"]): Promise<Forgery[]> {
  const { administrator } = instance;
  const { id: gone } = await addUser({ admin: true });
  const { id: changed } = await addUser({ admin: true });
  const tokens = [
    { name: "of a deleted user", token: await instance.tokenOf(gone) },
    { name: "of before the password changed", token: await instance.tokenOf(changed) },
  ];
  await administrator.call(users.delete, { id: gone });
  await administrator.call(users.password, { id: changed, password });
  // Left as an administrator, it would do away with what is said of the last one.
  await administrator.call(users.update, { id: changed, admin: false });
  return tokens;
}

/** Calls with the bad tokens in turn. */
function attacker(instance: Instance, forged: readonly Forgery[]): Caller {
  const callers = forged.map(({ token }) => instance.withToken(token));
  let turn = 0;
  return {
    call(op, input, options) {
      turn = (turn + 1) % callers.length;
      // There are always some.
      return callers[turn]!.call(op, input, options);
    },
    async close() {
      await Promise.all(callers.map((caller) => caller.close()));
    },
  };
}
