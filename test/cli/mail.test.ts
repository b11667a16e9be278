import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type Mailbox, newMailbox } from "../support/mailbox.ts";
import { tokenIn } from "../support/password-mail.ts";
import { start, useHome } from "./support.ts";

const home = useHome();
let mailbox: Mailbox;
let server: ChildProcess | undefined;
beforeAll(async () => {
  mailbox = await newMailbox();
});
afterAll(async () => {
  server?.kill("SIGKILL");
  await mailbox.close();
});

const url = () => `smtp://127.0.0.1:${mailbox.port}`;
const welcome = () => home().wcs(["users", "welcome", "1"]);
const deliver = (...more: string[]) => home().wcs(["webhooks", "deliver", ...more]);

/** Returns the link in a welcome mail to the page that takes the token. */
const linkIn = (text: string) => /https?:\S+/.exec(text)?.[0];

it("without a mail server mail waits, and the commands say what is missing", async () => {
  const noMail = "No mail is sent until mail.smtp_url and mail.from are set. See wcs settings set --help.\n";
  expect((await welcome()).stderr).toBe(`Queued the welcome mail to user 1.\n${noMail}`);
  expect((await home().wcs(["users", "welcome", "1", "--dry-run"])).stderr).not.toContain(noMail);
  const bob = ["users", "create", "--first-name", "Bob", "--last-name", "Doe", "--unit", "1", "--dry-run"];
  expect((await home().wcs([...bob, "--email", "bob@example.com", "--welcome"])).stderr).not.toContain(noMail);
  expect((await home().wcs([...bob.slice(0, -1), "--email", "carl@example.com"])).stderr).toBe("");
  const { code, stderr } = await deliver();
  expect(code).toBe(0);
  expect(stderr).toBe(
    "To send: 0 callbacks, 1 mail. Still waiting: 0 callbacks, 1 mail.\n" +
      "No mail is sent until mail.smtp_url and mail.from are set. See wcs settings set --help.\n",
  );
  const outbox = await home().wcs(["db", "outbox", "--json"]);
  expect(JSON.parse(outbox.stdout)).toMatchObject([{ what: "mail", kind: "welcome", to: "ada@example.com" }]);
  expect(outbox.stderr).toContain("mail.smtp_url and mail.from are set");
  await home().wcs(["settings", "set", "mail.from", "wcs@example.com"]);
  expect((await deliver()).stderr).toContain("until mail.smtp_url is set");
});

it("webhooks deliver --smtp-url sends what waits, with links by base_url", async () => {
  await home().wcs(["settings", "set", "base_url", "https://wcs.example.com"]);
  const { code, stderr } = await deliver("--smtp-url", url());
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "To send: 0 callbacks, 1 mail. Still waiting: 0 callbacks, 0 mails.\n",
  });
  expect(mailbox.mails).toHaveLength(1);
  expect(linkIn(mailbox.mails[0]!.text)).toMatch(/^https:\/\/wcs\.example\.com\//);
});

it("serve --smtp-url sends as mails come; the flag wins over the environment", async () => {
  const wrong = { WCS_SETTING_MAIL_SMTP_URL: "smtp://127.0.0.1:1" };
  server = start(["serve", "--port", "0", "--shutdown-notice", "0", "--smtp-url", url()], { ...home().env, ...wrong });
  let log = "";
  server.stderr?.on("data", (chunk) => (log += chunk));
  await once(server.stdout!, "data");
  await welcome();
  await expect.poll(() => mailbox.mails.length).toBe(2);
  expect(log).not.toContain("No mail is sent");
  server.kill("SIGTERM");
  expect((await once(server, "close"))[0]).toBe(0);
});

it("serve without a mail server says so", async () => {
  server = start(["serve", "--port", "0", "--shutdown-notice", "0"], home().env);
  let log = "";
  server.stderr?.on("data", (chunk) => (log += chunk));
  await once(server.stdout!, "data");
  server.kill("SIGTERM");
  await once(server, "close");
  expect(log).toContain("No mail is sent until mail.smtp_url is set");
});

it("--smtp-url with a password, and what is no such URL: refused without being repeated", async () => {
  for (const command of [
    ["serve", "--port", "0"],
    ["webhooks", "deliver"],
  ]) {
    for (const secret of ["smtp://ada:hunter2@mail.example.com", "smtp://hunter2@mail.example.com"]) {
      const { code, stdout, stderr } = await home().wcs([...command, "--smtp-url", secret]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("WCS_SETTING_MAIL_SMTP_URL");
      expect(stderr).toContain("wcs settings set mail.smtp_url --value-file FILE");
      expect(stderr).not.toContain("hunter2");
    }
    const { code, stderr } = await home().wcs([...command, "--smtp-url", "http://hunter2"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "error: --smtp-url must be a URL like smtp://mail.example.com:25.\n",
    });
  }
});

it("what the environment says of the mail server may hold a password", async () => {
  await welcome();
  await home().wcs(["webhooks", "deliver"], {
    env: { WCS_SETTING_MAIL_SMTP_URL: url().replace("//", "//ada:hunter2@") },
  });
  expect(mailbox.mails.at(-1)).toMatchObject({ user: "ada", to: ["ada@example.com"] });
});

it("a command on a database sends its mail before it ends, with a token that sets the password", async () => {
  const env = { WCS_SETTING_MAIL_SMTP_URL: url() };
  for (const line of [
    ["users", "welcome", "1"],
    ["auth", "password", "request", "--email", "ada@example.com"],
  ]) {
    const before = mailbox.mails.length;
    expect((await home().wcs(line, { env })).code).toBe(0);
    expect(mailbox.mails).toHaveLength(before + 1);
    const token = tokenIn(mailbox.mails.at(-1)!);
    const reset = ["auth", "password", "reset", "--email", "ada@example.com", "--data", "-"];
    const done = await home().wcs(reset, { stdin: JSON.stringify({ token, password: "correct horse battery" }) });
    expect(done.stderr).toBe(
      "Set the new password. Sign in to the same target with wcs auth login --username ada@example.com.\n",
    );
  }
});

it("auth password reset reads the token and the password from a line of stdin each", async () => {
  await home().wcs(["auth", "password", "request", "--email", "ada@example.com"], {
    env: { WCS_SETTING_MAIL_SMTP_URL: url() },
  });
  const reset = ["auth", "password", "reset", "--email", "ada@example.com", "--password-stdin", "--token-stdin"];
  const token = tokenIn(mailbox.mails.at(-1)!);
  for (const [stdin, has] of [
    [`${token}\n`, "1 line"],
    [`${token}\nhorse battery correct\nmore\n`, "3 lines"],
  ]) {
    const { code, stderr } = await home().wcs(reset, { stdin });
    const needs = "needs one for each of --token-stdin, --password-stdin, in this order";
    expect([code, stderr]).toEqual([2, `error: Stdin has ${has}, but ${needs}.\n`]);
  }
  const { code, stderr } = await home().wcs(reset, { stdin: `${token}\nhorse battery correct\n` });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Set the new password.") });
});

it("webhooks deliver says why a mail was not sent", async () => {
  await welcome();
  const port = await freePort();
  expect((await deliver("--smtp-url", `smtp://127.0.0.1:${port}`)).stderr).toMatch(
    new RegExp(`^mail not sent: ESOCKET: connect ECONNREFUSED 127\\.0\\.0\\.1:${port}\n`),
  );
});
