/** A line of a terminal: parts of a text, each with the names of its styles. */
type Line = readonly { readonly text: string; readonly styles: readonly string[] }[];

const styles: Readonly<Record<string, string>> = {
  "1": "bold",
  "2": "dim",
  "3": "italic",
  "31": "red",
  "32": "green",
  "36": "cyan",
};

/** The sequences of a terminal that turn styles off, each with those that it ends. */
const ends: Readonly<Record<string, readonly string[]>> = {
  "0": Object.values(styles),
  "22": ["bold", "dim"],
  "23": ["italic"],
  "39": ["red", "green", "cyan"],
};

const [lineHeight, charWidth, margin, bar] = [20, 8.43, 20, 36];

// The colours follow the reader's scheme, also where the picture is shown as an image.
const css = `
  text { font: 14px ui-monospace, "SFMono-Regular", "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2328; white-space: pre }
  .window { fill: #ffffff; stroke: #d0d7de } .bar { fill: #f1f3f5 } .button { fill: #c4cbd2 }
  .bold { font-weight: bold } .italic { font-style: italic } .dim { fill: #59636e }
  .red { fill: #b3191e } .green { fill: #17692d } .cyan { fill: #0a5a78 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .window { fill: #0d1117; stroke: #3d444d } .bar { fill: #1c2128 } .button { fill: #4b535d }
    .dim { fill: #9ea7b3 } .red { fill: #ff8a84 } .green { fill: #6fdd8b } .cyan { fill: #76d7f0 }
  }`;

/** Returns a picture of a terminal (SVG) with the output of a program, whose colours are escape sequences. */
export function drawTerminal(output: string, title: string, columns: number): string {
  const lines = parseOutput(output).flatMap((line) => wrapLine(line, columns));
  const width = Math.ceil(columns * charWidth + 2 * margin);
  const height = bar + lines.length * lineHeight + margin;
  const buttons = [0, 1, 2].map((at) => `<circle class="button" cx="${margin + at * 18}" cy="18" r="5.5"/>`);
  const texts = lines.map((line, at) => drawLine(line, bar + 22 + at * lineHeight));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>${css}
</style>
<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<path class="bar" d="M1 ${bar}V9a8 8 0 0 1 8-8H${width - 9}a8 8 0 0 1 8 8V${bar}z"/>
${[...buttons, ...texts].join("\n")}
</svg>
`;
}

function parseOutput(output: string): Line[] {
  let active: readonly string[] = [];
  return output
    .replaceAll("\r\n", "\n")
    .trimEnd()
    .split("\n")
    .map((text) => {
      // A carriage return starts the line again; progress lines use it.
      const line = text.slice(text.lastIndexOf("\r") + 1);
      const [first = "", ...rest] = line.split("\x1b[");
      const parts = [{ text: first, styles: active }];
      for (const each of rest) {
        const at = each.search(/[A-Za-z]/);
        for (const code of each.slice(0, at).split(";")) active = restyle(active, code);
        parts.push({ text: each.slice(at + 1), styles: active });
      }
      return parts.filter(({ text }) => text !== "");
    });
}

/** Breaks a line where the terminal would. */
function wrapLine(line: Line, columns: number): Line[] {
  const characters = line.flatMap(({ text, styles }) => [...text].map((text) => ({ text, styles })));
  const starts = Array.from({ length: Math.max(1, Math.ceil(characters.length / columns)) }, (_, at) => at * columns);
  return starts.map((start) => joinParts(characters.slice(start, start + columns)));
}

/** Joins neighbours of the same styles. */
function joinParts(parts: Line): Line {
  const joined: { text: string; styles: readonly string[] }[] = [];
  for (const { text, styles } of parts) {
    const last = joined.at(-1);
    if (last?.styles === styles) last.text += text;
    else joined.push({ text, styles });
  }
  return joined;
}

function restyle(active: readonly string[], code: string): readonly string[] {
  const name = styles[code];
  return name === undefined ? active.filter((each) => !ends[code]?.includes(each)) : [...active, name];
}

function drawLine(line: Line, y: number): string {
  let column = 0;
  const spans = line.map(({ text, styles }) => {
    // Each part has its own place, so that columns stay aligned in any font.
    const x = (margin + column * charWidth).toFixed(1);
    column += [...text].length;
    const length = ([...text].length * charWidth).toFixed(1);
    const name = styles.length > 0 ? ` class="${styles.join(" ")}"` : "";
    return `<tspan x="${x}" textLength="${length}"${name}>${escapeXml(text)}</tspan>`;
  });
  return `<text y="${y}" xml:space="preserve">${spans.join("")}</text>`;
}

const escapeXml = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
