export type Cursor = ReturnType<typeof createCursor>;

/** Creates a cursor over the words of a phrase. Lists are normalized to `and`, ranges to `to`. */
export function createCursor(phrase: string, fail: (message: string, word?: string) => never) {
  const words = phrase
    .toLowerCase()
    .replace(/(?<=[a-z])\s*[-–]\s*(?=[a-z])/g, " to ")
    .replace(/(\s*(,|&|\b(and|or)\b)\s*)+/g, " and ")
    .split(/\s+/)
    .filter(Boolean);
  let at = 0;
  return {
    get word(): string | undefined {
      return words[at];
    },
    /** Skips the current word if it is one of these; returns whether it did. */
    take(...wanted: readonly string[]): boolean {
      const word = words[at];
      const found = word !== undefined && wanted.includes(word);
      if (found) at += 1;
      return found;
    },
    /** Skips the current word if `read` returns a value for it; returns that value. */
    read<T>(read: (word: string) => T | undefined): T | undefined {
      const word = words[at];
      const value = word === undefined ? undefined : read(word);
      if (value !== undefined) at += 1;
      return value;
    },
    /** Throws: with the message, or because the current word is not understood. */
    fail(message?: string): never {
      const word = words[at];
      if (message !== undefined) return fail(message);
      return fail(word === undefined ? "the phrase is incomplete" : `'${word}' is not understood`, word);
    },
  };
}
