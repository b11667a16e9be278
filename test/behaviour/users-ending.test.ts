import { expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

describeOnOneDatabase("users, deactivating and deleting", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const listed = async (input: { inactive?: boolean } = {}) =>
    (await admin().call(users.list, { ...input, limit: 500 })).data.map((user) => user.id);

  it("users.deactivate: the user cannot sign in, and is in lists only on request", async () => {
    const { addUser, stranger } = world();
    const { id, email, first_name } = await addUser({ first_name: "Dormant", password, birthday: "1990-03-03" });
    expect(await admin().call(users.deactivate, { id })).toBeUndefined();
    expect(await admin().call(users.deactivate, { id }), "once more").toBeUndefined();
    expect(await codeOf(stranger.call(auth.authenticate, { username: email!, password }))).toBe("unauthenticated");
    expect(await listed()).not.toContain(id);
    expect(await listed({ inactive: true })).toContain(id);
    expect((await admin().call(users.get, { id })).active).toBe(false);
    expect((await admin().call(users.search, { q: first_name })).data).toEqual([]);
    expect((await admin().call(users.search, { q: first_name, inactive: true })).data).toMatchObject([{ id }]);
    expect((await admin().call(users.birthdays, { start: "03-03", end: "03-03" })).data).toEqual([]);
    expect((await admin().call(users.collection, { ids: [id] })).users).toMatchObject([{ id, active: false }]);
  });

  it("users.reactivate: the user can sign in with the old password", async () => {
    const { addUser, stranger } = world();
    const { id, email } = await addUser({ password });
    await admin().call(users.deactivate, { id });
    expect(await admin().call(users.reactivate, { id })).toBeUndefined();
    expect(await admin().call(users.reactivate, { id }), "once more").toBeUndefined();
    expect(await codeOf(stranger.call(auth.authenticate, { username: email!, password }))).toBe("ok");
    expect(await listed()).toContain(id);
  });

  it("users.deactivate: users can deactivate themselves, and are signed out", async () => {
    const { instance, addUser, types } = world();
    const { id } = await addUser({ userTypes: [types.manager] });
    const own = await instance.as(id);
    expect(await codeOf(own.call(users.deactivate, { id }))).toBe("ok");
    expect(await codeOf(own.call(users.current, {}))).toBe("unauthenticated");
  });

  it("users.delete: the user is gone for every operation", async () => {
    const { addUser, units: places } = world();
    const { id, last_name } = await addUser({ reference: "to be deleted" });
    await admin().call(users.delete, { id });
    const calls: Record<string, () => Promise<unknown>> = {
      get: () => admin().call(users.get, { id }),
      update: () => admin().call(users.update, { id, title: "Back" }),
      delete: () => admin().call(users.delete, { id }),
      deactivate: () => admin().call(users.deactivate, { id }),
      reactivate: () => admin().call(users.reactivate, { id }),
      password: () => admin().call(users.password, { id, password }),
      memberships: () => admin().call(users.memberships, { user: id }),
      membershipAdd: () => admin().call(users.membershipAdd, { user: id, unit: places.yard }),
      membershipSet: () => admin().call(users.membershipSet, { user: id, from: places.harbour, userTypes: [] }),
      membershipRemove: () => admin().call(users.membershipRemove, { user: id, unit: places.harbour }),
    };
    for (const [name, call] of Object.entries(calls)) expect(await codeOf(call()), name).toBe("gone");
    expect(await codeOf(admin().call(users.reference, { reference: "to be deleted" }))).toBe("not_found");
    expect(await wrongFields(admin().call(users.welcome, { users: [id] }))).toEqual(["users"]);
    expect(await listed({ inactive: true })).not.toContain(id);
    expect((await admin().call(users.search, { q: last_name })).data).toEqual([]);
    for (const q of [last_name, "Deleted"])
      expect((await admin().call(users.search, { q, inactive: true })).data).toEqual([]);
    expect((await admin().call(users.collection, { ids: [id, 1] })).users.map((user) => user.id)).toEqual([1]);
  });

  it("users.delete frees address and reference, and updates the counts of members", async () => {
    const { addUser, units: places } = world();
    const { id } = await addUser({ email: "freed@example.com", reference: "freed" });
    const members = async () => (await admin().call(units.get, { id: places.harbour })).stats.users;
    const before = await members();
    await admin().call(users.delete, { id });
    expect(await members()).toBe(before - 1);
    const again = await addUser({ email: "freed@example.com", reference: "freed" });
    expect(again.id).not.toBe(id);
    expect(await members()).toBe(before);
  });

  it("users.get, users.update and others: an unknown ID is not found", async () => {
    const id = 987654;
    const missing = { code: "not_found", message: `There is no user ${id}.` };
    expect(await refusal(admin().call(users.get, { id }))).toMatchObject(missing);
    expect(await refusal(admin().call(users.update, { id, title: "x" }))).toMatchObject(missing);
    expect(await refusal(admin().call(users.delete, { id }))).toMatchObject(missing);
    expect(await refusal(admin().call(users.deactivate, { id }))).toMatchObject(missing);
    expect(await refusal(admin().call(users.reactivate, { id }))).toMatchObject(missing);
    expect(await refusal(admin().call(users.password, { id, password }))).toMatchObject(missing);
    expect(await refusal(admin().call(users.memberships, { user: id }))).toMatchObject(missing);
    expect(await refusal(admin().call(users.membershipRemove, { user: id, unit: 1 }))).toMatchObject(missing);
  });
});
