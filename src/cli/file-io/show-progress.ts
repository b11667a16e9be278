import { bytesAsText } from "../output/format-bytes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Source } from "./open-source.ts";

export type Progress = ReturnType<typeof importProgress>;

/** Returns a function that shows an activity and the number of rows processed so far. */
export function importProgress(terminal: Terminal, source: Pick<Source, "position" | "size">) {
  const show = throttledProgress(terminal);
  return (what: string, rows: number) =>
    show(() => {
      const part = source.size ? [progressBar(Math.min(source.position / source.size, 1))] : [];
      return [what, ...part, `${rows.toLocaleString("en")} rows`].join("  ");
    });
}

/** Returns a callback that shows upload progress on a terminal and removes it at the end. */
export function uploadProgress(terminal: Terminal): (sent: number, of: number) => void {
  const show = throttledProgress(terminal);
  return (sent, of) => {
    if (sent >= of) terminal.progress(undefined);
    else show(() => `uploading  ${progressBar(sent / of)}  ${bytesAsText(sent)} of ${bytesAsText(of)}`);
  };
}

/** Returns a function that shows a progress line every 150 ms. Shorter work shows none. */
export function throttledProgress(terminal: Terminal): (line: () => string) => void {
  const interval = 150;
  let due = performance.now() + interval;
  return (line) => {
    if (performance.now() < due) return;
    due = performance.now() + interval;
    terminal.progress(line());
  };
}

const barWidth = 24;

/** Formats a progress bar with a percentage; `part` is from 0 to 1. */
export function progressBar(part: number): string {
  const full = Math.round(part * barWidth);
  return `${"█".repeat(full)}${"░".repeat(barWidth - full)} ${String(Math.floor(part * 100)).padStart(3)} %`;
}
