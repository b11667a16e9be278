import { expect, it } from "vitest";
import type { ArgumentsOf, Caller, CallOptions } from "../../src/contract/operation.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";
import { allRows } from "../support/tables.ts";

type Rows = ArgumentsOf<typeof users.import>["rows"];

describeOnOneDatabase("users.import", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const run = async (
    rows: Rows,
    {
      by = admin(),
      create_user_types = false,
      ...options
    }: { by?: Caller; create_user_types?: boolean } & CallOptions = {},
  ) => (await by.call(users.import, { rows, create_user_types }, options)).results;
  const actions = (results: Awaited<ReturnType<typeof run>>) => results.map((result) => result.action);
  let count = 0;
  /** A row about somebody new. */
  const row = (fields: Record<string, unknown> = {}) => {
    count += 1;
    return {
      reference: `row-${count}`,
      first_name: "Row",
      last_name: `No${count}`,
      email: `row${count}@example.com`,
      unit: "harbour",
      ...fields,
    };
  };
  const idOf = async (one: Rows[number]) => (await run([one]))[0]!.id!;
  const get = async (reference: string) => admin().call(users.reference, { reference });

  it("creates users by reference; a second run changes nothing", async () => {
    const full = row({
      title: "Docker",
      phone: "+45 1",
      birthday: "2000-02-29",
      language: "da",
      timezone: "Europe/Copenhagen",
      meta_field_3: "x",
      department: "Cranes",
      user_types: "Employee; editor;EMPLOYEE",
    });
    const rows = [full, row(), row({ unit: "south", reference: undefined })];
    const results = await run(rows);
    expect(actions(results)).toEqual(["created", "created", "created"]);
    expect(results.map((result) => result.reference)).toEqual([full.reference, rows[1]!.reference, null]);
    const made = await get(full.reference);
    expect(results[0]!.id).toBe(made.id);
    expect(made).toMatchObject({
      first_name: "Row",
      email: full.email,
      title: "Docker",
      phone: "+45 1",
      birthday: "2000-02-29",
      language: "da",
      timezone: "Europe/Copenhagen",
      meta_field_3: "x",
      meta_field_0: "",
      active: true,
      admin: false,
      unit: { id: world().units.harbour },
      department: { name: "Cranes" },
      userTypes: [{ name: "Editor" }, { name: "Employee" }].sort(),
    });
    expect((await admin().call(users.search, { q: full.last_name })).data).toMatchObject([{ id: made.id }]);
    expect((await admin().call(users.birthdays, { start: "02-28", end: "02-29" })).data).toMatchObject([
      { id: made.id },
    ]);
    const before = await allRows(world().instance.database);
    world().instance.wait(1);
    const again = await run(rows);
    expect(actions(again)).toEqual(["unchanged", "unchanged", "unchanged"]);
    expect(again.map((result) => result.id)).toEqual(results.map((result) => result.id));
    // The second call is recorded in these tables.
    const besides = { idempotency_keys: [], audit_entries: [] };
    expect({ ...(await allRows(world().instance.database)), ...besides }).toEqual({ ...before, ...besides });
  });

  it("a result has the reference of its row, or null when it is empty or no text", async () => {
    const [named, empty, number] = [row(), row({ reference: "" }), row({ reference: 7 })];
    expect((await run([named, empty, number])).map(({ action, reference }) => [action, reference])).toEqual([
      ["created", named.reference],
      ["created", null],
      ["skipped", null],
    ]);
  });

  it("changes what differs; a missing column changes nothing, an empty cell clears", async () => {
    const first = row({
      title: "Old",
      phone: "1",
      birthday: "1990-01-01",
      department: "Cranes",
      user_types: "Employee",
      meta_field_0: "m",
    });
    const id = await idOf(first);
    const { reference, email, unit } = first;
    const least = { reference, first_name: "Changed", last_name: "Name", email, unit };
    expect(actions(await run([least]))).toEqual(["changed"]);
    const kept = {
      title: "Old",
      phone: "1",
      birthday: "1990-01-01",
      department: { name: "Cranes" },
      meta_field_0: "m",
    };
    expect(await get(reference)).toMatchObject({
      id,
      first_name: "Changed",
      ...kept,
      userTypes: [{ name: "Employee" }],
    });
    const empty = {
      ...least,
      title: "",
      phone: "",
      birthday: "",
      department: "",
      language: "",
      timezone: "",
      user_types: "",
      meta_field_0: "",
    };
    expect(actions(await run([empty]))).toEqual(["changed"]);
    expect(await get(reference)).toMatchObject({
      title: "",
      phone: null,
      birthday: null,
      department: null,
      userTypes: [],
      meta_field_0: "",
    });
    expect((await admin().call(users.search, { q: first.last_name })).data).toEqual([]);
    expect((await admin().call(users.birthdays, { start: "01-01", end: "01-01" })).data).toEqual([]);
  });

  it("matches references in both forms of Unicode, without spaces around them", async () => {
    const first = row({ reference: "row-\u00e9" });
    const id = await idOf(first);
    const reference = ` ${first.reference.normalize("NFD")} `;
    const decomposed = { ...first, reference, email: "decomposed@example.com" };
    expect(await run([decomposed])).toMatchObject([{ action: "changed", id }]);
    expect(await get(decomposed.reference)).toMatchObject({ id, reference: first.reference });
  });

  it("a difference in any single column is a change", async () => {
    const first = row({ department: "Cranes", user_types: "Employee" });
    await run([first]);
    for (const change of [{ user_types: "Editor" }, { department: "" }, { unit: "yard" }, { meta_field_4: "x" }]) {
      Object.assign(first, change);
      expect(actions(await run([first])), JSON.stringify(change)).toEqual(["changed"]);
      expect(actions(await run([first])), JSON.stringify(change)).toEqual(["unchanged"]);
    }
  });

  it("moves a user to another unit with the user types, without the department", async () => {
    const first = row({ department: "Cranes", user_types: "Employee" });
    await run([first]);
    const moved = { ...first, unit: "south", department: undefined, user_types: undefined };
    expect(actions(await run([moved]))).toEqual(["changed"]);
    const shown = await get(first.reference);
    expect(shown).toMatchObject({
      unit: { id: world().units.south },
      department: null,
      userTypes: [{ name: "Employee" }],
    });
    expect(shown.memberUnits).toHaveLength(1);
  });

  it("skips invalid rows with all their issues, and imports the others", async () => {
    const good = row();
    const results = await run([
      row({ first_name: "", email: "nonsense", birthday: "2023-02-29", shoe_size: 43, language: "english!" }),
      row({ unit: "nowhere", user_types: "Employee; Pilot;Steward", department: "Kitchen" }),
      {},
      good,
      row({ department: "Kitchen" }),
      row({ unit: "" }),
      row({ admin: true }),
      row({ user_types: "a\0b", title: "\ud800" }),
      row({ user_types: 5 }),
      row({ last_name: "", unit: "nowhere", user_types: "Pilot", department: "Kitchen", birthday: "2999-01-01" }),
      row({ first_name: 5, email: good.email }),
    ]);
    expect(actions(results)).toEqual([
      "skipped",
      "skipped",
      "skipped",
      "created",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
    ]);
    const fields = results.map((result) => Object.keys(result.fields ?? {}).sort());
    expect(fields).toEqual([
      ["birthday", "email", "first_name", "language", "shoe_size"],
      ["department", "unit", "user_types"],
      ["email", "first_name", "last_name", "unit"],
      [],
      ["department"],
      ["unit"],
      ["admin"],
      ["title", "user_types"],
      ["user_types"],
      ["birthday", "department", "last_name", "unit", "user_types"],
      ["email", "first_name"],
    ]);
    expect(results[1]!.fields?.user_types).toHaveLength(2);
    expect(results[2]!.fields?.unit).toEqual(["is required"]);
    expect(await codeOf(get(good.reference))).toBe("ok");
  });

  it("matches a row without reference by its address, in any case", async () => {
    const first = row({ reference: undefined });
    const id = await idOf(first);
    const again = { ...first, email: first.email.toUpperCase(), title: "Matched" };
    expect(await run([again])).toMatchObject([{ action: "changed", id }]);
    expect(await admin().call(users.get, { id })).toMatchObject({ email: first.email.toUpperCase(), title: "Matched" });
    expect(await run([{ ...again, reference: "" }])).toMatchObject([{ action: "unchanged", id }]);
  });

  it("skips a row with the address of another user, in any case", async () => {
    const { ids } = world();
    const taken = { email: [`is taken by user ${ids.member}`] };
    const first = row();
    await run([first]);
    const results = await run([
      row({ email: "Member@EXAMPLE.com" }),
      { ...first, email: "MEMBER@example.com" },
      row({ email: "deactivated@example.com" }),
    ]);
    expect(actions(results)).toEqual(["skipped", "skipped", "skipped"]);
    expect(results.slice(0, 2).map((result) => result.fields)).toEqual([taken, taken]);
  });

  it("names who can reactivate the deactivated holder of an address, and refuses a birthday in the future", async () => {
    const gone = await world().addUser({ reference: "gone-3" });
    await admin().call(users.deactivate, { id: gone.id });
    const [byEmail] = await run([row({ email: gone.email! })]);
    const text = `is taken by user ${gone.id}, who is deactivated; wcs users reactivate ${gone.id} makes the user active again`;
    expect(byEmail).toMatchObject({ action: "skipped", fields: { email: [text] } });
    expect(byEmail?.issues).toEqual([
      { field: "email", code: "email_taken", params: { user: gone.id, deactivated: "true" } },
    ]);
    const [early] = await run([row({ birthday: "2999-01-01" })]);
    expect(early).toMatchObject({ action: "skipped", fields: { birthday: ["must not be in the future"] } });
  });

  it("creates one user for repeated rows", async () => {
    const twice = row();
    const results = await run([twice, { ...twice }, { ...twice, title: "Third" }, { ...twice, title: "Third" }]);
    expect(actions(results)).toEqual(["created", "unchanged", "changed", "unchanged"]);
    expect(new Set(results.map((result) => result.id)).size).toBe(1);
    expect((await get(twice.reference)).title).toBe("Third");
  });

  it("rows see the changes of earlier rows", async () => {
    const [one, two] = [row(), row()];
    const results = await run([
      one,
      { ...two, email: one.email },
      { ...one, email: "given-up@example.com" },
      { ...two, email: one.email },
      { ...one, email: two.email },
      { ...two, email: two.email },
    ]);
    expect(actions(results)).toEqual(["created", "skipped", "changed", "created", "changed", "skipped"]);
    expect((await get(one.reference)).email).toBe(two.email);
    expect((await get(two.reference)).email).toBe(one.email);
  });

  it("users can swap their addresses, pass them on, and give them to new users", async () => {
    const [one, two, three, other] = [row(), row(), row(), row()];
    const ids = (await run([one, two, three])).map(({ id }) => id);
    const rows = [
      { ...other, email: three.email },
      { ...one, email: two.email.toUpperCase() },
      { ...two, email: one.email },
      { ...three, email: "moved-on@example.com" },
    ];
    const before = await allRows(world().instance.database);
    expect(actions(await run(rows, { dryRun: true }))).toEqual(["created", "changed", "changed", "changed"]);
    expect(await allRows(world().instance.database)).toEqual(before);
    expect((await run(rows)).slice(1)).toMatchObject(ids.map((id) => ({ action: "changed", id })));
    expect(actions(await run(rows))).toEqual(["unchanged", "unchanged", "unchanged", "unchanged"]);
    for (const { reference, email } of rows) expect((await get(reference)).email).toBe(email);
    expect((await admin().call(users.search, { q: one.email })).data).toMatchObject([{ id: ids[1] }]);
  });

  it.each([{ unit: "nowhere" }, { birthday: "soon" }])(
    "an address stays taken when the row that would free it is invalid: %o",
    async (wrong) => {
      const [one, two, three, other] = [row(), row(), row(), row()];
      const ids = (await run([one, two, three])).map(({ id }) => id);
      const results = await run([
        { ...other, email: one.email },
        { ...one, email: two.email },
        { ...two, email: three.email },
        { ...three, email: other.email, ...wrong },
      ]);
      expect(results.map(({ fields }) => fields)).toEqual([
        ...ids.map((id) => ({ email: [`is taken by user ${id}`] })),
        Object.fromEntries(Object.keys(wrong).map((field) => [field, [expect.any(String)]])),
      ]);
      for (const { reference, email } of [one, two, three]) expect((await get(reference)).email).toBe(email);
    },
  );

  it("the first of two rows gets an address that becomes free", async () => {
    const [one, two, three] = [row(), row(), row()];
    await run([one, two, three]);
    const results = await run([
      { ...two, email: one.email },
      { ...three, email: one.email },
      { ...one, email: three.email },
    ]);
    expect(actions(results)).toEqual(["skipped", "skipped", "skipped"]);
    const next = await run([
      { ...one, email: "freed@example.com" },
      { ...two, email: one.email },
      { ...three, email: one.email },
    ]);
    expect(actions(next)).toEqual(["changed", "changed", "skipped"]);
  });

  it("users can swap their references when rows are matched by address", async () => {
    const [one, two] = [row(), row()];
    await run([one, two]);
    const rows = [
      { ...one, reference: two.reference },
      { ...two, reference: one.reference },
    ];
    const swap = async () => (await admin().call(users.import, { rows, key: "email" })).results;
    expect(actions(await swap())).toEqual(["changed", "changed"]);
    expect(actions(await swap())).toEqual(["unchanged", "unchanged"]);
    expect((await get(one.reference)).email).toBe(two.email);
  });

  it("a reference that a row clears is free for the rows after it", async () => {
    const first = row();
    const id = await idOf(first);
    const other = row({ reference: first.reference });
    const results = await run([{ ...first, reference: "" }, other]);
    expect(results).toMatchObject([
      { action: "changed", id },
      { action: "created", reference: first.reference },
    ]);
    expect((await get(first.reference)).email).toBe(other.email);
    expect((await admin().call(users.get, { id })).reference).toBeNull();
  });

  it("a user who moves to the unit of a further membership has one membership there, the first", async () => {
    const { units: places, types } = world();
    const first = row({ user_types: "Employee" });
    const id = await idOf(first);
    await admin().call(users.membershipAdd, { user: id, unit: places.south });
    await admin().call(users.membershipAdd, { user: id, unit: places.yard, userTypes: [types.editor] });
    const moved = { ...first, unit: "yard", user_types: undefined };
    expect(actions(await run([moved]))).toEqual(["changed"]);
    expect(await get(first.reference)).toMatchObject({
      unit: { id: places.yard },
      memberUnits: [{ unit: { id: places.yard }, userTypes: [{ name: "Employee" }] }, { unit: { id: places.south } }],
    });
    expect(actions(await run([moved]))).toEqual(["unchanged"]);
  });

  it("a known user in an unknown unit is skipped", async () => {
    const first = row();
    await run([first]);
    const results = await run([{ ...first, unit: "nowhere" }, row()]);
    expect(actions(results)).toEqual(["skipped", "created"]);
    expect(Object.keys(results[0]!.fields ?? {})).toEqual(["unit"]);
  });

  it("create_user_types creates the user types of valid rows only", async () => {
    const name = `New type ${environment.caller}`;
    const rows = [
      row({ user_types: `${name};Employee` }),
      row({ user_types: name.toUpperCase() }),
      row({ unit: "nowhere", user_types: "Never" }),
      row({ user_types: "x".repeat(256) }),
    ];
    expect(actions(await run(rows))).toEqual(["skipped", "skipped", "skipped", "skipped"]);
    expect(actions(await run(rows, { create_user_types: true }))).toEqual(["created", "created", "skipped", "skipped"]);
    const { data } = await admin().call(usertypes.list, { limit: 500 });
    expect(data.filter((type) => type.name.toLowerCase() === name.toLowerCase())).toHaveLength(1);
    expect(data.filter((type) => type.name === "Never" || type.name.length > 255)).toEqual([]);
    expect((await get(rows[0]!.reference)).userTypes).toHaveLength(2);
  });

  it("a dry run returns the results and changes nothing", async () => {
    const first = row();
    await run([first]);
    const before = await allRows(world().instance.database);
    const rows = [{ ...first, title: "Dry" }, row({ user_types: "Dry type" }), row({ unit: "nowhere" })];
    const results = await run(rows, { dryRun: true, create_user_types: true });
    expect(actions(results)).toEqual(["changed", "created", "skipped"]);
    expect(await allRows(world().instance.database)).toEqual(before);
  });

  it("a dry run returns the fields that rows change, with their values before and after, in the form of rows", async () => {
    const first = row({ user_types: "Employee", department: "Cranes", phone: "+45 1" });
    const others = [row(), row({ user_types: "Employee" })];
    await run([first, ...others]);
    const changed = {
      ...first,
      ...{ email: "Moved@example.com", title: "Docker", birthday: "2000-02-29", phone: "", reference: first.reference },
      ...{ unit: "south", user_types: "editor; Employee", department: undefined },
    };
    const rows = [changed, others[0]!, { ...others[1]!, user_types: "" }, row()];
    const results = await run(rows, { dryRun: true });
    expect(results.map(({ changes }) => changes?.toSorted((a, b) => (a.field < b.field ? -1 : 1)))).toEqual([
      [
        { field: "birthday", before: null, after: "2000-02-29" },
        { field: "department", before: "Cranes", after: null },
        { field: "email", before: first.email, after: "Moved@example.com" },
        { field: "phone", before: "+45 1", after: null },
        { field: "title", before: "", after: "Docker" },
        { field: "unit", before: "harbour", after: "south" },
        { field: "user_types", before: "Employee", after: "Editor, Employee" },
      ],
      undefined,
      [{ field: "user_types", before: "Employee", after: "" }],
      undefined,
    ]);
    for (const result of await run(rows)) expect(result).not.toHaveProperty("changes");
  });

  it("a dry run returns references that users swap, types in one order, and no department whose name stays", async () => {
    await admin().call(units.departmentAdd, { id: world().units.south, name: "Cranes" });
    const [one, two] = [row({ user_types: "Manager; Employee", department: "Cranes" }), row()];
    await run([one, two]);
    const rows = [
      { ...one, reference: two.reference, unit: "south", user_types: "Manager; Editor; Employee" },
      { ...two, reference: one.reference },
    ];
    const { results } = await admin().call(users.import, { rows, key: "email" }, { dryRun: true });
    expect(results.map(({ changes }) => changes)).toEqual([
      [
        { field: "reference", before: one.reference, after: two.reference },
        { field: "unit", before: "harbour", after: "south" },
        { field: "user_types", before: "Employee, Manager", after: "Editor, Employee, Manager" },
      ],
      [{ field: "reference", before: two.reference, after: one.reference }],
    ]);
  });

  it("a dry run with an API token returns changed fields only if the token may read users", async () => {
    const first = row();
    await run([first]);
    const changesWith = async (...scopes: string[]) => {
      const { token } = await admin().call(tokens.create, { name: scopes.join(), scopes });
      const by = world().instance.withToken(token);
      return (await run([{ ...first, title: "Dry" }], { by, dryRun: true }))[0];
    };
    const unread = await changesWith("users.import");
    expect([unread?.action, unread?.changes]).toEqual(["changed", undefined]);
    expect(await changesWith("users.import", "users.get")).toMatchObject({
      changes: [{ field: "title", before: "", after: "Dry" }],
    });
  });

  it("accepts at most 1,000 rows", async () => {
    const many = (length: number) => Array.from({ length }, () => row());
    expect(await wrongFields(run(many(1001)))).toEqual(["rows"]);
    const results = await run(many(1000));
    expect(new Set(results.map((result) => result.action))).toEqual(new Set(["created"]));
    expect(new Set(results.map((result) => result.id)).size).toBe(1000);
    expect(await run([])).toEqual([]);
  });

  it("a deactivated user stays deactivated; a deleted one is created again", async () => {
    const first = row();
    const id = await idOf(first);
    await admin().call(users.deactivate, { id });
    expect(await run([{ ...first, title: "Asleep" }])).toMatchObject([{ action: "changed", id, deactivated: true }]);
    expect(await admin().call(users.get, { id })).toMatchObject({ active: false, title: "Asleep" });
    await admin().call(users.reactivate, { id });
    expect((await run([{ ...first, title: "Asleep" }]))[0]).not.toHaveProperty("deactivated");
    await admin().call(users.delete, { id });
    const [again] = await run([first]);
    expect(again?.action).toBe("created");
    expect(again?.id).not.toBe(id);
  });
});
