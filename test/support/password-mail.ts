import { defaults } from "../../src/contract/settings.ts";
import { MailWorker } from "../../src/delivery/mail/mail-worker.ts";
import type { Instance } from "./instance.ts";
import { type Mail, newMailbox } from "./mailbox.ts";

/** Sends the mails that wait, by a real mail server, and returns them. */
export async function sendMails(
  { database, now }: Pick<Instance, "database" | "now">,
  base_url = "https://wcs.example.com",
): Promise<Mail[]> {
  const mailbox = await newMailbox();
  const settings = {
    ...defaults,
    base_url,
    "mail.from": "wcs@example.com",
    "mail.smtp_url": `smtp://127.0.0.1:${mailbox.port}`,
  };
  const worker = new MailWorker({
    database,
    settings: async () => settings,
    clock: () => now() * 1000,
    log: { info() {}, error() {} },
  });
  while ((await worker.round()) > 0);
  worker.close();
  await mailbox.close();
  return mailbox.mails;
}

/** Sends the mails that wait, and returns the token in the one to that address. */
export async function mailedToken(instance: Pick<Instance, "database" | "now">, email: string): Promise<string> {
  const mails = (await sendMails(instance)).filter(({ to }) => to.includes(email));
  if (mails.length !== 1) throw new Error(`${mails.length} mails went to ${email}`);
  return tokenIn(mails[0]!);
}

/** The token in the link of a mail; empty when there is none. */
export function tokenIn({ text }: Pick<Mail, "text">): string {
  return /[?&]token=([\w-]+)/.exec(text)?.[1] ?? "";
}
