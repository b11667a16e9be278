import { setTimeout as sleep } from "node:timers/promises";
import type { Transporter } from "nodemailer";
import { missingForMail, type Settings } from "../../contract/settings.ts";
import { updateRow } from "../../store/bulk.ts";
import { instanceName } from "../../store/instance-name.ts";
import type { AccountNotice } from "../../store/schema/column-types.ts";
import { Wakeup } from "../../store/wakeup.ts";
import type { DeliveryOptions } from "../delivery-options.ts";
import { type AttemptResult, recordPause } from "../queue/leased-queue.ts";
import { Leases } from "../queue/leases.ts";
import { failedAttempt, mailRetries } from "../queue/retry-schedule.ts";
import type { Worker } from "../queue/worker-loop.ts";
import type { MailText } from "./mail-document.ts";
import { type ClaimedMail, claimMails, mailQueue } from "./mail-queue.ts";
import {
  accountChangeText,
  type DisabledPayload,
  disabledText,
  resetText,
  type Sender,
  welcomeText,
} from "./mail-text.ts";
import { describeMailFailure, type MailFailure, type SmtpTarget, smtpTarget } from "./mail-transport.ts";
import { addresseeOf, preparePersonMail } from "./person-mail.ts";

const connections = 4;
const mailsInRound = 20;
/** Milliseconds to wait for each answer of the mail server. */
const timeout = 15_000;

type MailOptions = Pick<DeliveryOptions, "database" | "settings" | "clock" | "log" | "servedAt">;

interface Transport {
  readonly transporter: Transporter;
  readonly target: SmtpTarget;
}

interface Round {
  readonly settings: Settings & { readonly "mail.from": string };
  readonly sender: Sender;
}

/** Sends mails by SMTP, each at least once and always under the same Message-ID. */
export class MailWorker implements Worker {
  readonly wakeup = new Wakeup();
  readonly #options: MailOptions;
  readonly #leases: Leases<ClaimedMail>;
  #transport: Transport | undefined;
  #stopping = false;

  constructor(options: MailOptions) {
    this.#options = options;
    this.#leases = new Leases(mailQueue, options);
  }

  /** Sends a batch of due mails and returns its size. More may be due unless it is 0. */
  async round(): Promise<number> {
    const { database, clock } = this.#options;
    if (missingForMail(await this.#options.settings()).length > 0) return 0;
    const mails = await claimMails(database, mailsInRound, clock());
    if (mails.length === 0) return 0;
    this.#leases.add(mails);
    const queue = [...mails];
    try {
      // Settings that were read before the claim may be older than these mails.
      const settings = await this.#options.settings();
      const { "mail.smtp_url": url, "mail.from": from } = settings;
      if (url === null || from === null) {
        await this.#leases.release(queue);
        return 0;
      }
      const transport = await this.#connect(smtpTarget(url, settings["mail.allow_plain"]));
      const round = { settings: { ...settings, "mail.from": from }, sender: await this.#sender(settings) };
      const next = () => (this.#stopping ? undefined : queue.shift());
      const sendNext = async () => {
        for (let mail = next(); mail !== undefined; mail = next()) await this.#send(transport, round, mail);
      };
      await Promise.all(Array.from({ length: connections }, sendNext));
      await this.#leases.release(queue);
    } finally {
      for (const mail of mails) this.#leases.end(mail);
    }
    return mails.length;
  }

  async #send({ transporter, target }: Transport, round: Round, mail: ClaimedMail): Promise<void> {
    const { log, clock } = this.#options;
    try {
      const letter = await this.#compose(round, mail);
      if ("obsolete" in letter) return this.#recordFailure(mail, { error: letter.obsolete, permanent: true });
      const from = round.settings["mail.from"];
      const domain = /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? "wcs";
      await transporter.sendMail({
        ...letter.text,
        from,
        to: { name: "", address: letter.to },
        // A constant ID lets mail programs recognize a mail that is sent twice.
        messageId: `<wcs-${mail.id}-${mail.created_at}@${domain}>`,
        headers: { "Auto-Submitted": "auto-generated" },
      });
    } catch (error) {
      const failure = describeMailFailure(error, target);
      log.error({ mail: mail.id, kind: mail.kind, reason: failure.error }, "mail not sent");
      return this.#recordFailure(mail, failure);
    }
    log.info({ mail: mail.id, kind: mail.kind }, "mail sent");
    const { id, token, attempt } = mail;
    await this.#record(mail, { id, token, attempt: attempt + 1, state: "done", due_at: clock() }, null);
  }

  #recordFailure(mail: ClaimedMail, { error, permanent }: MailFailure): Promise<void> {
    const { id, token, attempt } = mail;
    const now = this.#options.clock();
    return this.#record(mail, failedAttempt(mailRetries, { id, token, attempt: attempt + 1, now, permanent }), error);
  }

  /** Repeats a result that cannot be written while the mail is leased: without a result it would be sent again. */
  async #record(mail: ClaimedMail, result: AttemptResult, last_error: string | null): Promise<void> {
    const { database, log } = this.#options;
    do {
      try {
        return await database.writeLocking(async (tx) => {
          const recorded = await mailQueue.record(tx, [result]);
          if (recorded.has(result)) await updateRow(tx, "mails", result.id, { last_error });
        });
      } catch (error) {
        log.error({ err: error, mail: mail.id }, "the result of a mail cannot be written");
        await sleep(recordPause);
      }
    } while (this.#leases.has(mail) && !this.#stopping);
  }

  /** Returns the text and its recipient, or the reason why the mail is obsolete. */
  async #compose(
    { settings, sender }: Round,
    mail: ClaimedMail,
  ): Promise<{ readonly text: MailText; readonly to: string } | { readonly obsolete: string }> {
    const { database, clock } = this.#options;
    if (mail.kind === "webhook_disabled" || mail.kind === "account_change") {
      const person = await addresseeOf(database, mail);
      if (person === undefined) return { obsolete: "The user is deleted, or may no longer see the webhook." };
      const payload = JSON.parse(mail.payload) as AccountNotice | DisabledPayload;
      const text =
        "webhook" in payload
          ? disabledText(payload, person.language, sender)
          : accountChangeText({ ...payload, at: mail.created_at }, person, sender);
      return { text, to: person.email };
    }
    const prepared = await preparePersonMail(database, mail, { settings, now: clock() });
    if ("obsolete" in prepared) return prepared;
    const { person } = prepared;
    const text = mail.kind === "welcome" ? welcomeText(person, sender) : resetText(person, sender);
    return { text, to: person.email };
  }

  async #sender({ name, base_url, languages, timezone }: Settings): Promise<Sender> {
    const { database, servedAt } = this.#options;
    const base = base_url ?? servedAt?.() ?? null;
    return { name: await instanceName(database.reader, name), base, languages, timezone };
  }

  async #connect(target: SmtpTarget): Promise<Transport> {
    const { url, requireTLS } = target;
    const current = this.#transport;
    if (current?.target.url === url && current.target.requireTLS === requireTLS) return current;
    const { createTransport } = await import("nodemailer");
    current?.transporter.close();
    const transporter = createTransport({
      url,
      pool: true,
      maxConnections: connections,
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true,
      requireTLS: requireTLS && url.startsWith("smtp:"),
    } as Parameters<typeof createTransport>[0]);
    this.#transport = { transporter, target };
    return this.#transport;
  }

  /** Starts no further mail. */
  stop(): void {
    this.#stopping = true;
  }

  close(): void {
    this.#transport?.transporter.close();
  }
}
