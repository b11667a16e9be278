import { beforeEach, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { users } from "../../src/contract/users.ts";
import { describeOnDatabases, newEngine } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { type Mailbox, mailboxOfTest } from "../support/mailbox.ts";
import { makeUsers } from "../support/outbox.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";
import { mailedToken, sendMails, tokenIn } from "../support/password-mail.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { allRows } from "../support/tables.ts";

useQuickPasswords();

describeOnDatabases("mails that let a user set a password", (open) => {
  let instance: Instance;
  let id: number;
  const email = "bo@example.com";
  beforeEach(async () => {
    instance = await open();
    [id = 0] = await makeUsers(instance);
    await instance.administrator.call(users.update, { id, email });
  });

  const stranger = () => instance.withToken(undefined);
  const request = () => stranger().call(auth.passwordRequest, { email });
  const reset = (token: string, to = email) =>
    stranger().call(auth.passwordReset, {
      token,
      email: to,
      password: "a wholly new password",
      password_confirm: "a wholly new password",
    });
  const rows = () => instance.database.reader.selectFrom("mails").selectAll().orderBy("id").execute();
  const tokenRows = () => instance.database.reader.selectFrom("password_tokens").selectAll().execute();

  it("A copy of the database holds no token of a mail that waits or was sent", async () => {
    await request();
    await instance.administrator.call(users.welcome, { users: [id] });
    expect(await tokenRows()).toEqual([]);
    expect((await rows()).map(({ kind, payload }) => [kind, payload])).toEqual([
      ["password_reset", "{}"],
      ["welcome", '{"inviter":1}'],
    ]);
    const tokens = (await sendMails(instance)).map(tokenIn);
    expect(tokens.map((token) => token.length)).toEqual([43, 43]);
    const kept = JSON.stringify(await allRows(instance.database));
    for (const token of tokens) expect(kept).not.toContain(token);
    expect(await codeOf(reset("{}"))).toBe("validation_failed");
  });

  it("The lifetime of a token begins when its mail leaves, not when it was asked for", async () => {
    instance.freeze();
    await request();
    instance.wait(1700);
    const token = await mailedToken(instance, email);
    instance.wait(1700);
    expect(await codeOf(reset(token))).toBe("ok");
  });

  it("Many requests for one address send it one mail; the next one follows when that has left", async () => {
    await Promise.all(Array.from({ length: 20 }, () => codeOf(request())));
    for (let n = 0; n < 5; n++) await request();
    expect(await rows()).toHaveLength(1);
    // The limit of requests within an hour is reached.
    instance.wait(3600);
    await request();
    const first = await mailedToken(instance, email);
    await request();
    expect(await rows()).toHaveLength(2);
    const second = await mailedToken(instance, email);
    expect(await wrongFields(reset(first))).toEqual(["token"]);
    expect(await codeOf(reset(second))).toBe("ok");
  });

  it("A welcome that waits is not queued a second time", async () => {
    for (let n = 0; n < 3; n++) await instance.administrator.call(users.welcome, { users: [id] });
    expect(await rows()).toHaveLength(1);
  });

  it("A request for an unknown address leaves nothing behind", async () => {
    await Promise.all(
      ["x", "y"].map((name) => stranger().call(auth.passwordRequest, { email: `${name}@example.com` })),
    );
    expect([await rows(), await tokenRows()]).toEqual([[], []]);
  });

  it("A mail that waits does not bring a token to the address that the user had before", async () => {
    await request();
    await instance.administrator.call(users.update, { id, email: "new@example.com" });
    const mails = await sendMails(instance);
    expect(mails.map(({ to }) => to)).toEqual([["new@example.com"]]);
    expect(await rows()).toMatchObject([{ recipient: "new@example.com" }]);
    expect(await codeOf(reset(tokenIn(mails[0]!), "new@example.com"))).toBe("ok");
  });

  it("A mail that waits does not bring a token to a user who was deactivated", async () => {
    await request();
    await instance.administrator.call(users.deactivate, { id });
    expect(await sendMails(instance)).toEqual([]);
    expect(await rows()).toMatchObject([{ state: "failed", last_error: expect.stringContaining("deactivated") }]);
    expect(await tokenRows()).toEqual([]);
  });

  it("A mail that waits does not bring a token to a user whose password is managed elsewhere by now", async () => {
    await request();
    await instance.administrator.call(users.welcome, { users: [id] });
    await instance.database.write((tx) =>
      tx.updateTable("users").set({ provider: "entra" }).where("id", "=", id).execute(),
    );
    const mails = await sendMails(instance);
    expect(mails.map((mail) => [mail.subject, tokenIn(mail)])).toEqual([["Welcome to Acme", ""]]);
    expect(await tokenRows()).toEqual([]);
  });

  it("A token that a failed attempt gave to the mail server does not work once the mail was sent again", async () => {
    let refused = "";
    const mailbox: Mailbox = await mailboxOfTest({
      onData(stream, _, done) {
        stream.on("data", (chunk) => (refused += chunk));
        stream.on("end", () => done(Object.assign(new Error("try later"), { responseCode: 451 })));
      },
    });
    await request();
    const settings = { "mail.from": "wcs@example.com", "mail.smtp_url": `smtp://127.0.0.1:${mailbox.port}` };
    await newEngine(instance, { settings }).drain({ maxSeconds: 60 });
    await mailbox.close();
    const first = /^ {4}([\w-]{43})\r?$/m.exec(refused)?.[1] ?? "";
    expect(first).not.toBe("");
    instance.wait(31);
    const second = await mailedToken(instance, email);
    expect(await wrongFields(reset(first))).toEqual(["token"]);
    expect(await codeOf(reset(second))).toBe("ok");
  });
});
