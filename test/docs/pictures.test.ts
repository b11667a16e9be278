import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { drawTerminal } from "../../scripts/terminal-picture.ts";

const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const pictures = [...readme.matchAll(/!\[([^\]]*)\]\((docs\/images\/[\w-]+\.svg)\)/g)];

it("the README has three pictures of terminals, each with a text for those who do not see it", () => {
  expect(pictures).toHaveLength(3);
  for (const [, text = "", path = ""] of pictures) {
    expect(text.length).toBeGreaterThan(20);
    expect(readFileSync(join(root, path), "utf8")).toMatch(/<title>.+prefers-color-scheme: dark.+wcs /s);
  }
});

it("a picture shows the styles of the output, and escapes its text", () => {
  const picture = drawTerminal("\x1b[1m\x1b[31merror:\x1b[39m\x1b[22m <name> & more\n", "A picture", 40);
  expect(picture).toContain('class="bold red">error:</tspan>');
  expect(picture).toContain("> &lt;name&gt; &amp; more</tspan>");
});

it("a picture shows what a terminal shows: only the end of a progress line, and long lines in several", () => {
  const picture = drawTerminal("10 %\r20 %\rdone\r\nabcdefgh\r\n", "A picture", 5);
  expect([...picture.matchAll(/<tspan[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual(["done", "abcde", "fgh"]);
});
