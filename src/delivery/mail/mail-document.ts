import type { MailLanguage } from "./mail-texts.ts";

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A paragraph: text, a link as a button, or a command or code to copy. */
export type Part = string | Button | { readonly code: string };

interface Button {
  readonly button: string;
  readonly link: string;
  /** Introduces the address below the button. */
  readonly hint: string;
}

interface Letter {
  readonly language: MailLanguage;
  readonly subject: string;
  readonly parts: readonly Part[];
}

/** Returns a mail as text and as HTML. Styles stand in the elements, because many mail programs drop style sheets. */
export function mailDocument({ language, subject, parts }: Letter): MailText {
  return {
    subject: oneLine(subject),
    text: `${parts.flatMap(paragraphsOf).join("\n\n")}\n`,
    html: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(oneLine(subject))}</title>
</head>
<body style="margin: 0; padding: 16px; font: 16px/1.5 sans-serif">
<div style="max-width: 34em; margin: 0 auto; overflow-wrap: anywhere; word-break: break-word">
${parts.map(htmlOf).join("\n")}
</div>
</body>
</html>
`,
  };
}

/** Returns the paragraphs of the plain text, in which a button is its label and its address. */
function paragraphsOf(part: Part): string[] {
  if (typeof part === "string") return [part];
  if ("button" in part) return [`${part.button}:`, `    ${part.link}`];
  return [`    ${part.code}`];
}

function htmlOf(part: Part): string {
  if (typeof part === "string") return `<p>${escaped(part)}</p>`;
  if ("code" in part) return `<p><code style="font-size: 15px">${escaped(part.code)}</code></p>`;
  const style =
    "display: inline-block; padding: 10px 18px; border-radius: 6px; background: #14549c; color: #ffffff; text-decoration: none; font-weight: bold";
  const link = escaped(part.link);
  return `<p><a href="${link}" style="${style}">${escaped(part.button)}</a></p>
<p style="font-size: 14px">${escaped(part.hint)}<br>${link}</p>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ");
