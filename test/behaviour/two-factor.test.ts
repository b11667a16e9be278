import { beforeEach, expect, it } from "vitest";
import { audit } from "../../src/contract/audit.ts";
import { auth } from "../../src/contract/auth.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { removeExpired } from "../../src/delivery/delivery.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { mailedToken } from "../support/password-mail.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { enrol, totpCode, wrongTotpCode } from "../support/second-factor.ts";
import { allRows } from "../support/tables.ts";

useQuickPasswords();

/** RFC 6238, appendix B, for SHA-1: the secret is the text 12345678901234567890. The last six of eight digits are the code. */
const vectors = [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
] as const;
const vectorSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describeOnOneDatabase("two factors", (environment) => {
  const world = useWorld(environment);
  const instance = () => world().instance;
  const addPerson = async () => {
    const { id, email } = await world().addUser({ password });
    return { id, email: email!, caller: await instance().as(id) };
  };
  const addEnrolled = async () => {
    const person = await addPerson();
    const factor = await enrol(person.caller, instance());
    instance().wait(30);
    return { ...person, ...factor, code: () => totpCode(factor.secret, instance().now()) };
  };
  const signIn = (username: string, otp?: string, as = password) =>
    world().stranger.call(auth.authenticate, { username, password: as, otp });
  const status = (caller: Caller) => caller.call(auth.twoFactorStatus, {});

  beforeEach(() => instance().wait(901));

  it("auth.twoFactorConfirm switches two factors on; until then signing in stays as it is", async () => {
    const { id, email, caller } = await addPerson();
    const { secret, uri } = await caller.call(auth.twoFactorBegin, { password });
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const { protocol, host, pathname, searchParams } = new URL(uri);
    expect([protocol, host, decodeURIComponent(pathname)]).toEqual(["otpauth:", "totp", `/Acme:${email}`]);
    expect(Object.fromEntries(searchParams)).toMatchObject({ secret, issuer: "Acme", digits: "6", period: "30" });
    expect(await codeOf(signIn(email))).toBe("ok");
    const off = { enabled: false, enabled_at: null, recovery_codes_left: 0, required: false };
    expect(await status(caller)).toEqual(off);
    expect((await caller.call(users.current, {})).twoFactor).toEqual({ enabled: false });
    const code = totpCode(secret, instance().now());
    const { recovery_codes } = await caller.call(auth.twoFactorConfirm, { code });
    expect(new Set(recovery_codes).size).toBe(10);
    for (const each of recovery_codes) expect(each).toMatch(/^([0-9a-hjkmnp-tv-z]{5}-){3}[0-9a-hjkmnp-tv-z]{5}$/);
    const on = { enabled: true, enabled_at: instance().now(), recovery_codes_left: 10, required: false };
    expect(await status(caller)).toEqual(on);
    expect((await world().actors.outsider.call(users.get, { id })).twoFactor).toEqual({ enabled: true });
    expect(await codeOf(signIn(email))).toBe("otp_required");
    expect(await codeOf(caller.call(auth.twoFactorConfirm, { code }))).toBe("conflict");
    expect(await codeOf(caller.call(auth.twoFactorBegin, { password }))).toBe("conflict");
  });

  it("auth.passwordReset needs no code, and signing in with the new password still does", async () => {
    const { email, code } = await addEnrolled();
    await world().stranger.call(auth.passwordRequest, { email });
    const token = await mailedToken(instance(), email);
    const fresh = "an entirely new password";
    const reset = { email, token, password: fresh, password_confirm: fresh };
    expect(await codeOf(world().stranger.call(auth.passwordReset, reset))).toBe("ok");
    expect(await codeOf(signIn(email, undefined, fresh))).toBe("otp_required");
    expect(await codeOf(signIn(email, code(), fresh))).toBe("ok");
  });

  it("auth.twoFactorBegin needs the password, and wrong ones are limited", async () => {
    const { caller, email } = await addPerson();
    expect(await wrongFields(caller.call(auth.twoFactorBegin, {} as never))).toEqual(["password"]);
    const wrong = () => caller.call(auth.twoFactorBegin, { password: "guess" });
    for (let n = 0; n < 10; n++) expect(await wrongFields(wrong())).toEqual(["password"]);
    expect(await codeOf(caller.call(auth.twoFactorBegin, { password }))).toBe("too_many_requests");
    expect(await codeOf(signIn(email)), "signing in is not locked").toBe("ok");
  });

  it("auth.twoFactorBegin is refused to users who do not sign in by password", async () => {
    const { id } = await world().addUser();
    const caller = await instance().as(id);
    expect(await codeOf(caller.call(auth.twoFactorBegin, { password }))).toBe("conflict");
  });

  it("auth.twoFactorConfirm takes a code of the latest secret only, for 30 minutes, and wrong codes are limited", async () => {
    const { caller } = await addPerson();
    expect(await codeOf(caller.call(auth.twoFactorConfirm, { code: "123456" }))).toBe("conflict");
    const first = await caller.call(auth.twoFactorBegin, { password });
    const { secret } = await caller.call(auth.twoFactorBegin, { password });
    const confirm = (code: string) => caller.call(auth.twoFactorConfirm, { code });
    const now = () => instance().now();
    expect(await wrongFields(confirm(totpCode(first.secret, now())))).toEqual(["code"]);
    instance().wait(1800);
    expect(await codeOf(confirm(totpCode(secret, now())))).toBe("conflict");
    const next = await caller.call(auth.twoFactorBegin, { password });
    const wrong = wrongTotpCode(next.secret, now());
    for (let n = 0; n < 10; n++) expect(await wrongFields(confirm(wrong))).toEqual(["code"]);
    expect(await codeOf(confirm(totpCode(next.secret, now())))).toBe("too_many_requests");
  });

  it("auth.authenticate: a wrong password looks the same with two factors, with and without a code", async () => {
    const { email, code } = await addEnrolled();
    const { email: plain } = await addPerson();
    const expected = await refusal(signIn(plain, undefined, "wrong"));
    expect(expected.code).toBe("unauthenticated");
    for (const otp of [undefined, "123456", code()])
      expect(await refusal(signIn(email, otp, "wrong"))).toEqual(expected);
    expect(await codeOf(signIn(email, code())), "the code was not used").toBe("ok");
    expect(await codeOf(signIn(plain, "123456")), "without two factors a code does not matter").toBe("ok");
  });

  it.each(vectors)("auth.authenticate takes the code of RFC 6238 at %i", async (now, digits) => {
    const { id, email } = await addEnrolled();
    const { database } = instance();
    const secret = await database.write((tx) => database.secrets.seal(tx, `two_factors.secret.${id}`, vectorSecret));
    const present = instance().now();
    instance().wait(now - present);
    try {
      await database.write((tx) =>
        tx.updateTable("two_factors").set({ secret, last_step: 0 }).where("user_id", "=", id).execute(),
      );
      expect(await codeOf(signIn(email, digits.slice(0, 6)))).toBe("otp_required");
      expect(await codeOf(signIn(email, digits.slice(-6)))).toBe("ok");
    } finally {
      instance().wait(present - now);
    }
  });

  it("auth.authenticate accepts a code that is one step early or late, not two", async () => {
    const { email, secret } = await addEnrolled();
    instance().wait(90);
    const at = (drift: number) => signIn(email, totpCode(secret, instance().now() + drift));
    expect(await codeOf(at(-60))).toBe("otp_required");
    expect(await codeOf(at(60))).toBe("otp_required");
    expect(await codeOf(at(-30))).toBe("ok");
    expect(await codeOf(at(30))).toBe("ok");
    expect(await codeOf(at(0)), "after a later code").toBe("otp_required");
  });

  it("auth.authenticate takes each code once, in a dry run, too, and spaces in it", async () => {
    const { email, code } = await addEnrolled();
    const spaced = code().replace(/^.../, "$& ");
    expect(await codeOf(signIn(email, spaced))).toBe("ok");
    expect(await codeOf(signIn(email, code()))).toBe("otp_required");
    instance().wait(30);
    const input = { username: email, password, otp: code() };
    expect(await codeOf(world().stranger.call(auth.authenticate, input, { dryRun: true }))).toBe("ok");
    expect(await codeOf(signIn(email, code()))).toBe("otp_required");
  });

  it("auth.authenticate: the code that confirmed two factors does not sign in", async () => {
    const { email, caller } = await addPerson();
    const { secret } = await enrol(caller, instance());
    expect(await codeOf(signIn(email, totpCode(secret, instance().now())))).toBe("otp_required");
  });

  it("auth.authenticate takes each recovery code once, in any case and without hyphens", async () => {
    const { email, caller, codes } = await addEnrolled();
    const [first = "", second = ""] = codes;
    expect(await codeOf(signIn(email, first.toUpperCase().replaceAll("-", " ")))).toBe("ok");
    expect(await codeOf(signIn(email, first))).toBe("otp_required");
    expect(await codeOf(signIn(email, second))).toBe("ok");
    expect((await status(caller)).recovery_codes_left).toBe(8);
    const other = await addEnrolled();
    expect(await codeOf(signIn(email, other.codes[0])), "a code of somebody else").toBe("otp_required");
  });

  it("auth.authenticate limits and records wrong and missing codes as wrong passwords", async () => {
    const { id, email, code, secret } = await addEnrolled();
    const wrong = wrongTotpCode(secret, instance().now());
    for (let n = 0; n < 10; n++) expect(await codeOf(signIn(email, n % 2 ? wrong : undefined))).toBe("otp_required");
    expect(await refusal(signIn(email, code()))).toMatchObject({ code: "too_many_requests", retryAfter: 900 });
    const { data } = await world().actors.administrator.call(audit.list, { actor: id, operation: "auth.authenticate" });
    expect(data.map(({ outcome }) => outcome)).toEqual(Array(10).fill("failed"));
  });

  it("auth.authenticate checks at most 20 codes of a user in an hour, from all addresses", async () => {
    const { email, code, secret, caller, id } = await addEnrolled();
    const guess = (network: number, otp: string) =>
      instance().from(`192.0.2.${network}`).call(auth.authenticate, { username: email, password, otp });
    for (let n = 0; n < 20; n++)
      expect(await codeOf(guess(n, wrongTotpCode(secret, instance().now())))).toBe("otp_required");
    expect(await refusal(guess(99, code()))).toMatchObject({ code: "too_many_requests", retryAfter: 3600 });
    const administrator = world().actors.administrator;
    const { data } = await administrator.call(audit.list, { actor: id, operation: "auth.authenticate", limit: 1 });
    expect(data[0], "refused by the limit, and recorded").toMatchObject({ outcome: "failed", address: "192.0.2.99" });
    expect(await codeOf(caller.call(users.current, {}))).toBe("ok");
    const fresh = "another good password";
    await administrator.call(users.password, { id, password: fresh });
    expect(await codeOf(signIn(email, code(), fresh)), "after a password of an administrator").toBe(
      "too_many_requests",
    );
    await world().stranger.call(auth.passwordRequest, { email });
    const reset = { email, token: await mailedToken(instance(), email), password, password_confirm: password };
    await world().stranger.call(auth.passwordReset, reset);
    expect(await codeOf(signIn(email, code())), "after a reset by mail").toBe("too_many_requests");
    instance().wait(3600);
    expect(await codeOf(signIn(email, code())), "an hour later").toBe("ok");
  });

  it("users.twoFactorReset clears the wrong codes of the earlier factor", async () => {
    const { email, secret, id } = await addEnrolled();
    for (let n = 0; n < 20; n++) {
      const guess = { username: email, password, otp: wrongTotpCode(secret, instance().now()) };
      await codeOf(instance().from(`192.0.2.${n}`).call(auth.authenticate, guess));
    }
    await world().actors.administrator.call(users.twoFactorReset, { id });
    const next = await enrol(await instance().as(id), instance());
    instance().wait(30);
    expect(await codeOf(signIn(email, totpCode(next.secret, instance().now())))).toBe("ok");
  });

  it("auth.renew and API tokens need no code", async () => {
    const { email, code, caller } = await addEnrolled();
    const [{ jwt }] = await signIn(email, code());
    expect(await codeOf(instance().withToken(jwt).call(auth.renew, {}))).toBe("ok");
    const { token } = await caller.call(tokens.create, { name: "script", scopes: ["write", "auth.*"] });
    const script = instance().withToken(token);
    expect(await codeOf(script.call(users.current, {}))).toBe("ok");
    const own = [auth.twoFactorStatus, auth.twoFactorBegin, auth.twoFactorConfirm] as const;
    for (const op of [...own, auth.twoFactorRecoveryCodes, auth.twoFactorDisable, users.twoFactorReset])
      expect(await codeOf(script.call(op, { password, code: code(), id: 1 } as never)), op.name).toBe("forbidden");
  });

  it("auth.twoFactorRecoveryCodes replaces the codes, with the password or a code", async () => {
    const { email, caller, codes, code } = await addEnrolled();
    const replace = (proof: { password?: string; otp?: string }) => caller.call(auth.twoFactorRecoveryCodes, proof);
    expect(await wrongFields(replace({}))).toEqual(["password"]);
    expect(await wrongFields(replace({ password: "guess" }))).toEqual(["password"]);
    expect(await wrongFields(replace({ otp: "guess" }))).toEqual(["otp"]);
    const second = (await replace({ password })).recovery_codes;
    expect(new Set([...codes, ...second]).size).toBe(20);
    expect(await codeOf(signIn(email, codes[0]))).toBe("otp_required");
    expect(await codeOf(replace({ otp: code() }))).toBe("ok");
    expect(await wrongFields(replace({ otp: code() })), "the code was used").toEqual(["otp"]);
    instance().wait(30);
    const third = (await replace({ otp: code() })).recovery_codes;
    expect(await codeOf(signIn(email, second[0]))).toBe("otp_required");
    const fourth = (await replace({ otp: third[0]! })).recovery_codes;
    expect(fourth).toHaveLength(10);
    expect(await codeOf(signIn(email, fourth[9]))).toBe("ok");
    for (let n = 0; n < 10; n++) await wrongFields(replace({ otp: "guess" }));
    expect(await codeOf(replace({ password }))).toBe("too_many_requests");
  });

  it("auth.twoFactorDisable switches two factors off, with the password or a code", async () => {
    const { id, email, caller, codes } = await addEnrolled();
    const other = await addEnrolled();
    expect(await wrongFields(caller.call(auth.twoFactorDisable, {}))).toEqual(["password"]);
    expect(await wrongFields(caller.call(auth.twoFactorDisable, { password: "guess" }))).toEqual(["password"]);
    expect(await codeOf(caller.call(auth.twoFactorDisable, { otp: codes[0] }, { dryRun: true }))).toBe("ok");
    expect(await codeOf(caller.call(auth.twoFactorDisable, { otp: codes[0] })), "a dry run keeps the code").toBe("ok");
    expect((await caller.call(users.current, {})).twoFactor).toEqual({ enabled: false });
    expect(await codeOf(signIn(email))).toBe("ok");
    expect((await other.caller.call(users.current, {})).twoFactor).toEqual({ enabled: true });
    for (const op of [auth.twoFactorDisable, auth.twoFactorRecoveryCodes])
      expect(await codeOf(caller.call(op, { password }))).toBe("conflict");
    const rows = await allRows(instance().database);
    expect([...rows.two_factors!, ...rows.recovery_codes!].filter(({ user_id }) => user_id === id)).toEqual([]);
    await enrol(caller, instance());
    expect(await codeOf(signIn(email, codes[1])), "an old recovery code").toBe("otp_required");
  });

  it("auth.twoFactorDisable: a repeat with the same Idempotency-Key gets the first response", async () => {
    for (const byCode of [false, true]) {
      const { caller, codes } = await addEnrolled();
      const proof = byCode ? { otp: codes[0] } : { password };
      const disable = () => codeOf(caller.call(auth.twoFactorDisable, proof, { idempotencyKey: "off" }));
      for (let n = 0; n < 12; n++) expect(await disable()).toBe("ok");
      expect((await status(caller)).enabled).toBe(false);
    }
  });

  it("webhooks.events has one user.update when two factors are switched on, off and reset", async () => {
    const { administrator } = world().actors;
    const poll = (after?: number) => administrator.call(webhooks.events, { after, wait: 0 });
    const { meta } = await poll();
    const { id, caller } = await addPerson();
    const { secret } = await caller.call(auth.twoFactorBegin, { password });
    await caller.call(auth.twoFactorConfirm, { code: totpCode(secret, instance().now()) });
    await caller.call(auth.twoFactorRecoveryCodes, { password });
    await caller.call(auth.twoFactorDisable, { password });
    await enrol(caller, instance());
    await administrator.call(users.twoFactorReset, { id });
    await administrator.call(users.twoFactorReset, { id });
    const { data } = await poll(meta.last_id);
    const shown = data.map(({ payload }) => [payload.type, payload.data.twoFactor]);
    expect(shown.slice(1)).toEqual([true, false, true, false].map((enabled) => ["user.update", { enabled }]));
  });

  it("users.twoFactorReset is for other users; with access to the database also for the actor", async () => {
    const { id, email, caller } = await addEnrolled();
    const { administrator } = world().actors;
    expect(await codeOf(administrator.call(users.twoFactorReset, { id }))).toBe("ok");
    expect((await caller.call(users.current, {})).twoFactor).toEqual({ enabled: false });
    expect(await codeOf(signIn(email))).toBe("ok");
    expect(await codeOf(administrator.call(users.twoFactorReset, { id })), "again").toBe("ok");
    expect(await codeOf(administrator.call(users.twoFactorReset, { id: 1 }))).toBe("forbidden");
    const owner = instance().service.caller({ userId: 1 });
    expect(await codeOf(owner.call(users.twoFactorReset, { id: 1 }))).toBe("ok");
  });

  it("users.password does not switch two factors off", async () => {
    const { id, email, code } = await addEnrolled();
    const { administrator } = world().actors;
    await administrator.call(users.password, { id, password: "another good password" });
    expect(await codeOf(signIn(email, undefined, "another good password"))).toBe("otp_required");
    expect(await codeOf(signIn(email, code(), "another good password"))).toBe("ok");
  });

  it("users.delete deletes the second factor", async () => {
    const { id } = await addEnrolled();
    await world().actors.administrator.call(users.delete, { id });
    const rows = await allRows(instance().database);
    expect([...rows.two_factors!, ...rows.recovery_codes!].filter(({ user_id }) => user_id === id)).toEqual([]);
  });

  it("removeExpired deletes a secret that is not confirmed within a day, not one in use", async () => {
    const { id } = await addEnrolled();
    const { id: hesitant, caller } = await addPerson();
    await caller.call(auth.twoFactorBegin, { password });
    instance().wait(86_400);
    await removeExpired(instance().database, { settings: await instance().service.settings(), now: instance().now() });
    const kept = (await allRows(instance().database)).two_factors!.map(({ user_id }) => user_id);
    expect([kept.includes(id), kept.includes(hesitant)]).toEqual([true, false]);
  });
});
