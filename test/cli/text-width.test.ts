import stringWidth from "string-width";
import { expect, it } from "vitest";
import { cut, widthOf } from "../../src/cli/terminal/text-width.ts";

it("every character has the width that string-width gives it", () => {
  const wrong: string[] = [];
  for (let code = 0; code < 0xffff; code++) {
    const text = `a${String.fromCharCode(code)}b`;
    if (widthOf(text) !== stringWidth(text)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

it.each([
  ["Łódź–Ålesund", 12, "Łódź–Ålesund"],
  ["Łódź–Ålesund", 6, "Łódź–…"],
  ["Łódź", 1, "…"],
  ["Łódź", 0, "…"],
  ["日本語", 5, "日本…"],
  ["日本語", 4, "日…"],
  ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
  ["👩‍👩‍👧‍👦👍", 3, "👩‍👩‍👧‍👦…"],
])("%s is cut to %i columns", (text, width, expected) => expect(cut(text, width)).toBe(expected));
