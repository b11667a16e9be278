/** Quotes a word for a POSIX shell, for commands in hints and mails. */
export const quoteForShell = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
