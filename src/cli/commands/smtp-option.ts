import { UsageError } from "../errors/cli-errors.ts";
import type { CommandFlag, Context } from "../kit/command-spec.ts";

/** Overrides the setting mail.smtp_url in `wcs serve` and `wcs webhooks deliver`. */
export const smtpFlag: CommandFlag = {
  flags: "--smtp-url <url>",
  description:
    "Mail server without a password (for example smtp://mail.example.com:25), overrides the setting mail.smtp_url; must offer TLS unless mail.allow_plain is on",
};

/** Returns the environment with the value of --smtp-url. Throws UsageError when the URL contains credentials. */
export function environmentWithSmtp(env: NodeJS.ProcessEnv, flags: Context["flags"]): NodeJS.ProcessEnv {
  const text = flags.smtpUrl as string | undefined;
  if (text === undefined) return env;
  const url = URL.parse(text);
  // The message does not repeat the text, because it may contain a password.
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
    throw new UsageError("--smtp-url must be a URL like smtp://mail.example.com:25");
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      "--smtp-url must not contain a user name or password, because other users can see command lines",
      {
        hint: "set the environment variable WCS_SETTING_MAIL_SMTP_URL, or save the URL with wcs settings set mail.smtp_url --value-file FILE",
      },
    );
  }
  return { ...env, WCS_SETTING_MAIL_SMTP_URL: text };
}

export function noMail(missing: readonly string[]): string {
  const are = missing.length === 1 ? "is" : "are";
  return `No mail is sent until ${missing.join(" and ")} ${are} set. See wcs settings set --help.`;
}
