import { bar } from "../progress-bar.ts";
import type { Terminal } from "../terminal.ts";
import { bytesAsText } from "./size.ts";

/** Milliseconds; what is over before the first one is not worth a look. */
const interval = 150;

/** Shows how much of a request has been sent, where the user looks on; at its end the line goes away. */
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
