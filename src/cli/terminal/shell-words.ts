const isPlain = /^[\w%+=:,./@-]+$/;

/** Quotes a word for a POSIX shell. */
export const quoteWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Returns a command line of wcs, with quotes where they are necessary. */
export const lineOf = (words: readonly string[]): string =>
  ["wcs", ...words].map((word) => (isPlain.test(word) ? word : quoteWord(word))).join(" ");
