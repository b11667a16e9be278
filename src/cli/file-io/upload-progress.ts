import { bytesAsText } from "../output/format-bytes.ts";
import { bar } from "../terminal/progress-bar.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Milliseconds between updates. Shorter uploads show no progress. */
const interval = 150;

/** Returns a callback that shows upload progress on a terminal and removes it at the end. */
export function uploadProgress(terminal: Terminal): (sent: number, of: number) => void {
  let due = performance.now() + interval;
  return (sent, of) => {
    const now = performance.now();
    if (sent >= of) terminal.progress(undefined);
    else if (now >= due) {
      due = now + interval;
      terminal.progress(`uploading  ${bar(sent / of)}  ${bytesAsText(sent)} of ${bytesAsText(of)}`);
    }
  };
}
