/**
 * Returns the most similar candidate; undefined when more than a third of its letters, or than `max`, differ. Beginnings come
 * first, then names with one wrong letter, then abbreviations.
 */
export function suggestName(word: string, candidates: Iterable<string>, max = Infinity): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const far = Math.min(distance(word, candidate), rankAbbreviation(word, candidate));
    if (far < least && far <= Math.min(max, Math.max(1, candidate.length / 3))) {
      best = candidate;
      least = far;
    }
  }
  return best;
}

/** Returns less than 1 for a beginning, 1 to 2 for the word's letters in order after its first one, else infinity. */
function rankAbbreviation(word: string, candidate: string): number {
  if (word.length < 2 || word[0] !== candidate[0]) return Number.POSITIVE_INFINITY;
  if (candidate.startsWith(word)) return candidate.length / 100;
  let at = 0;
  for (const letter of candidate) if (letter === word[at]) at += 1;
  const isShort = at === word.length && word.length > candidate.length / 2;
  return isShort ? 1 + candidate.length / 100 : Number.POSITIVE_INFINITY;
}

const costAt = (row: readonly number[], at: number) => row[at] ?? Number.POSITIVE_INFINITY;

/** Returns the Damerau-Levenshtein distance. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = costAt(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? costAt(before, j - 2) + 1 : replaced;
      row[j] = Math.min(replaced, swapped, costAt(last, j) + 1, costAt(row, j - 1) + 1);
    }
    before = last;
    last = row;
  }
  return costAt(last, b.length);
}
