import { quoteForShell } from "../../contract/shell-quote.ts";

const isPlain = /^[\w%+=:,./@-]+$/;

export const quoteIfNeeded = (word: string): string => (isPlain.test(word) ? word : quoteForShell(word));

/** Returns a command line of wcs, with quotes where they are necessary. */
export const lineOf = (words: readonly string[]): string => ["wcs", ...words].map(quoteIfNeeded).join(" ");
