import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "../../src");

/** Returns the comments of a file as single lines of text. Consecutive `//` lines are one comment. */
function commentsIn(code: string): string[] {
  const blocks = code.matchAll(/^[ \t]*\/\*\*?([\s\S]*?)\*\//gm);
  const lines = code.matchAll(/^[ \t]*\/\/(.*(?:\n[ \t]*\/\/.*)*)|[;,{([] \/\/ (.*)$/gm);
  return [...blocks, ...lines].map(([, own = "", trailing = ""]) =>
    (own + trailing).replace(/\n[ \t]*(\*|\/\/)?/g, " ").trim(),
  );
}

const forbiddenOpening = /^(What|Whether|Of|Whom|Whoever)\b/;
const forbiddenWord = /\b(whoever|anew|he|his|him)\b/i;

it("comments are recognized, and forbidden ones too", () => {
  const code = [
    "/** What it is. */",
    "/**",
    " * Made",
    " * anew.",
    " */",
    "const a = 1; // Of old",
    "  // Kept for",
    "  // whoever reads.",
    'const accept = "*/*"; // the type',
    'const url = "https://he.example";',
  ];
  const comments = commentsIn(code.join("\n"));
  expect(comments).toEqual(["What it is.", "Made  anew.", "Of old", "Kept for  whoever reads.", "the type"]);
  expect(comments.map((comment) => forbiddenOpening.test(comment) || forbiddenWord.test(comment))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});

it("no comment of the source begins or speaks in a way that the style forbids", () => {
  const issues: string[] = [];
  for (const name of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    for (const comment of commentsIn(readFileSync(join(source, name), "utf8"))) {
      if (forbiddenOpening.test(comment) || forbiddenWord.test(comment)) issues.push(`${name}: ${comment}`);
    }
  }
  expect(issues).toEqual([]);
});
