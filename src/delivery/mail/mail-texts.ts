import { danishMails } from "./mail-texts-da.ts";
import { englishMails, type MailTexts } from "./mail-texts-en.ts";

export const mailTexts = { en: englishMails, da: danishMails } satisfies Record<string, MailTexts>;
export type MailLanguage = keyof typeof mailTexts;
