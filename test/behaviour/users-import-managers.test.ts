import { expect, it } from "vitest";
import type { ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";

type Rows = ArgumentsOf<typeof users.import>["rows"];

describeOnOneDatabase("users.import by managers", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const run = async (rows: Rows, by: Caller = admin(), create_user_types = false) =>
    (await by.call(users.import, { rows, create_user_types })).results;
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
  const get = async (reference: string) => admin().call(users.reference, { reference });

  it("a manager imports into the own branch only", async () => {
    const { manager } = world().actors;
    const results = await run(
      [
        row(),
        row({ unit: "south" }),
        row({ reference: "outsider", email: "outsider@example.com" }),
        row({ reference: undefined, email: "boss@example.com", unit: "north" }),
        row({ reference: "colleague", email: "colleague@example.com", unit: "root" }),
        row({ user_types: "Editor" }),
        row({ user_types: "Manager" }),
      ],
      manager,
    );
    expect(actions(results)).toEqual(["created", "skipped", "skipped", "skipped", "skipped", "skipped", "created"]);
    expect(results.map((result) => Object.keys(result.fields ?? {}))).toEqual([
      [],
      ["unit"],
      ["reference"],
      ["reference"],
      ["unit"],
      ["user_types"],
      [],
    ]);
  });

  it("a manager neither grants nor revokes abilities without having them; the other rows are imported", async () => {
    const { manager } = world().actors;
    const editor = row({ user_types: "Editor" });
    await run([editor]);
    const next = row();
    const results = await run(
      [
        { ...editor, user_types: "Employee" },
        { ...editor, unit: "north", user_types: undefined },
        { ...editor, title: "Not mine", user_types: "Editor;Employee" },
        editor,
        next,
      ],
      manager,
    );
    expect(actions(results)).toEqual(["skipped", "skipped", "skipped", "unchanged", "created"]);
    expect(results.slice(0, 3).map((result) => Object.keys(result.fields ?? {}))).toEqual([
      ["user_types"],
      ["user_types"],
      ["reference"],
    ]);
    expect(results[2]?.fields?.reference).toEqual([
      `belongs to a user with abilities that you don't have: news in unit ${world().units.harbour}`,
    ]);
    expect(await get(editor.reference)).toMatchObject({ title: "", unit: { id: world().units.harbour } });
  });

  it("a manager does not end a membership with other abilities by a move to its unit", async () => {
    const { actors, units: places, types } = world();
    const [plain, editor] = [row(), row()];
    const [one, other] = (await run([plain, editor])).map(({ id }) => id ?? 0);
    await admin().call(users.membershipAdd, { user: one ?? 0, unit: places.yard });
    await admin().call(users.membershipAdd, { user: other ?? 0, unit: places.yard, userTypes: [types.editor] });
    const moves = [plain, editor].map((each) => ({ ...each, unit: "yard" }));
    const results = await run(moves, actors.manager);
    expect(actions(results)).toEqual(["changed", "skipped"]);
    expect(results[1]?.fields).toEqual({
      reference: [`belongs to a user with abilities that you don't have: news in unit ${places.yard}`],
    });
    expect((await get(editor.reference)).memberUnits).toHaveLength(2);
  });

  it("a manager changes neither unit nor user types of the own membership", async () => {
    const { manager } = world().actors;
    const own = row({ reference: undefined, email: "manager@example.com", unit: "north" });
    const results = await run(
      [
        { ...own, unit: "harbour" },
        { ...own, user_types: "Manager;Employee" },
        { ...own, user_types: "Manager" },
      ],
      manager,
    );
    expect(actions(results)).toEqual(["skipped", "skipped", "changed"]);
    expect(results.map((result) => Object.keys(result.fields ?? {}))).toEqual([["unit"], ["user_types"], []]);
  });

  it("a manager without the ability usertypes creates no user types", async () => {
    const { addUser, instance, units: places } = world();
    const { id: type } = await admin().call(usertypes.create, { name: "Clerk", abilities: { user: true } });
    const { id } = await addUser({ unit: places.harbour, userTypes: [type] });
    const clerk = await instance.as(id);
    expect(actions(await run([row({ user_types: "Invented" }), row()], clerk, true))).toEqual(["skipped", "created"]);
  });
});
