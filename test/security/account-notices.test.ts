import { beforeAll, beforeEach, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { password, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { mailedToken, sendMails } from "../support/password-mail.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { enrol, totpCode } from "../support/second-factor.ts";

useQuickPasswords();

const another = "another long password";

describeOnOneDatabase("notices of changes of an account", (environment) => {
  const world = useWorld(environment);
  const instance = () => world().instance;
  const admin = () => world().actors.administrator;
  const manager = () => world().actors.manager;
  /** Returns the recipients of the notices that wait, sorted, each with the sentence about the change. */
  const notices = async () => {
    const mails = (await sendMails(instance())).filter(({ subject }) => subject === "Your account at Acme was changed");
    return mails.map(({ to, text }) => [to[0], text.split(/\r?\n\r?\n/)[2]]).sort();
  };
  const newAddress = "It has another e-mail address now. You no longer sign in with this address.";
  const newPassword = "It has a new password.";
  const noFactor = "Signing in no longer needs a code of an authenticator app.";
  const usedCode = "A recovery code was used. It does not work again.";
  let id: number;
  let email: string;
  let person: Caller;

  beforeAll(() =>
    admin().call(settings.set, { "mail.smtp_url": "smtp://127.0.0.1:9", "mail.from": "wcs@example.com" }),
  );
  beforeEach(async () => {
    const user = await world().addUser({ password });
    id = user.id;
    email = user.email!;
    person = await instance().as(id);
  });

  it("users.update and users.import tell the address before of the new one, each time it changes", async () => {
    await manager().call(users.update, { id, email: "one@attacker.example", title: "Crane driver" });
    const { first_name, last_name } = await manager().call(users.update, { id, reference: "taken over" });
    const row = { reference: "taken over", first_name, last_name, unit: "harbour", email: "two@attacker.example" };
    await manager().call(users.import, { rows: [row] });
    expect(await notices()).toEqual([
      ["one@attacker.example", newAddress],
      [email, newAddress],
    ]);
    await manager().call(users.update, { id, email: "TWO@attacker.example" });
    expect(await notices()).toEqual([]);
  });

  it("users.import tells both users who swap their addresses, each at the address before", async () => {
    const other = await world().addUser({ password });
    const rows = [
      { reference: "swap-1", first_name: "A", last_name: "A", unit: "harbour", email: other.email },
      { reference: "swap-2", first_name: "B", last_name: "B", unit: "harbour", email },
    ];
    await manager().call(users.update, { id, reference: "swap-1" });
    await manager().call(users.update, { id: other.id, reference: "swap-2" });
    await manager().call(users.import, { rows });
    expect(await notices()).toEqual(
      [
        [email, newAddress],
        [other.email, newAddress],
      ].sort(),
    );
  });

  it("An address that changes while the user is deactivated, or after a change of the provider, is told, too", async () => {
    await manager().call(users.deactivate, { id });
    await manager().call(users.update, { id, email: `new-${email}` });
    expect(await notices()).toEqual([[email, newAddress]]);
    const other = await world().addUser({ password });
    await manager().call(users.update, { id: other.id, provider: "entra" });
    await manager().call(users.update, { id: other.id, provider: "local", email: "three@attacker.example" });
    const elsewhere = "It no longer has a password here, because another system manages it now.";
    expect(await notices()).toEqual([[other.email, elsewhere]]);
  });

  it("users.password and auth.passwordReset tell of the new password", async () => {
    await manager().call(users.password, { id, password: another });
    expect(await notices()).toEqual([[email, newPassword]]);
    await (await instance().as(id)).call(users.password, { id, password, current: another });
    expect(await notices()).toEqual([[email, newPassword]]);
    await world().stranger.call(auth.passwordRequest, { email });
    const token = await mailedToken(instance(), email);
    const reset = { token, email, password: another, password_confirm: another };
    await world().stranger.call(auth.passwordReset, reset);
    expect(await notices()).toEqual([[email, newPassword]]);
  });

  it("A notice has the time of the change in the user's time zone", async () => {
    await manager().call(users.update, { id, timezone: "Asia/Tokyo" });
    await manager().call(users.password, { id, password: another });
    const [mail] = await sendMails(instance());
    expect(mail!.text).toMatch(/was changed on .* GMT\+9\./);
  });

  it("Changes of the second factor and uses of recovery codes are told", async () => {
    const { codes, secret } = await enrol(person, instance());
    expect(await notices()).toEqual([[email, "Signing in now needs a code of an authenticator app."]]);
    await world().stranger.call(auth.authenticate, { username: email, password, otp: codes[0]! });
    expect(await notices()).toEqual([[email, usedCode]]);
    instance().wait(30);
    await world().stranger.call(auth.authenticate, {
      username: email,
      password,
      otp: totpCode(secret, instance().now()),
    });
    expect(await notices()).toEqual([]);
    const { recovery_codes } = await person.call(auth.twoFactorRecoveryCodes, { password });
    expect(await notices()).toEqual([[email, "It has new recovery codes. The old ones no longer work."]]);
    await person.call(auth.twoFactorDisable, { otp: recovery_codes[0]! });
    expect(await notices()).toEqual([
      [email, usedCode],
      [email, noFactor],
    ]);
    await enrol(person, instance());
    await notices();
    await manager().call(users.twoFactorReset, { id });
    await manager().call(users.twoFactorReset, { id });
    expect(await notices()).toEqual([[email, noFactor]]);
  });

  it("An attacker who changes an address again and again has 5 mails an hour sent to it, and hides no other change", async () => {
    const last = "This has happened several times. Until an hour has passed, you get no mail when it happens again.";
    const own = `own-${email}`;
    const move = (user: number, to: string) => manager().call(users.update, { id: user, email: to });
    const told = async (address: string) => {
      const mails = (await sendMails(instance())).filter(({ to }) => to[0]!.toLowerCase() === address);
      const known = [newAddress, newPassword, last];
      return mails.map(({ text }) => text.split(/\r?\n\r?\n/).filter((part) => known.includes(part)));
    };
    for (let n = 0; n < 4; n++) {
      await move(id, own);
      await move(id, n % 2 ? email : email.toUpperCase());
    }
    expect(await told(email)).toEqual(Array(4).fill([newAddress]));
    const accomplice = await world().addUser({ password });
    await move(id, own);
    await move(accomplice.id, email);
    expect(await told(email)).toEqual([[newAddress, last]]);
    await move(accomplice.id, `accomplice-${own}`);
    await move(id, email);
    await move(id, own);
    expect(await told(email)).toEqual([]);
    expect((await manager().call(users.get, { id })).email).toBe(own);
    await move(id, email);
    await manager().call(users.password, { id, password: another });
    expect(await told(email)).toEqual([[newPassword]]);
    instance().wait(3600);
    await move(id, own);
    expect(await told(email)).toEqual([[newAddress]]);
  });

  it("A notice says when, in the language and the time zone of the user", async () => {
    const { first_name, last_name } = await person.call(users.update, { id, language: "da", timezone: "Asia/Tokyo" });
    instance().freeze();
    await manager().call(users.password, { id, password: another });
    const [mail] = await sendMails(instance());
    const day = { day: "numeric", month: "long", year: "numeric", timeZone: "Asia/Tokyo" } as const;
    expect(mail!.text).toContain(new Intl.DateTimeFormat("da", day).format(instance().now() * 1000));
    expect(mail!.text).toContain(`Kære ${first_name} ${last_name}\n`);
    expect(mail!.text).toContain("Den har fået en ny adgangskode.");
  });

  it("Users without a password, those who are deleted, dry runs and other changes get none", async () => {
    const invited = await world().addUser();
    await manager().call(users.update, { id: invited.id, email: `new-${invited.email}` });
    await manager().call(users.password, { id: invited.id, password });
    await manager().call(users.update, { id, email: "dry@example.com" }, { dryRun: true });
    await manager().call(users.update, { id, title: "Crane driver" });
    await manager().call(users.update, { id: invited.id, email: "mistake@example.com" });
    await manager().call(users.delete, { id: invited.id });
    expect(await notices()).toEqual([]);
  });

  it("Without a mail server no notice waits for one", async () => {
    await admin().call(settings.set, { "mail.smtp_url": null });
    await manager().call(users.password, { id, password: another });
    await admin().call(settings.set, { "mail.smtp_url": "smtp://127.0.0.1:9" });
    expect(await notices()).toEqual([]);
  });
});
