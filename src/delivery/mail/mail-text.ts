import type { AccountNotice, DisabledReason } from "../../store/schema/delivery-schema.ts";
import { type MailText, mailDocument, type Part } from "./mail-document.ts";
import { type MailLanguage, mailLanguage, mailTextsIn } from "./mail-language.ts";
import type { MailTexts } from "./mail-texts-en.ts";

/** The instance that sends a mail. */
export interface Sender {
  readonly name: string;
  /** URL of the service; null when it is not known, and mails have no links. */
  readonly base: string | null;
  readonly languages: readonly string[];
  readonly timezone: string;
}

export interface Addressee {
  readonly name: string;
  readonly language: string | null;
  readonly timezone: string | null;
}

export interface Person extends Addressee {
  readonly email: string;
  /** Name of the user who sent the welcome mail. */
  readonly inviter?: string | undefined;
  readonly invitation?: Invitation;
}

/** Lets a person set a password until `expires_at`, in Unix seconds. */
interface Invitation {
  readonly token: string;
  readonly expires_at: number;
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
export function welcomeText(person: Person, sender: Sender): MailText {
  const { email, invitation, inviter, name } = person;
  const { language, texts } = languageFor(person.language, sender);
  const { base } = sender;
  const { welcome } = texts;
  const signIn: Part[] = [
    welcome.signIn(email),
    ...(base === null ? [] : [{ button: sender.name, link: base, hint: texts.invitation.link }]),
  ];
  return mailDocument({
    language,
    subject: welcome.subject(sender.name),
    parts: [
      texts.greeting(name),
      welcome.invited(sender.name, inviter),
      welcome.about(sender.name),
      ...(invitation === undefined
        ? signIn
        : invite(person, sender, { invitation, path: "/welcome", button: welcome.button })),
    ],
  });
}

/** Returns a mail with a link or code to set a new password. */
export function resetText(person: Person, sender: Sender): MailText {
  const { email, invitation, name } = person;
  const { language, texts } = languageFor(person.language, sender);
  const { reset } = texts;
  return mailDocument({
    language,
    subject: reset.subject(sender.name),
    parts: [
      texts.greeting(name),
      reset.requested(sender.name, email),
      ...(invitation === undefined
        ? []
        : invite(person, sender, { invitation, path: "/password/reset", button: reset.button })),
      reset.ignore,
    ],
  });
}

export function disabledText({ name, webhook, reason }: DisabledPayload, tag: string | null, sender: Sender): MailText {
  const { language, texts } = languageFor(tag, sender);
  const { disabled } = texts;
  return mailDocument({
    language,
    subject: disabled.subject(webhook.name, sender.name),
    parts: [
      texts.greeting(name),
      disabled.happened(webhook.name, webhook.id, sender.name),
      disabled.reasons[reason],
      { code: webhook.uri },
      disabled.next,
      { code: `wcs webhooks update ${webhook.id} --active` },
      { code: `wcs webhooks recover ${webhook.id} --since -7d` },
    ],
  });
}

/** Returns a notice of a change of an account. */
export function accountChangeText({ change, isLast, at }: MadeChange, person: Addressee, sender: Sender): MailText {
  const { language, texts } = languageFor(person.language, sender);
  const { accountChange } = texts;
  const time = formatTime(at, language, person.timezone ?? sender.timezone);
  return mailDocument({
    language,
    subject: accountChange.subject(sender.name),
    parts: [
      texts.greeting(person.name),
      accountChange.happened(sender.name, time),
      accountChange.changes[change],
      ...(isLast ? [accountChange.last] : []),
      accountChange.next,
    ],
  });
}

function languageFor(tag: string | null, sender: Sender): { language: MailLanguage; texts: MailTexts } {
  const language = mailLanguage([tag, ...sender.languages]);
  return { language, texts: mailTextsIn(language) };
}

interface Way {
  readonly invitation: Invitation;
  /** Path of the page that sets the password. */
  readonly path: string;
  readonly button: string;
}

function invite(person: Person, sender: Sender, { invitation, path, button }: Way): Part[] {
  const { language, texts } = languageFor(person.language, sender);
  const { token, expires_at } = invitation;
  const { email } = person;
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

/** Quotes a word for a POSIX shell where it has to be. */
const shellWord = (word: string) => (/^[\w.+@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Formats a time with its day of the week and its zone. */
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
