import { accessSync, constants } from "node:fs";

/** Path of the browser: `WCS_CHROMIUM`, else Debian's. */
const path = process.env.WCS_CHROMIUM ?? "/usr/bin/chromium";

/** The browser; undefined when this machine has none. */
export const chromium = isExecutable(path) ? path : undefined;

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export default function setup(): void {
  if (chromium === undefined)
    process.stderr.write(
      `Chromium is not at ${path}, so the browser tests are skipped. Install it with apt-get install chromium, or set WCS_CHROMIUM.\n`,
    );
}
