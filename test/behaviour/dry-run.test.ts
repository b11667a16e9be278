import { beforeAll, expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { auth } from "../../src/contract/auth.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { password } from "../support/actors.ts";
import { describeEverywhere } from "../support/instance.ts";
import { outcome } from "../support/outcome.ts";
import { permissionTable, useScene } from "../support/permission-table.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { enrol } from "../support/second-factor.ts";
import { tableTexts } from "../support/tables.ts";

useQuickPasswords();

const writing = (await allOperations()).filter((op) => op.method !== "GET");

describeEverywhere("dry run", (environment) => {
  const open = useScene(environment);
  /** All rows after the last operation. */
  let before: Record<string, string> | undefined;

  const announced: string[] = [];
  beforeAll(async () => {
    const { instance } = await open();
    instance.database.onChange((topics = []) => announced.push(...topics));
  });

  for (const op of writing) {
    it(`${op.name} changes nothing`, async () => {
      const { actors, ids, instance, ...scene } = await open();
      const expected = before ?? (await tableTexts(instance.database));
      for (const [, , input] of permissionTable[op.name] ?? []) {
        const asked = input({ actors, ids, instance, ...scene }, ids.administrator);
        await outcome(actors.administrator.call(op, asked, { dryRun: true, idempotencyKey: `dry ${op.name}` }));
      }
      expect(announced, "nobody is woken").toEqual([]);
      before = await tableTexts(instance.database);
      // The token of a sign-in is valid, so the sign-in is recorded.
      const besides = op.name === "auth.authenticate" ? { audit_entries: "" } : {};
      expect({ ...before, ...besides }).toEqual({ ...expected, ...besides });
    });
  }

  it("returns the response of a real call, and the real call with the same key is not a repeat", async () => {
    const { actors, units: places, ids, cranes, types } = await open();
    const { administrator } = actors;
    const person = { first_name: "Dry", last_name: "Run", email: "dry.run@example.com", unit: places.harbour };
    const same = async <T>(call: (dryRun: boolean) => Promise<T>): Promise<T> => {
      const [dry, earnest] = [await call(true), await call(false)];
      expect(withoutIds(dry)).toEqual(withoutIds(earnest));
      return earnest;
    };
    const options = (dryRun: boolean) => ({ dryRun, idempotencyKey: "the-same" });
    const user = await same((dry) => administrator.call(users.create, { ...person, department: cranes }, options(dry)));
    await same((dryRun) => administrator.call(users.update, { id: user.id, title: "Wet" }, { dryRun }));
    const membership = { user: user.id, unit: places.yard, userTypes: [types.editor] };
    await same((dryRun) => administrator.call(users.membershipAdd, membership, { dryRun }));
    const unit = await same((dryRun) => administrator.call(units.create, { name: "Dry", parent: 1 }, { dryRun }));
    await same((dryRun) => administrator.call(units.move, { id: places.yard, parent: unit.id }, { dryRun }));
    await same((dryRun) => administrator.call(usertypes.create, { name: "Dry" }, { dryRun }));
    const rows = [{ ...person, email: "import@example.com", unit: "harbour" }];
    await same((dryRun) => administrator.call(users.import, { rows }, { dryRun }));
    await same((dryRun) => administrator.call(users.delete, { id: ids.colleague }, { dryRun }));
  });

  it("returns no secrets, because they would never work", async () => {
    const { actors, instance, addUser } = await open();
    const { administrator } = actors;
    const token = await administrator.call(tokens.create, { name: "Dry", scopes: ["read"] }, { dryRun: true });
    expect(token.name).toBe("Dry");
    expect(Object.keys(token)).not.toContain("token");
    const hook = { name: "Dry", uri: "https://example.com/hook" };
    const created = await administrator.call(webhooks.create, hook, { dryRun: true });
    const { id } = (await administrator.call(webhooks.create, hook)).data;
    const rotated = await administrator.call(webhooks.rotateSecret, { id }, { dryRun: true });
    for (const { data } of [created, rotated]) {
      expect(data).toMatchObject(hook);
      expect(Object.keys(data)).not.toContain("secret");
    }
    const user = await instance.as((await addUser({ password })).id);
    await enrol(user, instance);
    const codes = await user.call(auth.twoFactorRecoveryCodes, { password }, { dryRun: true });
    expect(codes).toEqual({ recovery_codes: [] });
  });

  /** On PostgreSQL, rolled-back IDs are not used again. */
  function withoutIds(answer: unknown): unknown {
    if (environment.database === "sqlite") return answer;
    return JSON.parse(JSON.stringify(answer ?? null).replaceAll(/(?<="id":|\/)\d+/g, "0"));
  }
});
