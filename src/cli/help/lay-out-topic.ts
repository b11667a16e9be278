import { wrapWords } from "../terminal/help-layout.ts";

/** Fits a topic to a width: paragraphs are filled, and wide rows of a table continue below their last column. */
export function layOutTopic(text: string, width: number): string {
  const lines = text.replace(/^(\S.*)\n(?=\S)/gm, "$1 ").split("\n");
  return lines.map((line) => (line.length > width ? breakLine(line, width) : line)).join("\n");
}

function breakLine(line: string, width: number): string {
  // A line with a command only is copied into a shell: \ continues it before flags and pipes.
  if (/^ {2}wcs (?!.* {2})/.test(line)) {
    const room = width - 8;
    const parts = new RegExp(`(?=.{${room + 1}})(.{1,${room}}) (?=--?\\w|[|<>] )`, "g");
    return line.replace(parts, "$1 \\\n      ");
  }
  const [column = ""] = /^ +\S.*? {2,}(?=\S)/.exec(line) ?? [];
  const [indent = ""] = /^ */.exec(line) ?? [];
  const start = column.length > 0 && column.length <= width / 2 ? column : indent;
  const below = " ".repeat(start === indent && indent !== "" ? indent.length + 4 : start.length);
  return start + wrapWords(line.slice(start.length), width - below.length, below);
}
