import { chooseLanguage } from "../../contract/choose-language.ts";
import { quoteForShell } from "../../contract/shell-quote.ts";
import type { AccountNotice, DisabledReason } from "../../store/schema/column-types.ts";
import { type MailText, mailDocument, type Part } from "./mail-document.ts";
import { type MailLanguage, mailTexts } from "./mail-texts.ts";
import type { MailTexts } from "./mail-texts-en.ts";

export interface Sender {
  readonly name: string;
  /** URL of the service; null when it is not known, and mails have no links. */
  readonly base: string | null;
  readonly languages: readonly string[];
  readonly timezone: string;
}

interface Addressee {
  readonly name: string;
  readonly language: string | null;
  readonly timezone: string | null;
}

export interface Person extends Addressee {
  readonly email: string;
  readonly inviter?: string | undefined;
  /** Lets the person set a password until `expires_at`, in Unix seconds. */
  readonly invitation?: { readonly token: string; readonly expires_at: number };
}

export interface DisabledPayload {
  readonly name: string;
  readonly webhook: { readonly id: number; readonly name: string; readonly uri: string };
  readonly reason: DisabledReason;
}

/** A notice of a change of an account, and the time of the change in Unix seconds. */
interface MadeChange extends AccountNotice {
  readonly at: number;
}

/** Returns a welcome mail, with a link or code to set a password when the person has none. */
export const welcomeText = (person: Person, sender: Sender): MailText =>
  letter(person, sender, ({ texts, language }) => {
    const { welcome, invitation } = texts;
    const { base } = sender;
    const signIn: Part[] = [
      welcome.signIn(person.email),
      ...(base === null ? [] : [{ button: sender.name, link: base, hint: invitation.link }]),
    ];
    return {
      subject: welcome.subject(sender.name),
      parts: [
        welcome.invited(sender.name, person.inviter),
        welcome.about(sender.name),
        ...(invite(person, sender, { texts, language, path: "/welcome", button: welcome.button }) ?? signIn),
      ],
    };
  });

export const resetText = (person: Person, sender: Sender): MailText =>
  letter(person, sender, ({ texts, language }) => {
    const { subject, requested, button, ignore } = texts.reset;
    const invitation = invite(person, sender, { texts, language, path: "/password/reset", button }) ?? [];
    return { subject: subject(sender.name), parts: [requested(sender.name, person.email), ...invitation, ignore] };
  });

export const disabledText = (
  { name, webhook, reason }: DisabledPayload,
  language: string | null,
  sender: Sender,
): MailText =>
  letter({ name, language }, sender, ({ texts: { disabled } }) => ({
    subject: disabled.subject(webhook.name, sender.name),
    parts: [
      disabled.happened(webhook.name, webhook.id, sender.name),
      disabled.reasons[reason],
      { code: webhook.uri },
      disabled.next,
      { code: `wcs webhooks update ${webhook.id} --active` },
      { code: `wcs webhooks recover ${webhook.id} --since -7d` },
    ],
  }));

export const accountChangeText = ({ change, isLast, at }: MadeChange, person: Addressee, sender: Sender): MailText =>
  letter(person, sender, ({ texts, language }) => {
    const { subject, happened, changes, last, next } = texts.accountChange;
    const time = formatTime(at, language, person.timezone ?? sender.timezone);
    const parts = [happened(sender.name, time), changes[change], ...(isLast ? [last] : []), next];
    return { subject: subject(sender.name), parts };
  });

interface Wording {
  readonly language: MailLanguage;
  readonly texts: MailTexts;
}

function letter(
  { name, language: tag }: Pick<Addressee, "name" | "language">,
  sender: Sender,
  write: (wording: Wording) => { readonly subject: string; readonly parts: readonly Part[] },
): MailText {
  const language = chooseLanguage(mailTexts, [tag, ...sender.languages]);
  const texts: MailTexts = mailTexts[language];
  const { subject, parts } = write({ language, texts });
  return mailDocument({ language, subject, parts: [texts.greeting(name), ...parts] });
}

interface PasswordLink extends Wording {
  /** Path of the page that sets the password. */
  readonly path: string;
  readonly button: string;
}

/** Returns the link or code to set a password; undefined when the person gets none. */
function invite(person: Person, sender: Sender, { language, texts, path, button }: PasswordLink): Part[] | undefined {
  const { email, invitation } = person;
  if (invitation === undefined) return undefined;
  const { token, expires_at } = invitation;
  const { base } = sender;
  // Without a language of the user, the page speaks that of the browser.
  const query = new URLSearchParams({ token, email, ...(person.language !== null && { lang: language }) });
  const link = `${base}${path}?${query}`;
  const words = texts.invitation;
  const command = `wcs auth password reset --email ${shellWord(email)}`;
  return [
    ...(base === null
      ? [words.command, { code: command }]
      : [{ button, link, hint: words.link }, words.commandToo, { code: `${command} --url ${base}` }]),
    words.code,
    { code: token },
    words.until(formatTime(expires_at, language, person.timezone ?? sender.timezone)),
  ];
}

const shellWord = (word: string) => (/^[\w.+@-]+$/.test(word) ? word : quoteForShell(word));

function formatTime(seconds: number, language: MailLanguage, timeZone: string): string {
  const format = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
    timeZone,
  });
  return format.format(seconds * 1000);
}
