import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { audit } from "../../src/contract/audit.ts";
import { auth } from "../../src/contract/auth.ts";
import type { NamedKind } from "../../src/contract/field-metadata.ts";
import { names } from "../../src/contract/names.ts";
import type { ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { settings } from "../../src/contract/settings.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { createService } from "../../src/core/service.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { observeWaits } from "../support/observe-waits.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { mailedToken } from "../support/password-mail.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

const form = /^wcs_[0-9A-Za-z]{49}$/;

describeOnOneDatabase("API tokens", (environment) => {
  const world = useWorld(environment);
  let count = 0;
  const create = async (by: Caller, fields: Partial<ArgumentsOf<typeof tokens.create>> = {}) => {
    count += 1;
    return by.call(tokens.create, { name: `Token ${count}`, scopes: ["write"], ...fields });
  };
  const newToken = async (by: Caller, fields: Partial<ArgumentsOf<typeof tokens.create>> = {}) => {
    const { id, token = "" } = await create(by, fields);
    return { id, token, caller: world().instance.withToken(token) };
  };
  const account = { first_name: "Nightly", last_name: "Import", service: true };
  const machine = async (fields: object = {}) =>
    world().actors.administrator.call(users.create, { ...account, unit: world().units.harbour, ...fields });
  const current = (caller: Caller) => caller.call(users.current, {});
  /** A second process on the same database. */
  const elsewhere = async (token: string) => {
    const database = await openDatabase(world().instance.target);
    return createService({ database, clock: () => world().instance.now() * 1000 }).caller({ token });
  };

  it("names.find finds the kinds of things that the scopes let a token get or list", async () => {
    const { actors } = world();
    const { administrator } = actors;
    await administrator.call(webhooks.create, { name: "North", uri: "https://x.example/" });
    const kindsOf = async (scopes: string[], kinds?: NamedKind[]) => {
      const { caller } = await newToken(administrator, { scopes });
      const { data } = await caller.call(names.find, { texts: ["north"], kinds });
      return [...new Set(data.map(({ kind }) => kind))];
    };
    expect(await kindsOf(["webhooks.*"])).toEqual(["webhooks"]);
    expect(await kindsOf(["webhooks.list", "units.get"])).toEqual(["units", "webhooks"]);
    for (const scope of ["read", "write", "names.find", "names.*"])
      expect(await kindsOf([scope], ["units", "webhooks"])).toEqual(["units", "webhooks"]);
    expect(await codeOf(kindsOf(["webhooks.*"], ["webhooks", "units"]))).toBe("forbidden");
    for (const scopes of [["users.create"], ["webhooks.create"], ["units.tree"]])
      expect(await codeOf(kindsOf(scopes))).toBe("forbidden");
  });

  it("tokens.create shows the token once, and the token acts as its owner", async () => {
    const { actors, ids, instance } = world();
    const expires_at = instance.now() + 60;
    const { token, ...shown } = await create(actors.member, { name: "Nightly", scopes: ["read", "read"], expires_at });
    expect(token).toMatch(form);
    expect(shown).toEqual({
      content_type: "token",
      id: shown.id,
      name: "Nightly",
      owner: { id: ids.member, name: expect.stringContaining("Member"), url: `/users/${ids.member}` },
      scopes: ["read"],
      current: false,
      created_at: instance.now(),
      expires_at,
      last_used_at: null,
      url: `/tokens/${shown.id}`,
    });
    expect(await actors.member.call(tokens.get, { id: shown.id })).toEqual(shown);
    expect((await actors.member.call(tokens.list, {})).data).toContainEqual(shown);
    const caller = instance.withToken(token);
    expect((await current(caller)).id).toBe(ids.member);
    expect(await caller.call(tokens.get, { id: shown.id })).toMatchObject({ current: true });
  });

  it("tokens.current returns the token that asks, whatever its scopes and its owner, and is not found for a sign-in", async () => {
    const { actors, instance } = world();
    const { id: owner } = await machine();
    const expires_at = instance.now() + 60;
    const made = {
      administrator: await newToken(actors.administrator, { scopes: ["units.list"] }),
      member: await newToken(actors.member, { scopes: ["webhooks.*", "users.create"], expires_at }),
      manager: await newToken(actors.manager, { scopes: ["read"] }),
      machine: await newToken(actors.manager, { scopes: ["auth.authenticate"], owner }),
    };
    for (const [name, { id, token, caller }] of Object.entries(made)) {
      const shown = await caller.call(tokens.current, {});
      const seen = await actors.administrator.call(tokens.get, { id });
      expect(shown, name).toEqual({ ...seen, current: true, last_used_at: shown.last_used_at });
      expect(JSON.stringify(shown), name).not.toContain(token.slice(4));
    }
    expect(await made.machine.caller.call(tokens.current, {})).toMatchObject({ owner: { id: owner } });
    for (const name of ["administrator", "member"] as const)
      expect(await codeOf(actors[name].call(tokens.current, {})), name).toBe("not_found");
    for (const caller of [actors.attacker, actors.deactivated, world().stranger])
      expect(await codeOf(caller.call(tokens.current, {}))).toBe("unauthenticated");
  });

  it("tokens.current needs no scope, but tokens.get and tokens.list of the same token do", async () => {
    const { administrator } = world().actors;
    const { id, caller } = await newToken(administrator, { scopes: ["units.list", "tokens.current"] });
    expect(await codeOf(caller.call(tokens.current, {}))).toBe("ok");
    for (const read of [
      () => current(caller),
      () => caller.call(tokens.list, {}),
      () => caller.call(tokens.get, { id }),
    ])
      expect(await codeOf(read())).toBe("forbidden");
  });

  it("tokens.current refuses tokens that expired, were revoked, or whose owner is deactivated", async () => {
    const { actors, addUser, instance } = world();
    const code = (caller: Caller) => codeOf(caller.call(tokens.current, {}));
    const scopes = ["units.list"];
    const { id } = await addUser();
    const owned = await newToken(await instance.as(id), { scopes });
    const revoked = await newToken(actors.member, { scopes });
    const expired = await newToken(actors.member, { scopes, expires_at: instance.now() + 30 });
    const all = [owned, revoked, expired].map(({ caller }) => caller);
    expect(await Promise.all(all.map(code))).toEqual(["ok", "ok", "ok"]);
    await actors.administrator.call(users.deactivate, { id });
    await actors.manager.call(tokens.revoke, { id: revoked.id });
    instance.wait(30);
    expect(await Promise.all(all.map(code))).toEqual(Array(3).fill("unauthenticated"));
  });

  it("tokens.list returns the actor's own tokens, to administrators all, and filters by expiry", async () => {
    const { actors, ids, instance } = world();
    const soon = await create(actors.outsider, { expires_at: instance.now() + 100 });
    const later = await create(actors.outsider, { expires_at: instance.now() + 1000 });
    const never = await create(actors.outsider);
    const idsOf = async (caller: Caller, filter: ArgumentsOf<typeof tokens.list>) =>
      (await caller.call(tokens.list, { limit: 500, ...filter })).data.map(({ id }) => id);
    expect(await idsOf(actors.outsider, {})).toEqual([soon.id, later.id, never.id]);
    expect(await idsOf(actors.administrator, { owner: ids.outsider })).toEqual([soon.id, later.id, never.id]);
    expect(await idsOf(actors.administrator, {})).toEqual(expect.arrayContaining([soon.id, never.id]));
    expect(await idsOf(actors.outsider, { expires_before: instance.now() + 500 })).toEqual([soon.id]);
    expect(await idsOf(actors.manager, {})).not.toContain(soon.id);
  });

  it("tokens.list refuses the cursor of a list with another filter", async () => {
    const { actors, ids } = world();
    for (let count = 0; count < 2; count++) await create(actors.outsider);
    const owner = { owner: ids.outsider, limit: 1 };
    const { meta } = await actors.administrator.call(tokens.list, owner);
    const cursor = meta.next_cursor!;
    expect(await codeOf(actors.administrator.call(tokens.list, { ...owner, cursor }))).toBe("ok");
    expect(await wrongFields(actors.administrator.call(tokens.list, { limit: 1, cursor }))).toEqual(["cursor"]);
  });

  it("tokens.revoke: the next request with the token is refused, in every process", async () => {
    const { id, token, caller } = await newToken(world().actors.member);
    const other = await elsewhere(token);
    try {
      expect([await codeOf(current(caller)), await codeOf(current(other))]).toEqual(["ok", "ok"]);
      await world().actors.manager.call(tokens.revoke, { id });
      expect([await codeOf(current(caller)), await codeOf(current(other))]).toEqual([
        "unauthenticated",
        "unauthenticated",
      ]);
      expect(await codeOf(world().actors.member.call(tokens.get, { id }))).toBe("not_found");
    } finally {
      await other.close();
    }
  });

  it("tokens.revoke ends a request that waits with the token", async () => {
    const { id, caller } = await newToken(world().actors.administrator);
    const { meta } = await caller.call(webhooks.events, {});
    const begun = observeWaits();
    const waiting = codeOf(caller.call(webhooks.events, { after: meta.last_id, wait: 20 }));
    await begun();
    await world().actors.administrator.call(tokens.revoke, { id });
    expect(await waiting).toBe("unauthenticated");
  });

  it("every operation refuses a token that has expired", async () => {
    const { actors, instance } = world();
    const { caller } = await newToken(actors.member, { expires_at: instance.now() + 30 });
    expect(await codeOf(current(caller))).toBe("ok");
    instance.wait(30);
    expect(await refusal(current(caller))).toMatchObject({
      code: "unauthenticated",
      message: "The API token has expired; create another one.",
    });
  });

  it("every operation refuses malformed, truncated and unknown tokens", async () => {
    const { token } = await newToken(world().actors.member);
    const last = token.endsWith("A") ? "B" : "A";
    const wrong = [
      "wcs_",
      token.slice(0, -1),
      `${token}0`,
      token.slice(0, -1) + last,
      token.toLowerCase(),
      `wcs_${randomBytes(40).toString("hex").slice(0, 49)}`,
    ];
    for (const each of wrong)
      expect(await codeOf(current(world().instance.withToken(each))), each).toBe("unauthenticated");
  });

  it("users.deactivate and users.delete end the tokens of the user; users.reactivate does not bring them back", async () => {
    const { administrator } = world().actors;
    const { id } = await world().addUser();
    const { caller } = await newToken(await world().instance.as(id));
    await administrator.call(users.deactivate, { id });
    expect(await codeOf(current(caller))).toBe("unauthenticated");
    await administrator.call(users.reactivate, { id });
    expect(await codeOf(current(caller))).toBe("unauthenticated");
    const second = await newToken(await world().instance.as(id));
    await administrator.call(users.delete, { id });
    expect(await codeOf(current(second.caller))).toBe("unauthenticated");
    expect(await codeOf(administrator.call(tokens.list, { owner: id }))).toBe("gone");
  });

  it("users.password ends the tokens of the user when somebody else sets it, not when users change their own", async () => {
    const { id } = await world().addUser({ password });
    const { caller } = await newToken(await world().instance.as(id));
    const changed = { id, password: "another good password", current: password };
    await (await world().instance.as(id)).call(users.password, changed);
    expect(await codeOf(current(caller))).toBe("ok");
    await world().actors.administrator.call(users.password, { id, password: "a third good password" });
    expect(await codeOf(current(caller))).toBe("unauthenticated");
  });

  it("auth.passwordReset ends the tokens of the user", async () => {
    const { id, email } = await world().addUser({ password });
    const { caller } = await newToken(await world().instance.as(id));
    await world().stranger.call(auth.passwordRequest, { email: email ?? "" });
    expect(await codeOf(current(caller))).toBe("ok");
    const token = await mailedToken(world().instance, email ?? "");
    const fresh = { password: "another good password", password_confirm: "another good password" };
    await world().stranger.call(auth.passwordReset, { email: email ?? "", token, ...fresh });
    expect(await codeOf(current(caller))).toBe("unauthenticated");
  });

  it("auth.renew and users.password refuse API tokens, whatever their scopes", async () => {
    const { caller } = await newToken(world().actors.administrator, { scopes: ["write", "auth.*", "users.password"] });
    expect(await codeOf(caller.call(auth.renew, {}))).toBe("forbidden");
    const { colleague } = world().ids;
    expect(await codeOf(caller.call(users.password, { id: colleague, password }))).toBe("forbidden");
    expect(await codeOf(caller.call(users.password, { id: 1, password, current: password }))).toBe("forbidden");
  });

  it("users.create and users.update: an administrator's API token cannot set passwords, make administrators or change addresses that sign in", async () => {
    const { actors, ids, units, addUser } = world();
    const { caller } = await newToken(actors.administrator, { scopes: ["write", "users.*"] });
    const { email, first_name, last_name } = await current(actors.administrator);
    const person = { first_name: "New", last_name: "Person", email: "by.token@example.com", unit: units.harbour };
    const refused = async (call: Promise<unknown>) =>
      expect(await refusal(call)).toMatchObject({ code: "forbidden", message: expect.stringContaining("API token") });
    await refused(caller.call(users.create, { ...person, admin: true }));
    await refused(caller.call(users.create, { ...person, password }));
    await refused(caller.call(users.update, { id: ids.colleague, admin: true }));
    await refused(caller.call(users.update, { id: ids.boss, admin: false }));
    for (const id of [1, ids.boss]) await refused(caller.call(users.update, { id, email: "mine@attacker.example" }));
    await caller.call(users.update, { id: 1, email: email ?? "", title: "Chief" });
    const { reference } = await actors.administrator.call(users.update, { id: 1, reference: "chief" });
    const row = { reference, first_name, last_name, email: "mine@attacker.example", unit: "root" };
    const { results } = await caller.call(users.import, { rows: [row] });
    expect(results.map(({ action }) => action)).toEqual(["skipped"]);
    expect(results[0]?.issues).toContainEqual(expect.objectContaining({ field: "email", code: "sign_in_only" }));
    expect((await current(actors.administrator)).email).toBe(email);
    // All else stays possible.
    await caller.call(users.create, { ...person, welcome: true });
    const { id } = await addUser();
    await caller.call(users.update, { id, email: "new.address@example.com" });
  });

  it("users.update, deactivate, reactivate and delete: an administrator's API token cannot change an administrator's account", async () => {
    const { actors, addUser } = world();
    const { administrator } = actors;
    const { caller } = await newToken(administrator, { scopes: ["write", "users.*"] });
    const { id, email, first_name, last_name } = await addUser({ admin: true, reference: "other chief" });
    const refused = async (call: Promise<unknown>) =>
      expect(await refusal(call)).toMatchObject({ code: "forbidden", message: expect.stringContaining("API token") });
    await refused(caller.call(users.update, { id, provider: "okta" }));
    await refused(caller.call(users.deactivate, { id }));
    await refused(caller.call(users.delete, { id }));
    const row = { reference: "other chief", first_name, last_name, email: email!, unit: "harbour" };
    const { results } = await caller.call(users.import, { rows: [{ ...row, provider: "okta" }] });
    expect(results).toMatchObject([{ action: "skipped", issues: [{ field: "provider", code: "sign_in_only" }] }]);
    await administrator.call(users.deactivate, { id });
    await refused(caller.call(users.reactivate, { id }));
    const { active, provider } = await administrator.call(users.get, { id });
    expect({ active, provider }).toEqual({ active: false, provider: ["local"] });
    await administrator.call(users.delete, { id });
    // With users who are no administrators all of it stays possible.
    const person = await addUser();
    await caller.call(users.update, { id: person.id, provider: "okta" });
    for (const op of [users.deactivate, users.reactivate, users.delete]) await caller.call(op, { id: person.id });
  });

  it("settings.set: an administrator's API token cannot change settings that protect sign-ins, the network or the audit log", async () => {
    const { caller } = await newToken(world().actors.administrator, { scopes: ["write"] });
    const wanted = [
      { base_url: "https://attacker.example" },
      { "mail.smtp_url": "smtp://attacker.example" },
      { "mail.allow_plain": true },
      { "two_factor.required_for_administrators": false },
      { "webhooks.allow_private": true },
      { "audit.days": 1 },
    ];
    for (const changes of wanted) expect(await codeOf(caller.call(settings.set, changes))).toBe("forbidden");
    expect(await codeOf(caller.call(settings.set, { base_url: null }))).toBe("forbidden");
    expect(await codeOf(caller.call(settings.set, { "mail.days": 100 }))).toBe("ok");
  });

  it("tokens.create: scopes cover all reads, everything, single operations and groups of operations", async () => {
    const { administrator } = world().actors;
    const all = { list: tokens.list, unit: units.tree, hooks: webhooks.list };
    const codes = async (scopes: string[]) => {
      const { caller } = await newToken(administrator, { scopes });
      const found: Record<string, string> = {};
      for (const [name, op] of Object.entries(all)) found[name] = await codeOf(caller.call(op, {}));
      const unit = { name: "By a token", parent: world().units.yard };
      return { ...found, change: await codeOf(caller.call(units.create, unit, { dryRun: true })) };
    };
    const none = { list: "forbidden", unit: "forbidden", hooks: "forbidden", change: "forbidden" };
    expect(await codes(["read"])).toEqual({ list: "ok", unit: "ok", hooks: "ok", change: "forbidden" });
    expect(await codes(["write"])).toEqual({ list: "ok", unit: "ok", hooks: "ok", change: "ok" });
    expect(await codes(["webhooks.*"])).toEqual({ ...none, hooks: "ok" });
    expect(await codes(["units.tree", "units.create"])).toEqual({ ...none, unit: "ok", change: "ok" });
    expect(await codes(["auth.authenticate"])).toEqual(none);
  });

  it("a scope that no longer exists covers nothing, and the other scopes of the token still work", async () => {
    const { id, caller } = await newToken(world().actors.administrator);
    const scopes = JSON.stringify(["units.gone", "gone.*", "units.tree"]);
    const { database } = world().instance;
    await database.write((tx) => tx.updateTable("api_tokens").set({ scopes }).where("id", "=", id).execute());
    expect([await codeOf(caller.call(units.tree, {})), await codeOf(current(caller))]).toEqual(["ok", "forbidden"]);
  });

  it("tokens.create by a token: only within its own scopes and lifetime", async () => {
    const { actors, instance } = world();
    const expires_at = instance.now() + 1000;
    const { caller } = await newToken(actors.administrator, { scopes: ["read", "tokens.*", "units.move"], expires_at });
    const code = (scopes: string[], until: number | undefined = expires_at) =>
      codeOf(create(caller, { scopes, expires_at: until }));
    for (const within of ["read", "users.get", "tokens.*", "tokens.create", "units.move"])
      expect(await code([within]), within).toBe("ok");
    for (const beyond of ["write", "users.*", "units.*", "users.create"])
      expect(await code(["read", beyond]), beyond).toBe("forbidden");
    expect(await code(["read"], expires_at + 1)).toBe("forbidden");
    expect(await codeOf(create(caller, { scopes: ["read"] }))).toBe("forbidden");
  });

  it("tokens.create names every wrong field", async () => {
    const { actors, ids, instance } = world();
    const bad = { name: "Bad", scopes: ["users.nothing"], owner: ids.colleague, expires_at: instance.now() };
    expect(await wrongFields(actors.administrator.call(tokens.create, bad))).toEqual(["expires_at", "owner", "scopes"]);
    for (const scope of ["*", "everything", "users.", "users.*.*", "Users.get", "__proto__.*"])
      expect(await wrongFields(create(actors.administrator, { scopes: [scope] })), scope).toEqual(["scopes.0"]);
    expect(await wrongFields(create(actors.administrator, { scopes: ["nothing.*"] }))).toEqual(["scopes"]);
    expect(await wrongFields(create(actors.administrator, { scopes: [] }))).toEqual(["scopes"]);
    const account = await machine();
    await actors.administrator.call(users.deactivate, { id: account.id });
    expect(await wrongFields(create(actors.administrator, { owner: account.id }))).toEqual(["owner"]);
  });

  it("tokens.create: another owner may use the name of a token", async () => {
    const { actors } = world();
    await create(actors.manager, { name: "Same" });
    expect(await codeOf(create(actors.manager, { name: "Same" }))).toBe("conflict");
    expect(await codeOf(create(actors.member, { name: "Same" }))).toBe("ok");
  });

  it("tokens.create: a user has at most 100 tokens that have not expired", async () => {
    const { administrator } = world().actors;
    const { id: owner } = await machine();
    await create(administrator, { owner, expires_at: world().instance.now() + 600 });
    const { id } = await create(administrator, { owner });
    for (let n = 2; n < 100; n++) await create(administrator, { owner });
    expect(await codeOf(create(administrator, { owner }))).toBe("conflict");
    await create(administrator);
    await administrator.call(tokens.revoke, { id });
    await create(administrator, { owner });
    expect(await codeOf(create(administrator, { owner }))).toBe("conflict");
    world().instance.wait(600);
    await create(administrator, { owner });
  });

  it("tokens.get: the last use is recorded at most once per minute", async () => {
    const { actors, instance } = world();
    const { id, caller } = await newToken(actors.member);
    const lastUse = async () => (await actors.member.call(tokens.get, { id })).last_used_at;
    const first = instance.now();
    await current(caller);
    await expect.poll(lastUse).toBe(first);
    instance.wait(59);
    await current(caller);
    instance.wait(1);
    await Promise.all(Array.from({ length: 20 }, () => current(caller)));
    await expect.poll(lastUse).toBe(first + 60);
    instance.wait(60);
    expect(await codeOf(caller.call(auth.renew, {})), "a use that is refused").toBe("forbidden");
    await expect.poll(lastUse).toBe(first + 120);
    instance.wait(-3600);
    await current(caller);
    await expect.poll(lastUse, { message: "after the clock was set back" }).toBe(first - 3480);
  });

  it("audit.list names the owner of the token as the actor", async () => {
    const { actors } = world();
    const { id: owner } = await machine({ admin: true });
    const { caller, id } = await newToken(actors.administrator, { owner });
    const unit = await caller.call(units.create, { name: "By a machine", parent: world().units.yard });
    const entries = async (path: string) => (await actors.administrator.call(audit.list, { path })).data;
    expect(await entries(`/units/${unit.id}`)).toMatchObject([{ actor: { id: owner, name: "Nightly Import" } }]);
    expect(await entries(`/tokens/${id}`)).toMatchObject([
      { actor: { id: 1 }, operation: "tokens.create", fields: ["name", "scopes", "owner"] },
    ]);
  });

  it("users.create and users.update give a service account neither an e-mail address nor a password", async () => {
    const { actors, units: places } = world();
    const { administrator } = actors;
    const account = await machine();
    const { id } = account;
    expect(account).toMatchObject({ email: null, provider: ["service"], active: true });
    expect(await wrongFields(administrator.call(users.password, { id, password }))).toEqual(["password"]);
    expect(await wrongFields(administrator.call(users.update, { id, email: "m@example.com" }))).toEqual(["email"]);
    expect(await wrongFields(administrator.call(users.welcome, { users: [id] }))).toEqual(["users"]);
    const given = { email: "machine@example.com", password, welcome: true };
    expect(await wrongFields(machine(given))).toEqual(["email", "password", "welcome"]);
    const person = { first_name: "No", last_name: "Address", unit: places.harbour };
    expect(await wrongFields(administrator.call(users.create, person))).toEqual(["email"]);
    await administrator.call(users.update, { id, reference: "machine" });
    const row = {
      reference: "machine",
      first_name: "A",
      last_name: "B",
      email: "machine@example.com",
      unit: "harbour",
    };
    const { results } = await administrator.call(users.import, { rows: [row] });
    expect(results).toMatchObject([{ action: "skipped", issues: [{ field: "email", code: "service_account" }] }]);
  });

  it("users.update, membershipSet and membershipAdd: a service account that gains rights loses its tokens, people keep theirs", async () => {
    const { actors, instance, types, units: places, addUser } = world();
    const { administrator, manager } = actors;
    const changes: ((user: number) => Promise<unknown>)[] = [
      (id) => administrator.call(users.update, { id, admin: true }),
      (user) => administrator.call(users.membershipSet, { user, from: places.yard, userTypes: [types.manager] }),
      (user) => administrator.call(users.membershipAdd, { user, unit: places.south, userTypes: [types.manager] }),
    ];
    const person = await addUser();
    const { caller: own } = await newToken(await instance.as(person.id));
    for (const change of changes) {
      const { id: owner } = await manager.call(users.create, { ...account, unit: places.yard });
      const { caller } = await newToken(manager, { owner });
      await administrator.call(users.membershipAdd, { user: owner, unit: places.harbour, userTypes: [types.employee] });
      await administrator.call(users.update, { id: owner, title: "Robot", admin: false });
      expect(await codeOf(current(caller)), "without more rights").toBe("ok");
      await change(owner);
      expect(await codeOf(current(caller))).toBe("unauthenticated");
      const { caller: fresh } = await newToken(administrator, { owner });
      await administrator.call(users.membershipSet, { user: owner, from: places.harbour, userTypes: [] });
      expect(await codeOf(current(fresh)), "without more rights").toBe("ok");
      await administrator.call(users.delete, { id: owner });
    }
    const membership = { user: person.id, unit: places.south, userTypes: [types.manager] };
    await administrator.call(users.membershipAdd, membership);
    expect(await codeOf(current(own))).toBe("ok");
    await administrator.call(users.delete, { id: person.id });
  });

  it("users.membershipSet: a move of a service account with its abilities ends its tokens", async () => {
    const { actors, types, units: places } = world();
    const { administrator } = actors;
    const { id: owner } = await machine({ userTypes: [types.manager] });
    const { caller } = await newToken(administrator, { owner });
    await administrator.call(users.membershipSet, { user: owner, from: places.harbour, unit: places.yard });
    expect(await codeOf(current(caller))).toBe("unauthenticated");
    await administrator.call(users.delete, { id: owner });
  });

  it("units.delete with transfer ends the tokens of service accounts whose abilities pass to the other unit", async () => {
    const { actors, types, units: places } = world();
    const { administrator } = actors;
    const { id: unit } = await administrator.call(units.create, { name: "Closing", parent: places.south });
    const account = async (userTypes: number[], more?: number) => {
      const { id: owner } = await machine({ unit, userTypes });
      if (more !== undefined) await administrator.call(users.membershipAdd, { user: owner, unit: more });
      return { owner, ...(await newToken(administrator, { owner })) };
    };
    const gaining = await account([types.manager]);
    const without = await account([types.employee]);
    const there = await account([types.manager], places.harbour);
    await administrator.call(units.delete, { id: unit, transfer: places.harbour });
    expect(await codeOf(current(gaining.caller))).toBe("unauthenticated");
    expect(await codeOf(current(without.caller)), "no abilities").toBe("ok");
    expect(await codeOf(current(there.caller)), "a member of the other unit already").toBe("ok");
    for (const { owner } of [gaining, without, there]) await administrator.call(users.delete, { id: owner });
  });

  it("auth.authenticate: a service account cannot sign in, even with a password in the database", async () => {
    const { id } = await world().addUser({ password });
    const { email } = await world().actors.administrator.call(users.get, { id });
    const signIn = () => codeOf(world().stranger.call(auth.authenticate, { username: email!, password }));
    expect(await signIn()).toBe("ok");
    const become = (provider: string) =>
      world().instance.database.write((tx) => tx.updateTable("users").set({ provider }).where("id", "=", id).execute());
    await become("service");
    expect(await signIn()).toBe("unauthenticated");
    await become("local");
  });

  it("resolveUser: the default identity of a local command is a person", async () => {
    const { instance, actors, ids, addUser } = world();
    const { id } = await machine({ admin: true });
    const person = await addUser({ admin: true });
    const others = [ids.administrator, ids.boss];
    const asPerson = await instance.as(person.id);
    for (const other of others) await asPerson.call(users.deactivate, { id: other });
    expect(id).toBeLessThan(person.id);
    expect(await instance.service.resolveUser()).toBe(person.id);
    for (const other of others) await asPerson.call(users.reactivate, { id: other });
    actors.administrator = await instance.as(ids.administrator);
    for (const added of [id, person.id]) await actors.administrator.call(users.delete, { id: added });
  });

  it("users.update and users.deactivate: a service account does not count as another administrator", async () => {
    const { actors, ids } = world();
    const { id } = await machine({ admin: true });
    await actors.administrator.call(users.deactivate, { id: ids.boss });
    expect(await codeOf(actors.administrator.call(users.deactivate, { id: 1 }, { dryRun: true }))).toBe("conflict");
    expect((await actors.administrator.call(users.get, { id: 1 })).permissions.delete).toBe(false);
    await actors.administrator.call(users.reactivate, { id: ids.boss });
    await actors.administrator.call(users.delete, { id });
  });
});
