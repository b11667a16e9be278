import { once } from "../../contract/once.ts";
import { foldedWords } from "../directory/text-keys.ts";

/** Scripts that do not separate words by spaces. */
const unspaced = once(
  () =>
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u,
);
/** Maximum number of characters of an indexed word; longer words are cut. */
const maxWordLength = 64;

const segmenter = once(() => new Intl.Segmenter("en", { granularity: "word" }));

/** Returns the folded words of a message or a query in order, in any script. */
export function wordsInOrder(text: string): string[] {
  const found = unspaced().test(text)
    ? [...segmenter().segment(text.normalize("NFKC"))].flatMap(({ segment }) => foldedWords(segment))
    : foldedWords(text);
  return found.map((word) => (word.length > maxWordLength ? [...word].slice(0, maxWordLength).join("") : word));
}

/** Returns the words under which a message is found, each once. */
export const indexedWords = (text: string): string[] => [...new Set(wordsInOrder(text))];
