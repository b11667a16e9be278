import { quoteForShell } from "../../contract/shell-quote.ts";

const isPlain = /^[\w%+=:,./@-]+$/;

/** Returns a command line of wcs, with quotes where they are necessary. */
export const lineOf = (words: readonly string[]): string =>
  ["wcs", ...words].map((word) => (isPlain.test(word) ? word : quoteForShell(word))).join(" ");
