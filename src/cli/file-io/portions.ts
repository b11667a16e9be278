/** Yields items in lists of `size`. The last list is shorter, and may be empty. */
export function* portionsOf<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let portion: T[] = [];
  for (const item of items) {
    portion.push(item);
    if (portion.length < size) continue;
    yield portion;
    portion = [];
  }
  yield portion;
}
