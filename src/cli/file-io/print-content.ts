import type { Content } from "../../contract/file-schemas.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { sanitizeLine, sanitizeText } from "../terminal/sanitize.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Writes a file's content to stdout. On a terminal, only plain text is allowed, and it is sanitized. */
export async function printContent(content: Content, terminal: Terminal): Promise<void> {
  if (!terminal.stdoutIsTerminal) {
    for await (const bytes of content.read()) await terminal.writeBytes(bytes);
  } else if (content.mime === "text/plain") {
    const decoder = new TextDecoder();
    for await (const bytes of content.read())
      await terminal.write(sanitizeText(decoder.decode(bytes, { stream: true })));
  } else {
    throw new UsageError(`${sanitizeLine(content.name)} is ${content.mime}, which a terminal cannot show`, {
      hint: "redirect the output, or pass a path with -o",
    });
  }
}
