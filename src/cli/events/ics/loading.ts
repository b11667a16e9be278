import { isUtf8 } from "node:buffer";
import { ServiceError } from "../../../contract/errors.ts";
import { bytesAsText } from "../../files/size.ts";
import type { Terminal } from "../../terminal.ts";
import { openSource } from "../../transfer/source.ts";
import { componentsOf } from "./components.ts";

/** Bytes; some fifty thousand events. */
const largest = 33_554_432;

/** Reads the text of an iCalendar file, or of stdin for `-`. */
export async function loadCalendar(path: string, terminal: Terminal, signal: AbortSignal): Promise<string> {
  const source = await openSource(path, terminal, { again: false, signal });
  const refuse = (why: string) => new ServiceError("validation_failed", `${terminal.plain(source.label)} ${why}`);
  const tooLarge = () => refuse(`is larger than ${bytesAsText(largest)}: divide it into files with fewer events.`);
  try {
    if ((source.size ?? 0) > largest) throw tooLarge();
    const chunks: Uint8Array[] = [];
    for await (const chunk of source.read()) {
      chunks.push(chunk);
      if (source.position > largest) throw tooLarge();
    }
    const bytes = Buffer.concat(chunks);
    if (!isUtf8(bytes)) throw refuse("is not in UTF-8, as iCalendar files have to be.");
    const text = bytes.toString("utf8").replace(/^\ufeff/, "");
    if (componentsOf(text).next().done) throw refuse("is no iCalendar file: it has no BEGIN:VCALENDAR.");
    return text;
  } finally {
    await source.close();
  }
}
