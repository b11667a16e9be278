import { expect, it } from "vitest";
import { events } from "../../src/contract/events.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { sessions } from "../../src/contract/sessions.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { password, useWorld } from "../support/actors.ts";
import { delayedCaller } from "../support/delayed-caller.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

describeEverywhere("a sign-in that ends while a request waits to write", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  let serial = 0;

  const changes: Record<string, (caller: Caller, victim: number) => Promise<unknown>> = {
    "users.update": (caller, id) => caller.call(users.update, { id, first_name: "Changed" }),
    "users.create": (caller) => {
      const names = { first_name: "New", last_name: "Admin", email: `new${serial++}@example.com` };
      return caller.call(users.create, { ...names, unit: 1, admin: true, password });
    },
    "users.password": (caller, id) => caller.call(users.password, { id, password: "another long password" }),
  };
  const endings: Record<string, [string, (id: number) => Promise<unknown>]> = {
    deactivated: ["unauthenticated", (id) => admin().call(users.deactivate, { id })],
    deleted: ["unauthenticated", (id) => admin().call(users.delete, { id })],
    "given another password": ["unauthenticated", (id) => admin().call(users.password, { id, password })],
    "no administrator any more": ["forbidden", (id) => admin().call(users.update, { id, admin: false })],
    "signed out": [
      "unauthenticated",
      async (id) => {
        const own = await world().instance.as(id);
        for (const { id: session } of (await own.call(sessions.list, {})).data)
          await own.call(sessions.end, { id: session }).catch(() => {});
      },
    ],
  };

  for (const [ending, [code, end]] of Object.entries(endings)) {
    it.each(Object.keys(changes))(`%s by an administrator who is ${ending} meanwhile changes nothing`, async (name) => {
      const { instance, addUser } = world();
      const { id } = await addUser({ admin: true, unit: 1 });
      const victim = await addUser();
      const caller = delayedCaller(world(), await instance.tokenOf(id), () => end(id));
      const before = await instance.database.reader.selectFrom("users").select("id").orderBy("id").execute();
      expect(await codeOf(changes[name]!(caller, victim.id))).toBe(code);
      expect(await instance.database.reader.selectFrom("users").select("id").orderBy("id").execute()).toEqual(before);
      expect((await admin().call(users.get, { id: victim.id })).first_name).toBe(victim.first_name);
    });
  }

  it("users.update by an API token that is revoked meanwhile changes nothing", async () => {
    const made = await admin().call(tokens.create, { name: "CI", scopes: ["write"] });
    const { id } = await world().addUser();
    const caller = delayedCaller(world(), made.token!, () => admin().call(tokens.revoke, { id: made.id }));
    expect(await codeOf(caller.call(users.update, { id, first_name: "Changed" }))).toBe("unauthenticated");
  });

  it("events.update by a user who loses the ability meanwhile changes nothing", async () => {
    const { instance, addUser, units } = world();
    const { harbour } = units;
    const type = await admin().call(usertypes.create, { name: "Planner", abilities: { calendar: true } });
    const { id: user } = await addUser({ userTypes: [type.id] });
    const event = { title: "Meeting", start: 2_000_000_000, end: 2_000_003_600 };
    const { id } = await admin().call(events.create, { ...event, type: "unit", units: [harbour] });
    const revoke = () => admin().call(users.membershipSet, { user, from: harbour, userTypes: [] });
    const caller = delayedCaller(world(), await instance.tokenOf(user), revoke);
    expect(await codeOf(caller.call(events.update, { id, title: "Changed" }))).toBe("forbidden");
    expect((await admin().call(events.get, { id })).title).toBe("Meeting");
  });

  it("users.deactivateMissing of a provider by a user who loses the ability meanwhile tells nothing", async () => {
    const { instance, addUser, units } = world();
    const type = await admin().call(usertypes.create, { name: "Synchronizer", abilities: { user: true } });
    const { id: user } = await addUser({ userTypes: [type.id] });
    const { id } = await addUser({ provider: "directory", password: undefined });
    const revoke = () => admin().call(users.membershipSet, { user, from: units.harbour, userTypes: [] });
    const caller = delayedCaller(world(), await instance.tokenOf(user), revoke);
    const missing = { provider: "directory", present: [id] };
    expect(await codeOf(caller.call(users.deactivateMissing, missing))).toBe("forbidden");
  });

  it.each([
    ["becomes an administrator", "forbidden", (id: number) => admin().call(users.update, { id, admin: true })],
    ["is deleted", "gone", (id: number) => admin().call(users.delete, { id })],
    ["gets another one", "conflict", (id: number) => admin().call(users.password, { id, password })],
  ])("users.password of a user who %s meanwhile sets none", async (_, code, change) => {
    const { instance, addUser, ids } = world();
    const { id } = await addUser();
    const hash = async () =>
      (await instance.database.reader.selectFrom("users").select("password_hash").where("id", "=", id).execute())[0];
    // The request may fail as soon as the change is made, before the hash that it left is read.
    const changed = Promise.withResolvers<unknown>();
    const caller = delayedCaller(world(), await instance.tokenOf(ids.manager), async () => {
      await change(id);
      changed.resolve(await hash());
    });
    expect(await codeOf(caller.call(users.password, { id, password }))).toBe(code);
    expect(await hash()).toEqual(await changed.promise);
  });

  it("a request that waits for nothing else is carried out", async () => {
    const { instance, addUser, ids } = world();
    const { id } = await addUser();
    const caller = delayedCaller(world(), await instance.tokenOf(ids.manager), async () => {});
    expect(await codeOf(caller.call(users.password, { id, password }))).toBe("ok");
  });
});
