import { expect, it } from "vitest";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { refusal } from "../support/outcome.ts";

describeOnOneDatabase("addresses that are taken", (environment) => {
  const world = useWorld(environment);
  const row = (fields: Record<string, unknown>) => ({
    reference: "newcomer",
    first_name: "New",
    last_name: "Comer",
    unit: "harbour",
    ...fields,
  });
  const imported = async (fields: Record<string, unknown>) => {
    const { results } = await world().actors.manager.call(users.import, { rows: [row(fields)] });
    return results[0]!;
  };

  it("users.create and users.update name the holder only to those who may see the address", async () => {
    const { actors, ids, units } = world();
    const newcomer = { first_name: "New", last_name: "Comer", unit: units.harbour };
    for (const [email, holder] of [
      ["Outsider@example.com", "another user"],
      ["member@example.com", `user ${ids.member}`],
    ] as const) {
      const taken = { code: "conflict", message: `The email is taken by ${holder}.` };
      expect(await refusal(actors.manager.call(users.create, { ...newcomer, email }))).toMatchObject(taken);
      const { colleague: id } = ids;
      expect(await refusal(actors.manager.call(users.update, { id, email }))).toMatchObject(taken);
    }
    const refused = await refusal(
      actors.administrator.call(users.create, { ...newcomer, email: "outsider@example.com" }),
    );
    expect(refused).toMatchObject({ message: `The email is taken by user ${ids.outsider}.` });
  });

  it("users.import names the holder only to those who may see the address", async () => {
    const { ids } = world();
    expect(await imported({ email: "outsider@example.com" })).toMatchObject({
      action: "skipped",
      id: null,
      fields: { email: ["is taken by another user"] },
      issues: [{ field: "email", code: "email_taken", params: {} }],
    });
    const { fields } = await imported({ email: "member@example.com" });
    expect(fields).toEqual({ email: [`is taken by user ${ids.member}`] });
  });

  it("users.import tells nothing of a user who is found by an address that the caller may not see", async () => {
    const { actors, addUser, types, units } = world();
    const { id, email } = await addUser({ unit: units.south, userTypes: [types.editor] });
    await actors.administrator.call(users.membershipAdd, { user: id, unit: units.harbour });
    const found = await imported({ reference: undefined, email });
    expect(found).toMatchObject({ action: "skipped", id: null });
    expect(found.fields).toEqual({ reference: ["belongs to a user over whom you don't have the ability user"] });
    expect((await imported({ reference: undefined, email, unit: "north" })).fields).toEqual(found.fields);
  });

  it("users.import answers any guess of the address of a user whom the caller may not see in the same way", async () => {
    const { actors, addUser, units } = world();
    const { id, email } = await addUser({ unit: units.south, reference: "hidden", admin: true });
    const other = await addUser({ unit: units.south });
    const { token = "" } = await actors.manager.call(tokens.create, { name: "CI", scopes: ["users.*"] });
    for (const caller of [actors.manager, world().instance.withToken(token)])
      for (const key of ["reference", "email", undefined] as const) {
        const answers = new Set<string>();
        for (const guess of [email, other.email, ...(key === "email" ? [] : ["unused@example.com"])]) {
          const rows = [row({ reference: "hidden", email: guess })];
          const { results } = await caller.call(users.import, { rows, key }, { dryRun: true });
          answers.add(JSON.stringify(results));
        }
        expect([...answers]).toEqual([expect.stringContaining("over whom you don't have the ability user")]);
      }
    expect((await actors.administrator.call(users.get, { id })).email).toBe(email);
  });
});
