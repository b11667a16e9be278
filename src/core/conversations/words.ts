import { tokens } from "../text-keys.ts";

/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** What is longer counts by its beginning. */
const longestWord = 64;

let segmenter: Intl.Segmenter | undefined;

/** The folded words of a message or a query in their order, of any script. */
export function wordsInOrder(text: string): string[] {
  const found = unspaced.test(text) ? segments(text).flatMap(tokens) : tokens(text);
  return found.map((word) => (word.length > longestWord ? [...word].slice(0, longestWord).join("") : word));
}

function segments(text: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  return Array.from(segmenter.segment(text.normalize("NFKC")), ({ segment }) => segment);
}
