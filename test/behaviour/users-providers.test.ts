import { expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { users } from "../../src/contract/users.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

describeOnOneDatabase("providers of users", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const update = (id: number, provider: string | null) => admin().call(users.update, { id, provider });
  const signIn = (email: string | null) =>
    codeOf(world().stranger.call(auth.authenticate, { username: email ?? "", password }));
  const row = (fields: Record<string, unknown>) => ({
    first_name: "Row",
    last_name: "Row",
    unit: "harbour",
    ...fields,
  });
  const imported = async (rows: Record<string, unknown>[], by = admin()) =>
    (await by.call(users.import, { rows })).results;

  it("users.create and users.update accept a provider; empty and null mean local", async () => {
    const { id, provider } = await world().addUser({ provider: "okta", password: undefined });
    expect(provider).toEqual(["okta"]);
    expect((await update(id, null)).provider).toEqual(["local"]);
    expect((await update(id, "azure_ad-2")).provider).toEqual(["azure_ad-2"]);
    expect((await update(id, "")).provider).toEqual(["local"]);
  });

  it.each(["service", "Okta", "okta ad", "-okta", "ø", "o".repeat(64)])(
    "users.update and users.import refuse the provider %j",
    async (name) => {
      const { ids } = world();
      expect(await wrongFields(update(ids.colleague, name))).toEqual(["provider"]);
      const [result] = await imported([row({ email: "wrong@example.com", provider: name })]);
      expect(result).toMatchObject({ action: "skipped", fields: { provider: expect.any(Array) } });
    },
  );

  it("users.password, auth.passwordReset, users.create and users.import give users of another provider no password", async () => {
    const { id, email } = await world().addUser({ provider: "okta", password: undefined });
    expect(await wrongFields(admin().call(users.password, { id, password }))).toEqual(["password"]);
    const reset = { email: email ?? "", token: "x", password, password_confirm: password };
    expect(await wrongFields(world().stranger.call(auth.passwordReset, reset))).toEqual(["token"]);
    expect(await wrongFields(world().addUser({ provider: "okta", password }))).toEqual(["password"]);
    const [result] = await imported([row({ email: "secret@example.com", provider: "okta", password })]);
    expect(result).toMatchObject({ action: "skipped", fields: { password: expect.any(Array) } });
    expect(await signIn(email)).toBe("unauthenticated");
  });

  it("users.update: a new provider ends sessions and password links and removes the password for good", async () => {
    const { instance, addUser } = world();
    const { id, email } = await addUser({ password });
    const session = instance.withToken(await instance.tokenOf(id));
    await world().stranger.call(auth.passwordRequest, { email: email ?? "" });
    expect(await signIn(email)).toBe("ok");
    await update(id, "local");
    expect(await codeOf(session.call(users.current, {}))).toBe("ok");
    await update(id, "okta");
    expect(await codeOf(session.call(users.current, {}))).toBe("unauthenticated");
    expect(await signIn(email)).toBe("unauthenticated");
    await update(id, "local");
    expect(await signIn(email)).toBe("unauthenticated");
    await admin().call(users.password, { id, password });
    expect(await signIn(email)).toBe("ok");
  });

  it("users.import sets the provider, keeps it without the column, and signs out who gets another one", async () => {
    const { instance, addUser } = world();
    const { id, email, first_name, last_name } = await addUser({ password });
    const session = instance.withToken(await instance.tokenOf(id));
    const same = row({ first_name, last_name, email });
    const actions = async (fields: object) => (await imported([{ ...same, ...fields }]))[0]?.action;
    expect(await actions({ provider: "okta" })).toBe("changed");
    expect(await codeOf(session.call(users.current, {}))).toBe("unauthenticated");
    expect(await actions({ provider: "okta" })).toBe("unchanged");
    expect(await actions({})).toBe("unchanged");
    expect((await admin().call(users.get, { id })).provider).toEqual(["okta"]);
    expect(await actions({ provider: "" })).toBe("changed");
    expect(await signIn(email)).toBe("unauthenticated");
    const [made] = await imported([row({ email: "made@example.com", provider: "okta" })]);
    expect((await admin().call(users.get, { id: made?.id ?? 0 })).provider).toEqual(["okta"]);
  });

  it("users.update: nobody changes their own provider, and managers not that of users with more abilities", async () => {
    const { actors, ids, types } = world();
    expect(await codeOf(update(ids.administrator, "okta"))).toBe("forbidden");
    expect(await codeOf(update(ids.administrator, "local"))).toBe("ok");
    const { id: editor, email } = await world().addUser({ userTypes: [types.editor] });
    const { manager } = actors;
    expect(await codeOf(manager.call(users.update, { id: editor, provider: "okta" }))).toBe("forbidden");
    expect(await codeOf(manager.call(users.update, { id: ids.boss, provider: "okta" }))).toBe("forbidden");
    expect(await codeOf(actors.member.call(users.update, { id: ids.member, provider: "okta" }))).toBe("forbidden");
    expect(await codeOf(manager.call(users.update, { id: ids.colleague, provider: "okta" }))).toBe("ok");
    await update(ids.colleague, "local");
    const own = { email: "manager@example.com", unit: "north", provider: "okta" };
    const results = await imported([row({ ...own, first_name: "Manager" }), row({ email, provider: "okta" })], manager);
    expect(results.map(({ fields }) => Object.keys(fields ?? {}))).toEqual([["provider"], ["reference"]]);
  });

  it("users.update keeps rights and provider of the last active administrator who can sign in", async () => {
    const { instance, ids } = world();
    const last = { code: "conflict", message: expect.stringContaining("last active administrator who can sign in") };
    await update(ids.boss, "okta");
    const { email } = await admin().call(users.get, { id: 1 });
    const boss = await instance.as(ids.boss);
    for (const caller of [admin(), boss]) {
      expect(await refusal(caller.call(users.deactivate, { id: 1 }))).toMatchObject(last);
      expect(await refusal(caller.call(users.delete, { id: 1 }))).toMatchObject(last);
      expect(await refusal(caller.call(users.update, { id: 1, admin: false }))).toMatchObject(last);
    }
    expect(await refusal(boss.call(users.update, { id: 1, provider: "okta" }))).toMatchObject(last);
    expect(await refusal(imported([row({ email, unit: "north", provider: "okta" })], boss))).toMatchObject(last);
    const deletable = async (id: number) => (await admin().call(users.get, { id })).permissions.delete;
    expect([await deletable(1), await deletable(ids.boss)]).toEqual([false, true]);
    expect((await update(ids.boss, "azure")).provider).toEqual(["azure"]);
    expect((await update(ids.boss, "local")).provider).toEqual(["local"]);
  });

  it("users.list filters by provider", async () => {
    const { id } = await world().addUser({ provider: "listed", password: undefined });
    const listed = async (provider: string) =>
      (await admin().call(users.list, { provider })).data.map((user) => user.id);
    expect(await listed("listed")).toEqual([id]);
    expect(await listed("nobody-here")).toEqual([]);
    expect(await wrongFields(admin().call(users.list, { provider: "Not One" }))).toEqual(["provider"]);
  });

  it("users.update and users.import keep the provider of a service account", async () => {
    const machine = { first_name: "A", last_name: "Machine", service: true, unit: world().units.harbour };
    const { id } = await admin().call(users.create, machine);
    expect(await wrongFields(update(id, "okta"))).toEqual(["provider"]);
    expect(await wrongFields(admin().call(users.create, { ...machine, provider: "okta" }))).toEqual(["provider"]);
  });
});
