import { expect, it } from "vitest";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { insertRows, updateRows } from "../../src/store/bulk.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

describeOnOneDatabase("users, changing", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const mailsTo = (user: number) =>
    world().instance.database.reader.selectFrom("mails").selectAll().where("user_id", "=", user).execute();

  it("users.update changes the given fields only", async () => {
    const { instance, addUser } = world();
    const before = await addUser({
      title: "Old",
      phone: "1",
      birthday: "1990-01-01",
      language: "da",
      timezone: "UTC",
      meta_field_1: "m",
    });
    const { id } = before;
    instance.wait(5);
    const after = await admin().call(users.update, { id, title: "New", settings: { birthdays_optout: true } });
    expect(after).toEqual({
      ...before,
      title: "New",
      settings: { show_birthdays: "all", birthdays_optout: true },
      updated_at: expect.any(Number),
    });
    expect(after.updated_at).toBeGreaterThan(before.updated_at);
    const cleared = await admin().call(users.update, {
      id,
      phone: null,
      birthday: null,
      language: null,
      timezone: null,
      title: "",
    });
    expect(cleared).toMatchObject({
      phone: null,
      birthday: null,
      language: null,
      timezone: null,
      title: "",
      meta_field_1: "m",
    });
  });

  it("users.update: with the ability user in another unit only, users change their own fields", async () => {
    const { instance, addUser, units: places, types } = world();
    const { id } = await addUser({ unit: places.south });
    await admin().call(users.membershipAdd, { user: id, unit: places.harbour, userTypes: [types.manager] });
    const own = await instance.as(id);
    expect(await codeOf(own.call(users.update, { id, title: "Chief" }))).toBe("forbidden");
    expect(await codeOf(own.call(users.update, { id, phone: "1" }))).toBe("ok");
  });

  it("users.update with the current values changes nothing", async () => {
    const { instance, addUser } = world();
    const before = await addUser({ title: "Same", settings: { birthdays_optout: true } });
    instance.wait(5);
    const { id, email, title, settings, admin: isAdmin } = before;
    const same = { id, email: email!, title, settings, admin: isAdmin, phone: null };
    expect(await admin().call(users.update, same)).toEqual(before);
    expect(await admin().call(users.update, { id })).toEqual(before);
  });

  it("users.create and users.update refuse a birthday in the future", async () => {
    const { instance, addUser } = world();
    const day = (ahead: number) => new Date((instance.now() + ahead * 86_400) * 1000).toISOString().slice(0, 10);
    const { id } = await addUser({ birthday: day(0) });
    const call = admin().call(users.update, { id, birthday: day(2) });
    expect(await wrongFields(call)).toEqual(["birthday"]);
    expect(await wrongFields(addUser({ birthday: day(2) }))).toEqual(["birthday"]);
  });

  it("users.update and users.import keep a stored birthday in the future, and no other one", async () => {
    const { instance, addUser } = world();
    const { id, email } = await addUser({ reference: "unborn" });
    const stored = { birthday: "2999-01-01" };
    await instance.database.write((tx) => updateRows(tx, "users", { id }, stored));
    expect(await admin().call(users.update, { id, ...stored, title: "Chief" })).toMatchObject({
      ...stored,
      title: "Chief",
    });
    expect(await wrongFields(admin().call(users.update, { id, birthday: "2999-01-02" }))).toEqual(["birthday"]);
    const row = { reference: "unborn", first_name: "A", last_name: "B", email: email!, unit: "harbour" };
    const rows = [
      { ...row, ...stored },
      { ...row, birthday: "2999-01-02" },
    ];
    const { results } = await admin().call(users.import, { rows });
    expect(results.map(({ action }) => action)).toEqual(["changed", "skipped"]);
  });

  it("users.update names all wrong fields", async () => {
    const wrong = { id: world().ids.member, first_name: "", email: null, unit: 3, password, birthday: "01-01" };
    expect(await wrongFields(admin().call(users.update, wrong as never))).toEqual([
      "birthday",
      "email",
      "first_name",
      "password",
      "unit",
    ]);
  });

  it("users.update: all users change their own phone, language, timezone and settings only", async () => {
    const { actors, ids } = world();
    const own = { phone: "42", language: "da", timezone: "Europe/Oslo", settings: { show_birthdays: "none" as const } };
    expect(await actors.member.call(users.update, { id: ids.member, ...own })).toMatchObject({
      ...own,
      settings: { show_birthdays: "none", birthdays_optout: false },
    });
    const others = [
      { first_name: "X" },
      { email: "x@example.com" },
      { birthday: "2000-01-01" },
      { admin: true },
      { reference: "x" },
      { meta_field_0: "x" },
      { title: "Boss" },
    ];
    for (const other of others) {
      const mixed = { id: ids.member, phone: "43", ...other };
      expect(await codeOf(actors.member.call(users.update, mixed)), JSON.stringify(other)).toBe("forbidden");
    }
    expect((await actors.member.call(users.current, {})).phone).toBe("42");
  });

  it("users.update: managers change all of their own fields, except admin", async () => {
    const { actors, ids } = world();
    expect((await actors.manager.call(users.update, { id: ids.manager, title: "Head" })).title).toBe("Head");
    expect(await codeOf(actors.manager.call(users.update, { id: ids.manager, admin: true }))).toBe("forbidden");
    expect(await codeOf(actors.manager.call(users.update, { id: ids.manager, admin: false }))).toBe("ok");
  });

  it("users.create and users.update: only administrators grant and revoke administrator rights", async () => {
    const { actors, ids, units: places } = world();
    const input = { first_name: "A", last_name: "B", email: "made@example.com", unit: places.harbour, admin: true };
    expect(await codeOf(actors.manager.call(users.create, input))).toBe("forbidden");
    expect(await codeOf(actors.manager.call(users.update, { id: ids.member, admin: true }))).toBe("forbidden");
    expect(await codeOf(actors.manager.call(users.update, { id: ids.boss, title: "Demoted" }))).toBe("forbidden");
    expect((await admin().call(users.update, { id: ids.colleague, admin: true })).admin).toBe(true);
    expect((await admin().call(users.update, { id: ids.colleague, admin: false })).admin).toBe(false);
  });

  it("users.update, users.deactivate and users.delete keep the last active administrator", async () => {
    const { ids } = world();
    await admin().call(users.deactivate, { id: ids.boss });
    const last = { code: "conflict", message: expect.stringContaining("last active administrator") };
    expect(await refusal(admin().call(users.update, { id: 1, admin: false }))).toMatchObject(last);
    expect(await refusal(admin().call(users.deactivate, { id: 1 }))).toMatchObject(last);
    expect(await refusal(admin().call(users.delete, { id: 1 }))).toMatchObject(last);
    expect((await admin().call(users.update, { id: 1, title: "Still here", admin: true })).admin).toBe(true);
    await admin().call(users.reactivate, { id: ids.boss });
  });

  it("users.welcome sends one mail to each user, and none when one user cannot get it", async () => {
    const { ids, addUser } = world();
    const [first, second] = [(await addUser()).id, (await addUser()).id];
    expect(await admin().call(users.welcome, { users: [first, second, first] })).toBeUndefined();
    expect((await mailsTo(first)).map((mail) => mail.kind)).toEqual(["welcome"]);
    expect((await mailsTo(second)).map((mail) => mail.kind)).toEqual(["welcome"]);
    for (const bad of [[first, ids.deactivated], [first, 987654], []]) {
      expect(await wrongFields(admin().call(users.welcome, { users: bad })), String(bad)).toEqual(["users"]);
    }
    expect(await mailsTo(first)).toHaveLength(1);
  });

  it("users.welcome and users.create: an address gets at most 5 welcome mails in an hour, whatever the accounts", async () => {
    const { instance, addUser, units: places } = world();
    instance.freeze();
    const [first, second] = [await addUser(), await addUser()];
    for (let sent = 0; sent < 3; sent += 1) await admin().call(users.welcome, { users: [first.id] });
    const again = async () => {
      const fields = { first_name: "Ann", last_name: "Other", unit: places.south, welcome: true };
      return (await admin().call(users.create, { ...fields, email: first.email?.toUpperCase() })).id;
    };
    await admin().call(users.delete, { id: first.id });
    await admin().call(users.delete, { id: await again() });
    const fifth = await again();
    const limited = {
      code: "too_many_requests",
      message: expect.stringContaining("There were 5 welcome mails in an hour to"),
    };
    const both = () => admin().call(users.welcome, { users: [fifth, second.id] });
    expect(await refusal(both())).toMatchObject({ ...limited, retryAfter: 3600 });
    expect(await mailsTo(second.id)).toEqual([]);
    await admin().call(users.delete, { id: fifth });
    expect(await refusal(again())).toMatchObject(limited);
    instance.wait(3600);
    expect(await mailsTo(await again())).toHaveLength(1);
  });

  it("users.welcome: a user sends at most 10,000 mails in an hour", async () => {
    const { instance, ids, addUser, units: places } = world();
    instance.freeze();
    const sent = 9_999;
    const people = [await addUser({ unit: places.harbour }), await addUser({ unit: places.harbour })].map(
      ({ id }) => id,
    );
    const event = { kind: "welcome_sender", account: `user:${ids.manager}`, network: "", pending: 0 } as const;
    const rows = Array.from({ length: sent }, (_, at) => ({
      ...event,
      expires_at: instance.now() + 60 + Math.floor(at / 3),
    }));
    await instance.database.write((tx) => insertRows(tx, "rate_limit_events", rows));
    const attacker = await instance.as(ids.manager);
    const limited = {
      code: "too_many_requests",
      message: expect.stringContaining("You sent too many welcome mails in an hour"),
    };
    expect(await refusal(attacker.call(users.welcome, { users: people }))).toMatchObject({
      ...limited,
      retryAfter: 60,
    });
    expect(await mailsTo(people[0]!)).toEqual([]);
    await attacker.call(users.welcome, { users: people.slice(0, 1) });
    const { token = "" } = await attacker.call(tokens.create, { name: "mail", scopes: ["write"] });
    for (const caller of [attacker, instance.withToken(token)])
      expect(await refusal(caller.call(users.welcome, { users: people.slice(1) }))).toMatchObject(limited);
    await admin().call(users.welcome, { users: people.slice(1) });
    instance.wait(60);
    await attacker.call(users.welcome, { users: people });
  });

  it("users.policy stores the time, and can be repeated", async () => {
    const { instance, actors } = world();
    expect(await actors.outsider.call(users.policy, {})).toBeUndefined();
    const first = (await actors.outsider.call(users.current, {})).policy_accepted_at;
    expect(first).toBe(instance.now());
    expect(await actors.outsider.call(users.policy, {})).toBeUndefined();
    expect(await wrongFields(actors.outsider.call(users.policy, { accepted: true } as never))).toEqual(["accepted"]);
  });
});
