import { afterEach, expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { auth } from "../../src/contract/auth.ts";
import { sessions } from "../../src/contract/sessions.ts";
import { settings } from "../../src/contract/settings.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { enrol, totpCode } from "../support/second-factor.ts";

useQuickPasswords();

const required = "two_factor.required_for_administrators";

describeOnOneDatabase("two_factor.required_for_administrators", (environment) => {
  const world = useWorld(environment);
  const instance = () => world().instance;
  const owner = () => instance().service.caller({ userId: 1 });
  const require = async (caller: ReturnType<typeof owner>, value = true) => {
    const answer = await codeOf(caller.call(settings.set, { [required]: value }));
    // On PostgreSQL servers look again every second.
    instance().wait(1);
    return answer;
  };
  const addAdministrator = async () => {
    const { id, email } = await world().addUser({ password, admin: true });
    return { id, email: email!, caller: await instance().as(id) };
  };
  const addEnrolled = async () => {
    const person = await addAdministrator();
    return { ...person, ...(await enrol(person.caller, instance())) };
  };
  afterEach(async () => {
    await require(owner(), false);
  });

  it("settings.set is refused to an administrator without two factors, also with the database itself", async () => {
    const { caller } = await addAdministrator();
    expect(await require(caller)).toBe("conflict");
    expect(await require(owner())).toBe("conflict");
    expect((await caller.call(settings.list, {}))[required]).toBe(false);
    await enrol(caller, instance());
    expect(await require(caller)).toBe("ok");
  });

  it("an administrator without two factors can only set them up, and then do everything", async () => {
    const { caller, email, id } = await addAdministrator();
    expect(await require((await addEnrolled()).caller)).toBe("ok");
    const allowed = (await allOperations()).filter(({ withoutTwoFactor }) => withoutTwoFactor).map(({ name }) => name);
    expect(allowed.sort()).toEqual([
      "auth.renew",
      "auth.twoFactorBegin",
      "auth.twoFactorConfirm",
      "auth.twoFactorStatus",
      "sessions.endCurrent",
      "users.current",
    ]);
    expect(await refusal(caller.call(users.list, {}))).toMatchObject({
      code: "two_factor_required",
      message: expect.stringContaining("wcs auth 2fa enable"),
    });
    for (const [op, input] of [
      [users.get, { id }],
      [users.update, { id, phone: "1" }],
      [units.create, { name: "New", parent: 1 }],
      [settings.set, { [required]: false }],
      [tokens.create, { name: "escape", scopes: ["write"] }],
      [auth.twoFactorDisable, { password }],
    ] as const)
      expect(await codeOf(caller.call(op, input as never)), op.name).toBe("two_factor_required");
    const [{ jwt }] = await world().stranger.call(auth.authenticate, { username: email, password });
    const [renewed] = await instance().withToken(jwt).call(auth.renew, {});
    const again = instance().withToken(renewed.jwt);
    expect((await again.call(users.current, {})).id).toBe(id);
    expect((await again.call(auth.twoFactorStatus, {})).required).toBe(true);
    const [other] = await world().stranger.call(auth.authenticate, { username: email, password });
    const leaving = instance().withToken(other.jwt);
    expect(await codeOf(leaving.call(sessions.endCurrent, {}))).toBe("ok");
    expect(await codeOf(leaving.call(users.current, {}))).toBe("unauthenticated");
    const { secret } = await enrol(again, instance());
    expect(await codeOf(again.call(users.list, {}))).toBe("ok");
    expect(await codeOf(caller.call(users.list, {}))).toBe("ok");
    expect((await again.call(auth.twoFactorStatus, {})).required).toBe(false);
    instance().wait(30);
    const input = { username: email, password, otp: totpCode(secret, instance().now()) };
    expect(await codeOf(world().stranger.call(auth.authenticate, input))).toBe("ok");
  });

  it("an administrator without two factors gets the same error for wrong and valid input", async () => {
    const { caller } = await addAdministrator();
    expect(await require((await addEnrolled()).caller)).toBe("ok");
    for (const [op, input] of [
      [users.create, { first_name: "A", last_name: "B", unit: 1, userTypes: [987654] }],
      [settings.set, { [required]: false }],
      [tokens.create, { name: "escape", scopes: ["unheard.of"] }],
    ] as const)
      expect(await codeOf(caller.call(op, { ...input, unheard_of: 1 } as never)), op.name).toBe("two_factor_required");
  });

  it("other users, API tokens and the owner of the database are unaffected", async () => {
    const { caller } = await addAdministrator();
    const { token } = await caller.call(tokens.create, { name: "machine", scopes: ["write"] });
    expect(await require((await addEnrolled()).caller)).toBe("ok");
    expect(await codeOf(world().actors.member.call(users.list, {}))).toBe("ok");
    expect(await codeOf(instance().withToken(token).call(users.list, {}))).toBe("ok");
    expect(await codeOf(owner().call(users.list, {}))).toBe("ok");
  });

  it("a member who becomes an administrator, and an administrator whose second factor is reset, have to set it up", async () => {
    const { caller } = await addEnrolled();
    expect(await require(caller)).toBe("ok");
    const { outsider: id } = world().ids;
    const promoted = await instance().as(id);
    expect(await codeOf(promoted.call(users.list, {}))).toBe("ok");
    expect(await codeOf(caller.call(users.update, { id, admin: true }))).toBe("ok");
    expect(await codeOf(promoted.call(users.list, {}))).toBe("two_factor_required");
    await owner().call(users.update, { id, admin: false });
    const other = await owner().call(users.create, {
      first_name: "Al",
      last_name: "So",
      email: "al@example.com",
      unit: 1,
      password,
      admin: true,
    });
    const also = await instance().as(other.id);
    await enrol(also, instance());
    expect(await codeOf(also.call(users.list, {}))).toBe("ok");
    expect(await codeOf(caller.call(users.twoFactorReset, { id: other.id }))).toBe("ok");
    expect(await codeOf(also.call(users.list, {}))).toBe("two_factor_required");
  });
});
