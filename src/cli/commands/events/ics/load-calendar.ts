import { isUtf8 } from "node:buffer";
import { ServiceError } from "../../../../contract/errors.ts";
import { openSource } from "../../../file-io/open-source.ts";
import { bytesAsText } from "../../../output/format-bytes.ts";
import type { Terminal } from "../../../terminal/terminal.ts";
import { componentsOf } from "./ics-components.ts";

/** Maximum size in bytes; about 50,000 events. */
const largest = 33_554_432;

/** Reads the text of an iCalendar file, or of stdin for `-`. */
export async function loadCalendar(path: string, terminal: Terminal, signal: AbortSignal): Promise<string> {
  const source = await openSource(path, terminal, { again: false, signal });
  const refuse = (why: string) =>
    new ServiceError("validation_failed", `${terminal.sanitizeLine(source.label)} ${why}`);
  const tooLarge = () => refuse(`is larger than ${bytesAsText(largest)}. Split it into smaller files.`);
  try {
    if ((source.size ?? 0) > largest) throw tooLarge();
    const chunks: Uint8Array[] = [];
    for await (const chunk of source.read()) {
      chunks.push(chunk);
      if (source.position > largest) throw tooLarge();
    }
    const bytes = Buffer.concat(chunks);
    if (!isUtf8(bytes)) throw refuse("is not encoded in UTF-8. Convert it to UTF-8 first.");
    const text = bytes.toString("utf8").replace(/^\ufeff/, "");
    if (componentsOf(text).next().done) throw refuse("is not an iCalendar file: it has no BEGIN:VCALENDAR.");
    return text;
  } finally {
    await source.close();
  }
}
