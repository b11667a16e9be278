import { expect, it } from "vitest";
import type { ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { users } from "../../src/contract/users.ts";
import { useWorld } from "../support/actors.ts";
import { describeEverywhere, describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

type Input = ArgumentsOf<typeof users.deactivateMissing>;

describeOnOneDatabase("users.deactivateMissing", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const run = (input: Input, by: Caller = admin(), dryRun = false) =>
    by.call(users.deactivateMissing, input, { dryRun });
  const isActive = async (id: number) => (await admin().call(users.get, { id })).active;
  let count = 0;
  /** Creates users of a new provider, in Harbour. */
  const people = async (number: number, fields: Parameters<ReturnType<typeof world>["addUser"]>[0] = {}) => {
    count += 1;
    const provider = `directory-${count}`;
    const ids: number[] = [];
    for (let at = 0; at < number; at++) {
      ids.push((await world().addUser({ provider, password: undefined, ...fields })).id);
    }
    return { provider, ids };
  };

  it("deactivates users who are not present, ends their sessions and tokens, and deactivates nobody twice", async () => {
    const { provider, ids } = await people(3);
    const [first = 0, second = 0, third = 0] = ids;
    const session = await world().instance.as(third);
    const input = { provider, present: [first, second], max_removals: "1" };
    const name = (await admin().call(users.get, { id: third })).name;
    const expected = { active: 3, deactivated: 1, kept: 0, users: [{ id: third, reference: null, name }] };
    expect(await run(input, admin(), true)).toEqual(expected);
    expect(await isActive(third)).toBe(true);
    expect(await run(input)).toEqual(expected);
    expect(await codeOf(session.call(users.current, {}))).toBe("unauthenticated");
    expect(await run(input)).toEqual({ active: 2, deactivated: 0, kept: 0, users: [] });
    expect(await Promise.all(ids.map(isActive))).toEqual([true, true, false]);
  });

  it("accepts exactly the allowed percentage, and deactivates nobody for one user more", async () => {
    const { provider, ids } = await people(40);
    const refused = await refusal(run({ provider, present: ids.slice(3) }));
    expect(refused).toMatchObject({
      code: "conflict",
      message: "3 users would be deactivated, more than the maximum of 5% of 40; nobody was deactivated.",
    });
    expect(await Promise.all(ids.slice(0, 3).map(isActive))).toEqual([true, true, true]);
    expect(await run({ provider, present: ids.slice(2) })).toMatchObject({ active: 40, deactivated: 2 });
    expect(await codeOf(run({ provider, present: ids.slice(5), max_removals: "2" }))).toBe("conflict");
    expect(await run({ provider, present: ids.slice(5), max_removals: "3" })).toMatchObject({ deactivated: 3 });
    expect(await codeOf(run({ provider, present: [] }))).toBe("conflict");
    expect(await run({ provider, present: [], max_removals: "100%" })).toMatchObject({ active: 35, deactivated: 35 });
  });

  it("keeps administrators, service accounts and the caller", async () => {
    const { addUser, instance, types } = world();
    const { id: unit } = await world().addUnit();
    const machine = { first_name: "A", last_name: "Machine", service: true, unit };
    const { id: account } = await admin().call(users.create, machine);
    const { id: boss } = await addUser({ unit, admin: true });
    const { id: caller } = await addUser({ unit, userTypes: [types.manager] });
    const { id: other } = await addUser({ unit });
    const by = await instance.as(caller);
    expect(await run({ unit, present: [], max_removals: "100%" }, by)).toMatchObject({
      active: 3,
      deactivated: 1,
      kept: 2,
      users: [{ id: other }],
    });
    expect(await Promise.all([account, boss, caller, other].map(isActive))).toEqual([true, true, true, false]);
  });

  it("the response lists at most 500 users, by ID", async () => {
    const { id: unit } = await world().addUnit({ reference: "many" });
    const person = (n: number) => ({
      first_name: "One",
      last_name: `Of ${1000 - n}`,
      email: `many${n}@example.com`,
      unit: "many",
    });
    await admin().call(users.import, { rows: Array.from({ length: 501 }, (_, n) => person(n)) });
    const { deactivated, users: listed } = await run({ unit, present: [], max_removals: "501" });
    expect({ deactivated, listed: listed.length }).toEqual({ deactivated: 501, listed: 500 });
    const ids = listed.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it("a unit selects the users whose first unit is that unit or below it", async () => {
    const { id: unit } = await world().addUnit();
    const { id: below } = await world().addUnit({ parent: unit });
    const { id: inside } = await world().addUser({ unit: below });
    const { id: outside } = await world().addUser();
    await admin().call(users.membershipAdd, { user: outside, unit });
    expect(await run({ unit, present: [], max_removals: "9" })).toMatchObject({ active: 1, users: [{ id: inside }] });
    expect(await isActive(outside)).toBe(true);
  });

  it("a manager of a part of the scope changes nobody", async () => {
    const { actors, units, addUser, types } = world();
    const { provider, ids } = await people(2);
    const { id: elsewhere } = await addUser({ provider, password: undefined, unit: units.south });
    const all = { provider, present: [], max_removals: "100%" };
    const refused = await refusal(run(all, actors.manager));
    expect(refused).toMatchObject({
      code: "forbidden",
      message: `You don't have the ability user in unit ${units.south}.`,
    });
    const few = { ...all, max_removals: "0" };
    expect(await codeOf(run(few, actors.manager)), "a count would tell how many there are").toBe("forbidden");
    expect(await Promise.all(ids.map(isActive))).toEqual([true, true]);
    const { id: editor } = await addUser({ provider, password: undefined, userTypes: [types.editor] });
    const near = { ...all, present: [elsewhere] };
    expect(await codeOf(run(near, actors.manager))).toBe("forbidden");
    expect(await Promise.all([...ids, editor].map(isActive))).toEqual([true, true, true]);
    expect(await run({ ...near, present: [elsewhere, editor] }, actors.manager)).toMatchObject({ deactivated: 2 });
  });

  it.each<[string, Partial<Input>, string[]]>([
    ["no scope", {}, ["unit"]],
    ["two scopes", { provider: "okta", unit: 1 }, ["unit"]],
    ["an unknown provider", { provider: "misspelt" }, ["provider"]],
    ["an unknown unit", { unit: 987_654 }, ["unit"]],
    ["the provider of service accounts", { provider: "service" }, ["provider"]],
    ["a negative maximum", { unit: 1, max_removals: "-1" }, ["max_removals"]],
    ["more than everybody", { unit: 1, max_removals: "101%" }, ["max_removals"]],
    ["a maximum that is no number", { unit: 1, max_removals: "few" }, ["max_removals"]],
    ["two mistakes", { max_removals: "few" }, ["max_removals", "unit"]],
  ])("%s is refused", async (_, wrong, fields) => {
    expect(await wrongFields(run({ present: [], ...wrong }))).toEqual(fields);
  });

  it("a provider whose users are all deactivated is known, and a unit may have no users", async () => {
    const { provider } = await people(1);
    expect(await run({ provider, present: [], max_removals: "1" })).toMatchObject({ active: 1, deactivated: 1 });
    const { id: unit } = await world().addUnit();
    for (const scope of [{ provider }, { unit }])
      expect(await run({ ...scope, present: [] })).toEqual({ active: 0, deactivated: 0, kept: 0, users: [] });
  });
});

describeEverywhere("users.deactivateMissing of a provider", (environment) => {
  const world = useWorld(environment);

  it("is refused without the ability user, also when nobody is missing", async () => {
    const { id } = await world().addUser({ provider: "directory", password: undefined });
    const { member, manager } = world().actors;
    const input = { provider: "directory", present: [id] };
    expect(await codeOf(member.call(users.deactivateMissing, input))).toBe("forbidden");
    expect(await manager.call(users.deactivateMissing, input)).toMatchObject({ active: 1, deactivated: 0 });
  });
});
