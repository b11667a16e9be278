import { expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import { useWorld } from "../support/actors.ts";
import { counted } from "../support/counted.ts";
import { describeEverywhere } from "../support/instance.ts";
import { mistakes } from "../support/tables.ts";

describeEverywhere("users.import of many changed rows", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const places = ["harbour", "yard", "south"] as const;
  const place = (at: number) => places[at % places.length]!;
  /** Row number `at` of the import with that name. */
  const row = (name: string, at: number) => ({
    reference: `many-${at}`,
    first_name: `${name}${at}`,
    last_name: at % 2 === 0 ? "Kept" : `Married ${name}`,
    email: `${name}${at}@example.com`,
    unit: place(at),
    user_types: at % 2 === 0 ? "Employee" : "Employee;Editor",
    title: "Welder",
    provider: "local",
  });
  const count = 301;
  const rows = (change: (at: number) => object = () => ({})) =>
    Array.from({ length: count }, (_, at) => ({ ...row("a", at), ...change(at) }));
  const run = async (rows: Record<string, unknown>[]) => {
    const { results } = await admin().call(users.import, { rows });
    return [...new Set(results.map(({ action }) => action))];
  };
  const get = async (at: number) => admin().call(users.reference, { reference: `many-${at}` });

  it("makes each change, whatever the others change", async () => {
    const { units, types } = world();
    expect(await run(rows())).toEqual(["created"]);
    // A further membership, which the first one replaces when it moves there.
    for (const at of [1, 200]) {
      const further = units[place(at + 1)];
      await admin().call(users.membershipAdd, { user: (await get(at)).id, unit: further, userTypes: [types.manager] });
    }
    const changed = rows((at) => ({
      ...[{}, { title: "Diver" }, { first_name: `B${at}`, email: `b${at}@example.com` }, { phone: "1" }][at % 4],
      ...(at % 5 === 0 ? { user_types: "Manager" } : {}),
      ...(at % 10 < 2 ? { unit: place(at + 1), department: null } : { meta_field_0: "x" }),
      provider: at % 7 === 0 ? "okta" : "local",
    }));
    expect(await run(changed)).toEqual(["changed"]);
    expect(await run(changed)).toEqual(["unchanged"]);
    for (const at of [0, 1, 2, 77, 200, 300]) {
      const { unit, email, user_types, title, provider } = changed[at]!;
      const user = await get(at);
      expect(user).toMatchObject({ title, email, provider: [provider], unit: { id: units[unit as "yard"] } });
      expect(user.userTypes.map(({ name }) => name).sort()).toEqual(user_types.split(";").sort());
      expect(user.memberUnits.length).toBe(1);
    }
    expect((await admin().call(users.search, { q: "B298" })).data.map(({ id }) => id)).toEqual([(await get(298)).id]);
    expect((await admin().call(users.search, { q: "a298" })).data).toEqual([]);
    expect(await mistakes(world().instance.database)).toEqual([]);
  });

  it("takes statements for hundreds of rows, not for each", async () => {
    const { database } = world().instance;
    const watched = counted(database);
    const caller = createService({ database: watched.database }).caller({ userId: world().ids.administrator });
    await caller.call(users.import, { rows: rows() });
    const before = watched.statements();
    const changes = (at: number) => ({ ...row("c", at + 1), email: `c${at}@example.com`, reference: `many-${at}` });
    const { results } = await caller.call(users.import, { rows: rows(changes) });
    expect(results.every(({ action }) => action === "changed")).toBe(true);
    expect(watched.statements() - before).toBeLessThanOrEqual(70);
  });

  it("a repeat with the same Idempotency-Key gets the first answer", async () => {
    const input = { rows: [row("e", 500), { ...row("f", 501), unit: "nowhere" }] };
    const first = await admin().call(users.import, input, { idempotencyKey: "many" });
    expect(first.results.map(({ action }) => action)).toEqual(["created", "skipped"]);
    expect(await admin().call(users.import, input, { idempotencyKey: "many" })).toEqual(first);
  });
});
