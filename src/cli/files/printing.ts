import type { Content } from "../../contract/file-forms.ts";
import { UsageError } from "../failure.ts";
import { harmless } from "../plain.ts";
import type { Terminal } from "../terminal.ts";

/** Writes a content to stdout; on a terminal only what it can show, and does not obey. */
export async function printContent(content: Content, terminal: Terminal): Promise<void> {
  if (!terminal.stdoutIsTerminal) {
    for await (const bytes of content.read()) await terminal.writeBytes(bytes);
  } else if (content.mime === "text/plain") {
    const decoder = new TextDecoder();
    for await (const bytes of content.read()) await terminal.write(harmless(decoder.decode(bytes, { stream: true })));
  } else {
    throw new UsageError(`${terminal.plain(content.name)} is ${content.mime}, which a terminal cannot show`, {
      hint: "redirect it, or give a path with -o",
    });
  }
}
