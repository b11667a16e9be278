import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPaint } from "../../src/cli/terminal/colors.ts";
import { markdownLines } from "../../src/cli/terminal/markdown/markdown.ts";
import { noPaint } from "../../src/cli/terminal/terminal.ts";
import { widthOf } from "../../src/cli/terminal/text-width.ts";
import { tries } from "../support/effort.ts";

const plain = (text: string, width = 40) => markdownLines(text, { paint: noPaint, width });

describe("Markdown on a terminal", () => {
  it.each([
    ["a heading", "# One *two*\ntext", ["One two", "", "text"]],
    ["line breaks stay", "one\ntwo\n\nthree", ["one", "two", "", "three"]],
    [
      "a long line",
      "aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii",
      ["aaaa bbbb cccc dddd eeee ffff gggg hhhh", "iiii"],
    ],
    ["a long word", "x".repeat(45), ["x".repeat(40), "x".repeat(5)]],
    ["a word in parts", `${"x".repeat(36)} **bo**ld`, ["x".repeat(36), "bold"]],
    [
      "links",
      "[here](https://a.example/) <https://b.example> [c@d.example](mailto:c@d.example)",
      ["here (https://a.example/)", "https://b.example c@d.example"],
    ],
    ["pictures", "![A cat](https://a.example/cat.png)", ["[A cat] (https://a.example/cat.png)"]],
    ["a list", "- one\n- two\n  - three\n- [x] four", ["  • one", "  • two", "    • three", "[x] four"]],
    ["a list of numbers", "9. nine\n10. ten\n\n    more", [" 9. nine", "", "10. ten", "", "    more"]],
    ["a quote", "> one\n> two\n>\n> > three", ["│ one", "│ two", "│ ", "│ │ three"]],
    ["code", "```js\na\tb\n  c\n```", ["    a    b", "      c"]],
    ["a table", "|a|bb|\n|-|-|\n|*long*|c|", ["a     bb", "long  c"]],
    ["a rule", "---", ["─".repeat(40)]],
    ["HTML", "<b>one</b>\n\n<div>\ntwo\n</div>", ["<b>one</b>", "", "<div>", "two", "</div>"]],
    ["nothing", "", []],
    ["spaces", " \n\n ", []],
    ["no Markdown", "1 * 2 * 3 = 6 _ok_ snake_case_name", ["1 * 2 * 3 = 6 ok snake_case_name"]],
    ["wide characters", "漢字".repeat(15), ["漢字".repeat(10), "漢字".repeat(5)]],
  ])("%s", async (_, text, lines) => {
    expect(await plain(text)).toEqual(lines);
  });

  it("is shown in colour and styles", async () => {
    const paint = createPaint();
    const [line] = await markdownLines("**a** *b* `c`", { paint, width: 40 });
    expect(line).toBe(`${paint.strong("a")} ${paint.emphasis("b")} ${paint.value("c")}`);
  });

  it("that is nested a thousand levels deep is shown unformatted", async () => {
    const deep = ">".repeat(20_000);
    expect((await plain(deep)).join("")).toBe(deep);
  });

  it.each([
    "_a_".repeat(33_000),
    // Marked takes 4 seconds for 20,000 characters of these.
    "_a|".repeat(3334),
    `${"a.".repeat(49_999)}@`,
    "_a_\n".repeat(20_000),
    `${"_a_\n".repeat(4990)}\n`.repeat(5),
  ])(
    "with very long paragraphs is shown unformatted (%.8s)",
    async (text) => expect((await plain(text)).join("")).toBe(text.replaceAll("\n", "")),
    120_000,
  );

  it("with very many lines is shown", async () => {
    const lines = Array.from({ length: 8 }, () => [...Array<string>(850).fill("_a_"), ""]).flat();
    expect(await plain(lines.join("\n"))).toEqual(lines.slice(0, -1).map((line) => line && "a"));
  }, 120_000);

  it("of any text has no control characters, and no line that is too wide except in code", async () => {
    const part = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom(
        "**",
        "*",
        "_",
        "`",
        "```\n",
        "\n\n",
        "\n",
        "> ",
        "- ",
        "1. ",
        "|a|b|\n|-|-|\n",
        "# ",
        "[x](",
        ")",
      ),
      fc.constantFrom("&#27;", "&#x9b;", "&rlm;", "\u001b[31m", "\u202e", "\u0007", "<b", ">", "\\", "!", "    ", "\t"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 30 }), fc.integer({ min: 20, max: 60 }), async (parts, width) => {
        const text = parts.join("");
        const lines = await plain(text, width);
        for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
        const prose = await plain(text.replace(/[`|>#\-\d\t ]/g, "x"), width);
        for (const line of prose) expect(widthOf(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: tries(300) },
    );
  });
});
