import { danishPages } from "./page-texts-da.ts";
import { englishPages, type PageTexts } from "./page-texts-en.ts";

export const pageTexts = { en: englishPages, da: danishPages } satisfies Record<string, PageTexts>;
export type PageLanguage = keyof typeof pageTexts;

const isKnown = (tag: string): tag is PageLanguage => Object.hasOwn(pageTexts, tag);

/** Returns the first known language: that of the link, then those of the header `Accept-Language`, else English. */
export function pickLanguage(wanted: string | null, acceptLanguage = ""): PageLanguage {
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
  const tags = [wanted ?? "", ...accepted].map((tag) => tag.toLowerCase().split("-")[0] ?? "");
  return tags.find(isKnown) ?? "en";
}
