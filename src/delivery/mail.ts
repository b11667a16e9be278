import type { Transporter } from "nodemailer";
import type { Settings } from "../contract/settings.ts";
import type { Database } from "../store/database.ts";
import type { Log } from "./log.ts";
import { claimMails, extendMails, giveBackMails, type Mail, mailFailed, mailSent } from "./mail-queue.ts";
import { type DisabledPayload, disabledText, type MailText, personText } from "./mail-text.ts";
import { describeFailure, type SmtpTarget, smtpTarget } from "./mail-transport.ts";
import { preparePersonMail } from "./person-mail.ts";
import { leaseMilliseconds } from "./queue.ts";

/** Connections to the mail server. */
const connections = 4;
const mailsInRound = 20;
const smtpMilliseconds = 15_000;

export interface MailOptions {
  readonly database: Database;
  readonly settings: () => Promise<Settings>;
  readonly clock: () => number;
  readonly log: Log;
  /** Where users reach the service when `base_url` of the settings does not say. */
  readonly servedAt?: (() => string | undefined) | undefined;
  /** Milliseconds that the mail server has for each answer, when that is to be less than usual. */
  readonly patience?: number;
}

interface Transport {
  readonly transporter: Transporter;
  readonly target: SmtpTarget;
}

/** The settings that mail needs to leave and that are not set; until they are, it waits. */
export function missingForMail(settings: Settings): string[] {
  return (["mail.smtp_url", "mail.from"] as const).filter((key) => settings[key] === null);
}

/** Sends mails by SMTP, each at least once and under one Message-ID. */
export class MailWorker {
  readonly #options: MailOptions;
  #transport: Transport | undefined;
  #stopping = false;

  constructor(options: MailOptions) {
    this.#options = options;
  }

  /** Sends some of what is due. How many; there may be more as long as it is some. */
  async round(): Promise<number> {
    const { database, clock, log } = this.#options;
    const settings = await this.#options.settings();
    if (this.#stopping || missingForMail(settings).length > 0) return 0;
    const mails = await claimMails(database, clock(), mailsInRound);
    if (mails.length === 0) return 0;
    const transport = await this.#connect(smtpTarget(settings["mail.smtp_url"]!, settings["mail.allow_plain"]));
    const open = new Set(mails);
    const heartbeat = setInterval(() => {
      extendMails(database, [...open], clock()).catch((error) => log.error({ err: error }, "mail leases are lost"));
    }, leaseMilliseconds / 3);
    const queue = [...mails];
    const worker = async () => {
      for (let mail = queue.shift(); mail !== undefined && !this.#stopping; mail = queue.shift()) {
        await this.#send(transport, settings, mail);
        open.delete(mail);
      }
    };
    try {
      await Promise.all(Array.from({ length: connections }, worker));
      if (this.#stopping) await giveBackMails(database, [...open], clock());
    } finally {
      clearInterval(heartbeat);
    }
    return mails.length - open.size;
  }

  async #send({ transporter, target }: Transport, settings: Settings, mail: Mail): Promise<void> {
    const { database, clock, log } = this.#options;
    try {
      const letter = await this.#compose(settings, mail);
      if ("hopeless" in letter) {
        await mailFailed(database, mail, { now: clock(), error: letter.hopeless, hopeless: true });
        return;
      }
      const from = settings["mail.from"]!;
      const domain = /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? "wcs";
      await transporter.sendMail({
        ...letter.text,
        from,
        to: { name: "", address: letter.to },
        // A mail that is sent twice can be told to be the same.
        messageId: `<wcs-${mail.id}-${mail.created_at}@${domain}>`,
        headers: { "Auto-Submitted": "auto-generated" },
      });
      await mailSent(database, mail, clock());
      log.info({ mail: mail.id, kind: mail.kind }, "mail sent");
    } catch (error) {
      const failure = describeFailure(error, target);
      log.error({ mail: mail.id, kind: mail.kind, reason: failure.error }, "mail not sent");
      await mailFailed(database, mail, { now: clock(), ...failure });
    }
  }

  /** Returns the text and its recipient, or why the mail is of no use any more. */
  async #compose(
    settings: Settings,
    mail: Mail,
  ): Promise<{ readonly text: MailText; readonly to: string } | { readonly hopeless: string }> {
    const { database, clock, servedAt } = this.#options;
    if (mail.kind === "webhook_disabled")
      return { text: disabledText(JSON.parse(mail.payload) as DisabledPayload), to: mail.recipient };
    const prepared = await preparePersonMail(database, mail, { settings, now: clock() });
    if ("hopeless" in prepared) return prepared;
    const { person } = prepared;
    const base = (settings.base_url ?? servedAt?.())?.replace(/\/+$/, "") ?? null;
    return { text: personText(mail.kind, person, base), to: person.email };
  }

  async #connect(target: SmtpTarget): Promise<Transport> {
    const { url, requireTLS } = target;
    const before = this.#transport?.target;
    if (this.#transport && before?.url === url && before.requireTLS === requireTLS) return this.#transport;
    const { createTransport } = await import("nodemailer");
    this.#transport?.transporter.close();
    const patience = Math.max(Math.min(this.#options.patience ?? smtpMilliseconds, smtpMilliseconds), 1000);
    const transporter = createTransport({
      url,
      pool: true,
      maxConnections: connections,
      connectionTimeout: patience,
      greetingTimeout: patience,
      socketTimeout: patience,
      disableFileAccess: true,
      disableUrlAccess: true,
      requireTLS: requireTLS && url.startsWith("smtp:"),
    } as Parameters<typeof createTransport>[0]);
    this.#transport = { transporter, target };
    return this.#transport;
  }

  /** Begins nothing more. */
  stop(): void {
    this.#stopping = true;
  }

  close(): void {
    this.#transport?.transporter.close();
  }
}
