import { expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { counterNames, counters } from "../../src/contract/counters.ts";
import { events } from "../../src/contract/events.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { password, useWorld } from "../support/actors.ts";
import { delayedCaller } from "../support/delayed-caller.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, tally } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

describeEverywhere("races", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;

  it("users.create: one of 10 simultaneous calls with one address succeeds", async () => {
    const { addUser } = world();
    const codes = await tally(times(10, () => addUser({ email: "same@example.com" })));
    expect(codes).toEqual({ ok: 1, conflict: 9 });
  });

  it("counters.reset: 20 simultaneous resets of each counter succeed while the user changes", async () => {
    const { actors, ids } = world();
    const resets = counterNames.flatMap((type) =>
      times(20, () => codeOf(actors.member.call(counters.reset, { type }))),
    );
    const changes = times(5, (n) => codeOf(admin().call(users.update, { id: ids.member, phone: String(n) })));
    expect(new Set(await Promise.all([...resets, ...changes]))).toEqual(new Set(["ok"]));
  });

  it("users.create: a unit that is deleted meanwhile does not exist", async () => {
    const { addUser, addUnit } = world();
    const unit = await addUnit();
    // The password is hashed between the first look at the unit and the writing.
    const creating = codeOf(addUser({ unit: unit.id, password }));
    const deleted = await codeOf(admin().call(units.delete, { id: unit.id }));
    expect(["ok conflict", "validation_failed ok"]).toContain(`${await creating} ${deleted}`);
  });

  it("usertypes.create: one of 10 simultaneous calls with one name succeeds", async () => {
    const codes = await tally(times(10, (n) => admin().call(usertypes.create, { name: n % 2 ? "Ærlig" : "ærlig" })));
    expect(codes).toEqual({ ok: 1, conflict: 9 });
  });

  it("users.membershipAdd: one of 10 simultaneous calls for one unit succeeds", async () => {
    const { addUser, units: places } = world();
    const { id } = await addUser();
    const add = { user: id, unit: places.yard };
    expect(await tally(times(10, () => admin().call(users.membershipAdd, add)))).toEqual({ ok: 1, conflict: 9 });
  });

  it("users.membershipRemove: of two memberships that are ended simultaneously, one stays", async () => {
    const { addUser, units: places } = world();
    const { id } = await addUser();
    await admin().call(users.membershipAdd, { user: id, unit: places.yard });
    const ends = [places.harbour, places.yard].map((unit) => admin().call(users.membershipRemove, { user: id, unit }));
    expect(await tally(ends)).toEqual({ ok: 1, conflict: 1 });
    expect((await admin().call(users.memberships, { user: id })).data).toHaveLength(1);
  });

  it("units.move: of two units that are moved into each other simultaneously, one moves", async () => {
    const { addUnit, units: places } = world();
    const [one, other] = [await addUnit({ parent: places.yard }), await addUnit({ parent: places.yard })];
    const moves = [
      admin().call(units.move, { id: one.id, parent: other.id }),
      admin().call(units.move, { id: other.id, parent: one.id }),
    ];
    expect(await tally(moves)).toEqual({ ok: 1, conflict: 1 });
  });

  it("units.create: 20 simultaneous calls count right in the units above", async () => {
    const { addUnit } = world();
    const top = await addUnit();
    await Promise.all(times(20, () => addUnit({ parent: top.id })));
    expect((await admin().call(units.get, { id: top.id })).stats).toEqual({
      users: 0,
      children: 20,
      children_total: 20,
    });
  });

  it("users.password: of two passwords set at the same time the first is good, and the second is refused", async () => {
    const { instance, addUser, stranger } = world();
    const { id } = await addUser({ email: "twice@example.com", password });
    const set = (caller: Caller, text: string) => codeOf(caller.call(users.password, { id, password: text }));
    const first = "the first good password";
    const slow = delayedCaller(world(), await instance.tokenOf(1), () => set(admin(), first));
    expect(await set(slow, "the second good password")).toBe("conflict");
    expect(await codeOf(stranger.call(auth.authenticate, { username: "twice@example.com", password: first }))).toBe(
      "ok",
    );
  });

  it("users.password: one of 8 simultaneous changes succeeds", async () => {
    const { instance, addUser, stranger } = world();
    const { id, email } = await addUser({ password });
    const own = await instance.as(id);
    const changes = times(8, (n) =>
      own.call(users.password, { id, password: `password number ${n}`, current: password }),
    );
    const { ok, ...others } = await tally(changes);
    expect(ok).toBe(1);
    for (const code of Object.keys(others))
      expect(["conflict", "unauthenticated", "validation_failed"]).toContain(code);
    const signIns = times(8, (n) =>
      stranger.call(auth.authenticate, { username: email!, password: `password number ${n}` }),
    );
    expect(await tally(signIns)).toEqual({ ok: 1, unauthenticated: 7 });
  });

  it("users.exportData: 60 of 70 simultaneous exports of a user begin", async () => {
    const { ids, actors } = world();
    // On a busy machine, some wait too long for the others. A client repeats these.
    const begin = (): Promise<unknown> =>
      actors.outsider
        .call(users.exportData, { id: ids.outsider })
        .catch((error) => (error.code === "unavailable" ? begin() : Promise.reject(error)));
    expect(await tally(times(70, begin))).toEqual({ ok: 60, too_many_requests: 10 });
  });

  it("tokens.create: one of 50 simultaneous calls with one name succeeds", async () => {
    const { actors } = world();
    const calls = times(50, () => actors.manager.call(tokens.create, { name: "Same", scopes: ["write"] }));
    expect(await tally(calls)).toEqual({ ok: 1, conflict: 49 });
  });

  it("events.update plans the times again that another one changed meanwhile", async () => {
    const start = 2_000_000_000;
    const event = { title: "Meeting", type: "user", start, end: start + 3600 } as const;
    const { id } = await admin().call(events.create, event);
    const later = { start: start + 86_400, end: start + 90_000 };
    const slow = delayedCaller(world(), await world().instance.tokenOf(1), () =>
      admin().call(events.update, { id, ...later }),
    );
    await slow.call(events.update, { id, end: start + 93_600 });
    expect((await admin().call(events.get, { id })).dates).toEqual([{ start: later.start, end: start + 93_600 }]);
  });

  it("events.update: an event that is deleted meanwhile is gone", async () => {
    const { instance } = world();
    const times = { start: instance.now(), end: instance.now() + 60 };
    const { id } = await admin().call(events.create, { type: "user", title: "Lunch", ...times });
    const slow = delayedCaller(world(), await instance.tokenOf(1), () => admin().call(events.delete, { id }));
    expect(await codeOf(slow.call(events.update, { id, title: "Late lunch", end: times.end + 60 }))).toBe("gone");
  });

  it("users.delete: one of 5 simultaneous calls deletes the user", async () => {
    const { id } = await world().addUser();
    const codes = await tally(times(5, () => admin().call(users.delete, { id })));
    expect(codes).toEqual({ ok: 1, gone: 4 });
  });

  it("users.deactivate: of two administrators who deactivate each other, one stays active", async () => {
    const { instance, ids } = world();
    const boss = await instance.as(ids.boss);
    const codes = await tally([
      admin().call(users.deactivate, { id: ids.boss }),
      boss.call(users.deactivate, { id: ids.administrator }),
    ]);
    expect(codes.ok).toBe(1);
    const active = await instance.database.reader
      .selectFrom("users")
      .select("id")
      .where("admin", "=", 1)
      .where("active", "=", 1)
      .execute();
    expect(active).toHaveLength(1);
  });
});
