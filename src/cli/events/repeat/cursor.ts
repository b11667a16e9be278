/** A cursor over the words of a phrase. */
export interface Cursor {
  /** The present word; undefined at the end. */
  readonly word: string | undefined;
  /** Goes on after the word, if it is one of these. */
  take(...words: readonly string[]): boolean;
  /** Goes on after the word, if `read` makes something of it. */
  read<T>(read: (word: string) => T | undefined): T | undefined;
  /** Ends the reading: with a message, or since the present word says nothing here. */
  fail(message?: string): never;
}

/** Lists are divided by `and` afterwards, ranges by `to`. `fail` gets the present word when there is no message. */
export function createCursor(phrase: string, fail: (message: string, word?: string) => never): Cursor {
  const words = phrase
    .toLowerCase()
    .replace(/(?<=[a-z])\s*[-–]\s*(?=[a-z])/g, " to ")
    .replace(/(\s*(,|&|\b(and|or)\b)\s*)+/g, " and ")
    .split(/\s+/)
    .filter(Boolean);
  let at = 0;
  return {
    get word() {
      return words[at];
    },
    take(...wanted) {
      const found = words[at] !== undefined && wanted.includes(words[at]!);
      if (found) at += 1;
      return found;
    },
    read(read) {
      const value = words[at] === undefined ? undefined : read(words[at]!);
      if (value !== undefined) at += 1;
      return value;
    },
    fail(message) {
      const word = words[at];
      if (message !== undefined) return fail(message);
      return fail(word === undefined ? "something is missing at its end" : `'${word}' is not understood`, word);
    },
  };
}
