import { chooseLanguage } from "../../contract/choose-language.ts";
import { danishPages } from "./page-texts-da.ts";
import { englishPages, type PageTexts } from "./page-texts-en.ts";

export const pageTexts = { en: englishPages, da: danishPages } satisfies Record<string, PageTexts>;
export type PageLanguage = keyof typeof pageTexts;

/** Returns the first supported language: that of the link, then those of the header `Accept-Language`, else English. */
export function choosePageLanguage(ofLink: string | null, acceptLanguage = ""): PageLanguage {
  const accepted = acceptLanguage
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((each) => each.trim());
      const quality = parameters.find((each) => each.startsWith("q="))?.slice(2) ?? "1";
      return { tag, quality: Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
  return chooseLanguage(pageTexts, [ofLink, ...accepted]);
}
