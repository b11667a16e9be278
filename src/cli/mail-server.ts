import { UsageError } from "./failure.ts";
import type { Context, OwnFlag } from "./tree.ts";

/** By which `wcs serve` and `wcs webhooks deliver` are told the mail server, in place of the setting. */
export const smtpFlag: OwnFlag = {
  flags: "--smtp-url <url>",
  description:
    "Mail server, as in smtp://mail.example.com:25, in place of the setting mail.smtp_url; without a password. It must offer TLS, unless mail.allow_plain is on",
};

/** The environment in which the service reads its settings, with what the flag says. A URL with credentials is refused. */
export function environmentWithSmtp({ terminal, flags }: Context): NodeJS.ProcessEnv {
  const text = flags.smtpUrl as string | undefined;
  if (text === undefined) return terminal.env;
  const url = URL.parse(text);
  // The text itself is not repeated: it may hold what is not to be seen.
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
    throw new UsageError("--smtp-url must be a URL like smtp://mail.example.com:25");
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      "--smtp-url must not hold a user name or password, since others see the arguments of commands",
      {
        hint: "put the URL into the environment variable WCS_SETTING_MAIL_SMTP_URL, or keep it: wcs settings set mail.smtp_url --value-file FILE",
      },
    );
  }
  return { ...terminal.env, WCS_SETTING_MAIL_SMTP_URL: text };
}

/** What to say where mail waits because settings are missing. */
export function noMail(missing: readonly string[]): string {
  const are = missing.length === 1 ? "is" : "are";
  return `No mail leaves until ${missing.join(" and ")} ${are} set; see wcs settings set --help.`;
}
