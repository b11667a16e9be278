const width = 24;

/** Formats a progress bar with a percentage; `part` is from 0 to 1. */
export function bar(part: number): string {
  const full = Math.round(part * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${String(Math.floor(part * 100)).padStart(3)} %`;
}
