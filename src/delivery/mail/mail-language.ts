import { danishMails } from "./mail-texts-da.ts";
import { englishMails, type MailTexts } from "./mail-texts-en.ts";

const languages = { en: englishMails, da: danishMails } satisfies Record<string, MailTexts>;
export type MailLanguage = keyof typeof languages;

export const mailTextsIn = (language: MailLanguage): MailTexts => languages[language];

const isKnown = (tag: string): tag is MailLanguage => Object.hasOwn(languages, tag);

/** Returns the language of the first of these BCP 47 tags that is supported, else English. */
export function mailLanguage(tags: readonly (string | null)[]): MailLanguage {
  return tags.map((tag) => tag?.toLowerCase().split("-")[0] ?? "").find(isKnown) ?? "en";
}
