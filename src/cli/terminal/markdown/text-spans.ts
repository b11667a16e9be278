import type { Paint } from "../colors.ts";
import { widthOf } from "../text-width.ts";

/** A piece of text with its styles. */
export interface Span {
  readonly text: string;
  readonly styles: readonly (keyof Paint)[];
}

/** Applies the styles to a line of spans. */
export function painted(line: readonly Span[], paint: Paint): string {
  return line.map(({ text, styles }) => styles.reduce((done, style) => paint[style](done), text)).join("");
}

/** Breaks spans into lines of at most `width` columns: at line breaks, else between words, else within a word. */
export function wrapSpans(spans: readonly Span[], width: number): Span[][] {
  const wrapping = new Wrapping(width);
  for (const { text, styles } of spans) {
    for (const [piece] of text.matchAll(/\n|[ \t]+|[^ \t\n]+/g)) {
      if (piece === "\n") wrapping.breakLine();
      else if (/^[ \t]/.test(piece)) wrapping.space({ text: " ", styles });
      else wrapping.add({ text: piece, styles });
    }
  }
  return wrapping.end();
}

/** Collects a word from pieces of several spans before deciding where it goes. */
class Wrapping {
  readonly #width: number;
  readonly #lines: Span[][] = [[]];
  #used = 0;
  #gap: Span | undefined;
  #word: Span[] = [];

  constructor(width: number) {
    this.#width = width;
  }

  add(piece: Span): void {
    this.#word.push(piece);
  }

  space(gap: Span): void {
    this.#put();
    this.#gap ??= gap;
  }

  breakLine(): void {
    this.#put();
    this.#nextLine();
  }

  end(): Span[][] {
    this.#put();
    return this.#lines;
  }

  #nextLine(): void {
    this.#lines.push([]);
    this.#used = 0;
    this.#gap = undefined;
  }

  #put(): void {
    if (this.#word.length === 0) return;
    const wide = this.#word.reduce((sum, { text }) => sum + widthOf(text), 0);
    const gap = this.#used > 0 ? this.#gap : undefined;
    if (this.#used > 0 && this.#used + (gap ? 1 : 0) + wide > this.#width) this.#nextLine();
    else if (gap) this.#append(gap);
    this.#gap = undefined;
    for (const piece of this.#word) {
      if (wide <= this.#width) this.#append(piece);
      else this.#appendBroken(piece);
    }
    this.#word = [];
  }

  #append(piece: Span): void {
    this.#lines.at(-1)!.push(piece);
    this.#used += widthOf(piece.text);
  }

  #appendBroken({ text, styles }: Span): void {
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      if (this.#used + widthOf(segment) > this.#width && this.#used > 0) this.#nextLine();
      this.#append({ text: segment, styles });
    }
  }
}
