import { parseAccept } from "hono/utils/accept";
import { chooseLanguage } from "../../contract/choose-language.ts";
import { danishPages } from "./page-texts-da.ts";
import { englishPages, type PageTexts } from "./page-texts-en.ts";

export const pageTexts = { en: englishPages, da: danishPages } satisfies Record<string, PageTexts>;
export type PageLanguage = keyof typeof pageTexts;

/** Returns the first supported language: that of the link, then those of the header `Accept-Language`, else English. */
export function choosePageLanguage(ofLink: string | null, acceptLanguage = ""): PageLanguage {
  const accepted = parseAccept(acceptLanguage).filter(({ q }) => q > 0);
  return chooseLanguage(pageTexts, [ofLink, ...accepted.map(({ type }) => type)]);
}
