import { beforeEach, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { events } from "../../src/contract/events.ts";
import type { AnyOperation, ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { password, type User, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { mailedToken } from "../support/password-mail.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

describeOnOneDatabase("rights that reach beyond one's own", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const manager = () => world().actors.manager;
  /** A plain member of Harbour, where the manager administers users, who is an editor in South. */
  let twofold: User;
  beforeEach(async () => {
    const { addUser, units: places, types } = world();
    twofold = await addUser({ reference: `twofold ${++count}` });
    await admin().call(users.membershipAdd, { user: twofold.id, unit: places.south, userTypes: [types.editor] });
  });
  let count = 0;
  const forbidden = async <O extends AnyOperation>(by: Caller, op: O, input: ArgumentsOf<O>) =>
    expect(await codeOf(by.call(op, input)), op.name).toBe("forbidden");
  const allowed = async <O extends AnyOperation>(by: Caller, op: O, input: ArgumentsOf<O>) =>
    expect(await codeOf(by.call(op, input)), op.name).toBe("ok");
  const now = async (user: number) =>
    (await admin().call(users.memberships, { user })).data.map((each) => [
      each.unit.id,
      each.userTypes.map((t) => t.id),
    ]);
  /** A user with a type of these abilities in each of the units. */
  const person = async (places: Record<number, ArgumentsOf<typeof usertypes.create>["abilities"]>) => {
    const { addUser, instance } = world();
    let id: number | undefined;
    for (const [unit, abilities] of Object.entries(places)) {
      const type = await admin().call(usertypes.create, { name: `Special ${++count}`, abilities });
      const place = { unit: Number(unit), userTypes: [type.id] };
      if (id === undefined) id = (await addUser(place)).id;
      else await admin().call(users.membershipAdd, { user: id, ...place });
    }
    return { id: id!, caller: await instance.as(id!) };
  };

  it("A manager cannot set the password of a member who has rights elsewhere", async () => {
    const { units: places } = world();
    const refused = await refusal(manager().call(users.password, { id: twofold.id, password }));
    expect(refused).toMatchObject({
      code: "forbidden",
      message: `You don't have the ability news in unit ${places.south}.`,
    });
    await allowed(admin(), users.password, { id: twofold.id, password });
  });

  it("A refusal names the first ten of the abilities that a manager lacks", async () => {
    const { units: places } = world();
    const all = {
      news: true,
      calendar: true,
      groups: true,
      user: true,
      units: true,
      usertypes: true,
      integrations: true,
    };
    const { id } = await person({ [places.harbour]: all, [places.south]: all });
    const { message } = await refusal(manager().call(users.password, { id, password }));
    expect(message).toMatch(/^You don't have the abilities \w+ in unit \d+(, \w+ in unit \d+){9} and 1 more\.$/);
  });

  it("A manager cannot give a member who has rights elsewhere another e-mail address or reference, but a title", async () => {
    const { id } = twofold;
    await forbidden(manager(), users.update, { id, email: "mine@attacker.example" });
    await forbidden(manager(), users.update, { id, reference: "mine" });
    await forbidden(manager(), users.update, { id, reference: null });
    await forbidden(manager(), users.update, { id, reference: "mine", email: twofold.email! });
    await allowed(manager(), users.update, { id, title: "Crane driver", email: twofold.email! });
    expect(await admin().call(users.get, { id })).toMatchObject({ title: "Crane driver", email: twofold.email });
  });

  it("A manager cannot deactivate, reactivate, welcome or delete a member who has rights elsewhere", async () => {
    const { id } = twofold;
    await forbidden(manager(), users.deactivate, { id });
    await forbidden(manager(), users.welcome, { users: [world().ids.colleague, id] });
    await forbidden(manager(), users.delete, { id });
    const shown = await manager().call(users.get, { id });
    expect(shown.permissions).toEqual({ edit: true, delete: false });
    await admin().call(users.deactivate, { id });
    await forbidden(manager(), users.reactivate, { id });
  });

  it("A manager can send a welcome mail to members, but to no administrator among them", async () => {
    const { id } = await world().addUser({ admin: true });
    const members = [world().ids.colleague];
    await forbidden(manager(), users.welcome, { users: [...members, id] });
    await forbidden(manager(), users.welcome, { users: [id, ...members] });
    await allowed(manager(), users.welcome, { users: members });
    await allowed(admin(), users.welcome, { users: [...members, id] });
  });

  it("Rights that a member has within the manager's own are no obstacle", async () => {
    const { addUser, units: places, types } = world();
    const { id } = await addUser();
    await admin().call(users.membershipAdd, { user: id, unit: places.yard, userTypes: [types.manager] });
    await allowed(manager(), users.password, { id, password });
    await allowed(manager(), users.delete, { id });
  });

  it("An import does not give away the account of a member who has rights elsewhere", async () => {
    const { id, reference, email, first_name, last_name } = twofold;
    const row = { reference, first_name, last_name, email, unit: "harbour" };
    const rows = [
      row,
      { ...row, email: "mine@attacker.example" },
      { ...row, reference: "mine" },
      { ...row, title: "x" },
    ];
    const { results } = await manager().call(users.import, { rows });
    expect(results.map((result) => [result.action, Object.keys(result.fields ?? {})])).toEqual([
      ["unchanged", []],
      ["skipped", ["reference"]],
      ["skipped", ["email"]],
      ["skipped", ["reference"]],
    ]);
    expect(await admin().call(users.get, { id })).toMatchObject({ email, reference, title: "" });
  });

  it("A link to set a password that went to an address ends when the user gets another address", async () => {
    const { addUser, instance, stranger } = world();
    const { id, first_name, last_name, email } = await addUser({ password, reference: `moving ${++count}` });
    const token = async () => {
      await stranger.call(auth.passwordRequest, { email: (await admin().call(users.get, { id })).email! });
      return mailedToken(instance, (await admin().call(users.get, { id })).email!);
    };
    const reset = (address: string, old: string) =>
      stranger.call(auth.passwordReset, { token: old, email: address, password, password_confirm: password });
    const first = await token();
    await admin().call(users.update, { id, email: `new-${email}` });
    expect(await wrongFields(reset(`new-${email}`, first))).toEqual(["token"]);
    const second = await token();
    const row = { reference: `moving ${count}`, first_name, last_name, email: `newer-${email}`, unit: "harbour" };
    await admin().call(users.import, { rows: [row] });
    expect(await wrongFields(reset(`newer-${email}`, second))).toEqual(["token"]);
  });

  it("A manager changes and ends memberships in the own units of users whose first unit is elsewhere", async () => {
    const { addUser, units: places, types, cranes } = world();
    const { id } = await addUser({ unit: places.south, userTypes: [types.editor] });
    const own = { user: id, unit: places.harbour };
    await allowed(manager(), users.membershipAdd, own);
    await allowed(manager(), users.membershipSet, { user: id, from: places.harbour, userTypes: [types.manager] });
    await allowed(manager(), users.membershipSet, { user: id, from: places.harbour, department: cranes });
    await allowed(manager(), users.membershipSet, { user: id, from: places.harbour, unit: places.yard });
    await forbidden(manager(), users.membershipSet, { user: id, from: places.yard, unit: places.south });
    await forbidden(manager(), users.membershipSet, { user: id, from: places.south, unit: places.harbour });
    await forbidden(manager(), users.membershipRemove, { user: id, unit: places.south });
    await allowed(manager(), users.membershipRemove, { user: id, unit: places.yard });
    expect(await now(id)).toEqual([[places.south, [types.editor]]]);
  });

  it("A manager cannot change, move or end a membership that grants more than the manager has", async () => {
    const { addUser, units: places, types, cranes } = world();
    const { id } = await addUser({ unit: places.harbour, userTypes: [types.editor] });
    await admin().call(users.membershipAdd, { user: id, unit: places.yard });
    const from = places.harbour;
    await forbidden(manager(), users.membershipRemove, { user: id, unit: from });
    await forbidden(manager(), users.membershipSet, { user: id, from, unit: places.north });
    await forbidden(manager(), users.membershipSet, { user: id, from, department: cranes });
    await forbidden(manager(), users.membershipSet, { user: id, from, userTypes: [types.employee], overwrite: false });
    await forbidden(manager(), users.membershipSet, { user: id, from, userTypes: [], unit: places.north });
    expect(await now(id)).toEqual([
      [places.harbour, [types.editor]],
      [places.yard, []],
    ]);
  });

  it("A manager cannot take a user type for themselves, not even a reader type without abilities", async () => {
    const { ids, units: places, types } = world();
    const own = { user: ids.manager, from: places.north };
    await forbidden(manager(), users.membershipSet, { ...own, userTypes: [types.manager, types.employee] });
    await forbidden(manager(), users.membershipSet, { ...own, userTypes: [types.employee], overwrite: false });
    const row = { first_name: "Manager", last_name: "x", email: "manager@example.com", unit: "north" };
    const { results } = await manager().call(users.import, { rows: [{ ...row, user_types: "Manager;Employee" }] });
    expect(results).toMatchObject([{ action: "skipped", fields: { user_types: [expect.any(String)] } }]);
    expect(await now(ids.manager)).toEqual([[places.north, [types.manager]]]);
  });

  it("A manager cannot become a member of another unit by adding, moving, importing or transferring themselves", async () => {
    const { types, addUnit, addUser, instance } = world();
    const { id: top } = await addUnit({ reference: `top ${++count}` });
    const { id: above } = await addUnit({ parent: top });
    const { id: unit } = await addUnit({ parent: above });
    const { id: target } = await addUnit({ parent: top, reference: `target ${count}` });
    const ruler = await addUser({ unit: top, userTypes: [types.manager] });
    await admin().call(users.membershipAdd, { user: ruler.id, unit });
    const self = await instance.as(ruler.id);
    await forbidden(self, users.membershipAdd, { user: ruler.id, unit: target });
    await forbidden(self, users.membershipSet, { user: ruler.id, from: unit, unit: target });
    const { first_name, last_name, email } = ruler;
    const rows = [{ first_name, last_name, email, unit: `target ${count}` }];
    expect((await self.call(users.import, { rows })).results).toMatchObject([
      { action: "skipped", fields: { unit: [expect.any(String)] } },
    ]);
    await forbidden(self, units.delete, { id: unit, transfer: target });
    await forbidden(self, units.delete, { id: unit, transfer: above });
    await allowed(self, users.membershipRemove, { user: ruler.id, unit });
    await allowed(self, units.delete, { id: unit, transfer: target });
    expect(await now(ruler.id)).toEqual([[top, [types.manager]]]);
  });

  it("A manager cannot move a unit to where the manager, a member of it or of one below, would read more", async () => {
    const { addUnit, addUser, instance } = world();
    const top = await addUnit();
    const own = await addUnit({ parent: top.id, reference: `own ${++count}` });
    const below = await addUnit({ parent: own.id, reference: `below own ${count}` });
    const board = await addUnit({ parent: top.id, reference: `board ${count}` });
    const other = await addUnit({ parent: top.id });
    const post = { content_type: "news" as const, title: "Closures", unit: board.id };
    const { id } = await admin().call(posts.create, post);
    const ruler = await addUser({ unit: below.id });
    const { id: type } = await admin().call(usertypes.create, { name: `Ruler ${count}`, abilities: { units: true } });
    await admin().call(users.membershipAdd, { user: ruler.id, unit: own.id });
    await admin().call(users.membershipAdd, { user: ruler.id, unit: top.id, userTypes: [type] });
    const self = await instance.as(ruler.id);
    const row = { reference: below.reference!, name: below.name, parent: board.reference! };
    await forbidden(self, units.move, { id: below.id, parent: board.id });
    await forbidden(self, units.move, { id: own.id, parent: board.id });
    await forbidden(self, units.delete, { id: own.id, transfer: board.id });
    expect((await self.call(units.import, { rows: [row] })).results).toMatchObject([
      { action: "skipped", fields: { parent: ["is a unit that only an administrator can move you to"] } },
    ]);
    expect(await codeOf(self.call(posts.get, { id }))).toBe("not_found");
    await allowed(self, units.move, { id: other.id, parent: board.id });
    await allowed(self, units.move, { id: below.id, parent: top.id });
    await allowed(self, units.move, { id: board.id, parent: own.id });
  });

  it("A manager cannot rename a user type with abilities that the manager does not have, nor change its reference", async () => {
    const { types } = world();
    await forbidden(manager(), usertypes.update, { id: types.editor, name: "Editor of old" });
    await forbidden(manager(), usertypes.update, { id: types.editor, reference: "old" });
    await forbidden(manager(), usertypes.update, { id: types.editor, reference: null });
    await forbidden(manager(), usertypes.delete, { id: types.editor });
  });

  it("A manager cannot change a user type that somebody holds where the manager has not its abilities", async () => {
    const { addUser, units: places } = world();
    const { id } = await manager().call(usertypes.create, { name: `Both ${++count}`, abilities: { user: true } });
    await allowed(manager(), usertypes.update, { id, reference: `both ${count}` });
    await addUser({ unit: places.south, userTypes: [id] });
    const { message } = await refusal(manager().call(usertypes.update, { id, name: "Mine" }));
    expect(message).toBe(
      `You don't have the abilities user in unit ${places.south}, usertypes in unit ${places.south}.`,
    );
    await forbidden(manager(), usertypes.update, { id, reference: null });
    await forbidden(manager(), usertypes.update, { id, abilities: { user: false } });
  });

  it("A refusal names units, users and abilities in the same order on each database", async () => {
    const { actors, addUnit, addUser, units: places } = world();
    const messageOf = async (call: Promise<unknown>) => (await refusal(call)).message;
    const { id: other } = await addUnit({ parent: places.root });
    const visibility = { units: [other, places.south] };
    const post = { content_type: "debate" as const, title: "Debate", visibility };
    expect(await messageOf(actors.member.call(posts.create, post))).toContain(`units: ${places.south}, ${other}.`);
    const { id: first } = await addUser({ unit: other });
    const { id: second } = await addUser({ unit: places.south });
    expect(await messageOf(actors.member.call(users.welcome, { users: [second, first] }))).toContain(`unit ${other}.`);
    const { id } = await manager().call(usertypes.create, { name: `Both ${++count}` });
    for (const unit of [other, places.south, places.root]) await addUser({ unit, userTypes: [id] });
    const missing = [places.root, places.south, other].map((unit) => `usertypes in unit ${unit}`).sort();
    expect(await messageOf(manager().call(usertypes.update, { id, name: "Mine" }))).toContain(missing.join(", "));
  });

  it("A unit cannot be moved, nor deleted with a transfer, to where others have abilities that the actor lacks over it", async () => {
    const { addUnit, addUser, types } = world();
    const { id: press } = await addUnit({ reference: `press ${++count}` });
    const { id: below } = await addUnit({ parent: press, reference: `below ${count}` });
    const { id, name } = await addUnit({ reference: `moving ${count}` });
    await addUser({ unit: press, userTypes: [types.editor] });
    const rows = [{ reference: `moving ${count}`, name, parent: `below ${count}` }];
    for (const parent of [press, below]) {
      const message = `You don't have the ability news in unit ${id}.`;
      expect((await refusal(manager().call(units.move, { id, parent }))).message).toBe(message);
      expect((await refusal(manager().call(units.delete, { id, transfer: parent }))).message).toBe(message);
    }
    expect((await manager().call(units.import, { rows })).results).toMatchObject([
      { action: "skipped", fields: { parent: [`would extend abilities that you don't have: news in unit ${id}`] } },
    ]);
    await allowed(manager(), units.move, { id: below, parent: id });
    await allowed(admin(), units.move, { id, parent: press });
    await allowed(manager(), units.move, { id, parent: world().units.yard });
  });

  it("A mover's own abilities do not come to reach a unit by moving it, or what it gives away by deleting it", async () => {
    const { addUnit } = world();
    const { id: mine } = await addUnit();
    const { id: other } = await addUnit();
    const { caller } = await person({ [mine]: { user: true, units: true }, [other]: { units: true } });
    expect((await refusal(caller.call(units.move, { id: other, parent: mine }))).message).toContain(
      `user in unit ${other}`,
    );
    expect((await refusal(caller.call(units.delete, { id: other, transfer: mine }))).message).toContain(
      `user in unit ${other}`,
    );
    await allowed(caller, units.move, { id: mine, parent: other });
  });

  it("A unit cannot be deleted with a transfer of memberships that grant what the actor lacks at the target", async () => {
    const { addUnit, addUser, types } = world();
    const { id } = await addUnit();
    const { id: target } = await addUnit();
    const editor = await addUser({ unit: id, userTypes: [types.editor] });
    expect((await refusal(manager().call(units.delete, { id, transfer: target }))).message).toBe(
      `You don't have the abilities news in unit ${id}, news in unit ${target}.`,
    );
    await admin().call(users.membershipSet, { user: editor.id, from: id, userTypes: [types.manager] });
    await allowed(manager(), units.delete, { id, transfer: target });
    expect(await now(editor.id)).toEqual([[target, [types.manager]]]);
  });

  it("A unit cannot be deleted with a transfer to end abilities that protect an account and that the actor lacks there", async () => {
    const { addUnit, addUser, types } = world();
    const [old, target] = [await addUnit(), await addUnit()];
    const { caller } = await person({
      [old.id]: { user: true, units: true },
      [target.id]: { user: true, units: true, news: true },
    });
    const victim = await addUser({ unit: target.id, userTypes: [types.employee] });
    await admin().call(users.membershipAdd, { user: victim.id, unit: old.id, userTypes: [types.editor] });
    await forbidden(caller, users.password, { id: victim.id, password });
    const refused = await refusal(caller.call(units.delete, { id: old.id, transfer: target.id }));
    expect(refused.message).toBe(`You don't have the ability news in unit ${old.id}.`);
    await allowed(admin(), units.delete, { id: old.id, transfer: target.id });
    expect(await now(victim.id)).toEqual([[target.id, [types.employee]]]);
  });

  it("Deleting a unit does not put members of the receiving unit into the hands of those who added them to a third one", async () => {
    const { addUnit, addUser, types } = world();
    const [old, trap, target] = [await addUnit(), await addUnit(), await addUnit()];
    const { id: department } = await admin().call(units.departmentAdd, { id: target.id, name: "Cranes" });
    const attacker = await person({
      [trap.id]: { user: true },
      [old.id]: { units: true },
      [target.id]: { units: true },
    });
    const victim = await addUser({ unit: old.id, userTypes: [types.editor] });
    await allowed(attacker.caller, users.membershipAdd, { user: victim.id, unit: trap.id });
    const later = { user: victim.id, unit: target.id, userTypes: [types.employee], department };
    await admin().call(users.membershipAdd, later);
    await allowed(admin(), units.delete, { id: old.id, transfer: target.id });
    expect(await now(victim.id)).toEqual([
      [target.id, [types.employee]],
      [trap.id, []],
    ]);
    const { unit, department: kept } = await admin().call(users.get, { id: victim.id });
    expect([unit?.id, kept?.id]).toEqual([target.id, department]);
    expect((await admin().call(units.get, { id: target.id })).stats.users).toBe(2);
    await forbidden(attacker.caller, users.password, { id: victim.id, password });
    expect((await attacker.caller.call(users.get, { id: victim.id })).email).toBeNull();
  });

  it("An editor cannot open a post or an event to other user types in units that the ability does not reach", async () => {
    const { units: places, types, actors } = world();
    const { caller } = await person({ [places.north]: { news: true, calendar: true } });
    const news = { content_type: "news", title: "For managers", body: "", unit: places.north } as const;
    const visibility = { all_units: true, userTypes: [types.manager] };
    const { id } = await admin().call(posts.create, { ...news, visibility });
    const { id: event } = await admin().call(events.create, {
      ...{ title: "For managers", type: "unit", units: [places.north, places.south], userTypes: [types.manager] },
      ...{ start: 2e9, end: 2e9 + 60 },
    });
    for (const userTypes of [[], [types.manager, types.employee], [types.employee]]) {
      await forbidden(caller, posts.update, { id, visibility: { userTypes } });
      await forbidden(caller, events.update, { id: event, userTypes });
    }
    expect(await codeOf(actors.outsider.call(posts.get, { id }))).toBe("not_found");
    await allowed(caller, posts.update, { id, title: "For all managers", visibility });
    await allowed(caller, events.update, { id: event, title: "For all managers", userTypes: [types.manager] });
    // Where the ability reaches all units, it can.
    const { id: own } = await admin().call(posts.create, {
      ...news,
      visibility: { units_falldown: [places.north], userTypes: [types.manager] },
    });
    await allowed(caller, posts.update, { id: own, visibility: { userTypes: [] } });
  });

  it("The reference of a unit, by which imports find it, is changed only with the ability user there", async () => {
    const { units: places, addUnit } = world();
    const reference = `sales ${++count}`;
    const { id } = await addUnit({ parent: places.south, reference });
    const { id: blank } = await addUnit({ parent: places.south });
    const { caller } = await person({ [places.south]: { units: true }, [places.harbour]: { user: true } });
    await forbidden(caller, units.update, { id, reference: null });
    await forbidden(caller, units.update, { id, reference: `other ${count}` });
    await allowed(caller, units.update, { id, name: "Sales", reference });
    await allowed(caller, units.update, { id: blank, reference: `new ${count}` });
    const { caller: both } = await person({ [places.south]: { units: true, user: true } });
    await allowed(both, units.update, { id, reference: `other ${count}` });
  });

  it("Nobody but an administrator makes one, by creating, changing or importing", async () => {
    const { ids, units: places } = world();
    const someone = { first_name: "New", last_name: "Boss", email: `boss${++count}@attacker.example` };
    await forbidden(manager(), users.create, { ...someone, unit: places.harbour, admin: true });
    await forbidden(manager(), users.update, { id: ids.colleague, admin: true });
    await forbidden(manager(), users.update, { id: ids.manager, admin: true });
    const { results } = await manager().call(users.import, { rows: [{ ...someone, unit: "harbour", admin: true }] });
    expect(results).toMatchObject([{ action: "skipped", fields: { admin: [expect.any(String)] } }]);
  });
});
