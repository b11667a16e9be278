/** One line of the table of benchmarks. */
export interface Figure {
  readonly id: string;
  readonly what: string;
  /** In `unit`; both are medians of the same number of runs. */
  readonly measured: number;
  readonly floor: number;
  readonly unit: string;
  /** How the ratio should be, as in "<= 2 x". */
  readonly target: string;
  /** Higher is better (requests per second) rather than lower (seconds). */
  readonly higher?: boolean;
  readonly note?: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
