const isPlain = /^[\w%+=:,./@-]+$/;

/** Quotes a word for a POSIX shell where necessary. */
const quoteWord = (word: string): string => (isPlain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

export const lineOf = (words: readonly string[]): string => ["wcs", ...words].map(quoteWord).join(" ");
