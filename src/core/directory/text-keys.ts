import { fold } from "../../contract/fold-text.ts";

/** Returns the lookup form of a title. Folding can lengthen it; PostgreSQL takes no half of a character. */
export const titleLookupKey = (title: string): string =>
  fold(title)
    .slice(0, 255)
    .replace(/[\ud800-\udbff]$/, "");

/** Returns the title of a conversation in the form used for searching: its folded words, each after a space. */
export const titleWordsKey = (title: string): string =>
  words(title)
    .map((word) => ` ${word}`)
    .join("");

/** Returns the folded words of a text in order: runs of letters and digits. */
export function foldedWords(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns the folded words of a text in order, without duplicates. */
export function words(text: string): string[] {
  return [...new Set(foldedWords(text))];
}

/** Returns the name of a user in the form used for comparing: its folded words in order. */
export function userNameKey(user: { readonly first_name: string; readonly last_name: string }): string {
  return foldedWords(`${user.first_name} ${user.last_name}`).join(" ");
}

/** Returns an e-mail address in the form used for comparing: case is ignored. */
export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}
