import stringWidth from "string-width";
import { expect, it } from "vitest";
import { widthOf } from "../../src/cli/terminal/text-width.ts";

it("every character has the width that string-width gives it", () => {
  const wrong: string[] = [];
  for (let code = 0; code < 0xffff; code++) {
    const text = `a${String.fromCharCode(code)}b`;
    if (widthOf(text) !== stringWidth(text)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});
