import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it was sent. */
  readonly raw: string;
  /** The plain text, decoded. */
  readonly text: string;
  readonly html: string;
  readonly subject: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

export interface Mailbox {
  readonly port: number;
  readonly mails: Mail[];
  close(): Promise<void>;
}

/** A real mail server on loopback that keeps what it gets. */
export async function newMailbox(options: SMTPServerOptions = {}, port = 0): Promise<Mailbox> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _, done) =>
      password === "hunter2" ? done(null, { user: username }) : done(new Error("wrong")),
    onData(stream, { envelope, secure, user }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString();
        const [text = "", html = ""] = parts(raw);
        mails.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : "",
          to: envelope.rcptTo.map((each) => each.address),
          raw,
          text,
          html,
          subject: /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? "",
          secure,
          user: user as string | undefined,
        });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Starts a mail server, and closes it at the end of the test. */
export async function mailboxOfTest(options?: SMTPServerOptions, port?: number): Promise<Mailbox> {
  const mailbox = await newMailbox(options, port);
  onTestFinished(() => mailbox.close());
  return mailbox;
}

/** The decoded parts of a multipart/alternative mail. */
function parts(raw: string): string[] {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? "";
  return raw
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = "", ...body] = part.trim().split("\r\n\r\n");
      const content = body.join("\r\n\r\n");
      if (/base64/i.test(head)) return Buffer.from(content, "base64").toString();
      if (!/quoted-printable/i.test(head)) return content.replaceAll("\r\n", "\n");
      const bytes = content
        .replace(/=\r\n/g, "")
        .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
      return Buffer.from(bytes, "latin1").toString().replaceAll("\r\n", "\n");
    });
}
