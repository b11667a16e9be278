/** A line of session.txt. */
interface SessionLine {
  readonly words: readonly string[];
  /** The line as shown, without flags that only choose the profile. */
  readonly line: string;
  /** File that the line reads as stdin. */
  readonly input: string | undefined;
  readonly profile: string | undefined;
  readonly code: number;
  readonly hidden: boolean;
}

const marks = /^(?:(?<hidden>\.)|!(?<code>\d+))? ?(?:@(?<profile>\w+))? ?wcs (?<line>.+?)(?: < (?<input>\S+))?$/;

/** Parses a line of session.txt, without those that start a server or cause events. */
export function parseLine(text: string): SessionLine {
  const { groups } = marks.exec(text) ?? {};
  if (groups?.line === undefined) throw new Error(`This is not a line of a session: ${text}`);
  const { hidden, code, profile, line, input } = groups;
  return {
    words: splitWords(line),
    line: `wcs ${line}${input === undefined ? "" : ` < ${input}`}`,
    input,
    profile,
    code: Number(code ?? 0),
    hidden: hidden !== undefined,
  };
}

/** Splits a line at spaces, except within quotation marks. */
function splitWords(line: string): string[] {
  const words = line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g);
  return [...words].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
