import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const inDocs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => join("docs", name));
const documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "examples/README.md", ...inDocs];

/** Paths of the repository. A placeholder like `<name>` ends a path, so only the folder before it is checked. */
const repositoryPath = /(?<![\w./-])(?:src|test|docs|scripts|bin|completions|\.ci)\/(?:[\w.*-]+(?:\/|\b))*/g;

/** A file and the names that are in it, as in `src/cli/main.ts` (`main`, `execute`). */
const namesInFile = /`([\w./-]+\.[jt]s)` \(((?:`\w+`(?:, )?)+)\)/g;

const linkTarget = /\]\(([^)\s]+)\)/g;

function pathsIn(text: string): string[] {
  return [...text.matchAll(repositoryPath)].map(([path]) => path);
}

/** Returns the anchors that headings of a Markdown text get. */
function anchorsIn(text: string): string[] {
  const headings = text.matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/\s/g, "-"),
  );
}

function isLinkBroken(document: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return false;
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? join(root, document) : join(root, dirname(document), path);
  if (!existsSync(file)) return true;
  return anchor !== undefined && !anchorsIn(readFileSync(file, "utf8")).includes(anchor);
}

it("the paths of a text are found, up to the first placeholder", () => {
  const text = "See `src/cli/main.ts`, src/core/<group>/, https://example.com/src/x and test/docs.";
  expect(pathsIn(text)).toEqual(["src/cli/main.ts", "src/core/", "test/docs"]);
});

describe.each(documents)("%s", (document) => {
  const text = readFileSync(join(root, document), "utf8");

  it("names only paths that exist", () => {
    expect(pathsIn(text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("has links that lead to files and headings", () => {
    const targets = [...text.matchAll(linkTarget)].map(([, target = ""]) => target);
    expect(targets.filter((target) => isLinkBroken(document, target))).toEqual([]);
  });

  it("names only functions and types that their files contain", () => {
    const missing = [...text.matchAll(namesInFile)].flatMap(([, path = "", names = ""]) => {
      const file = join(root, path);
      const source = existsSync(file) && statSync(file).isFile() ? readFileSync(file, "utf8") : "";
      const wanted = [...names.matchAll(/\w+/g)].map(([name]) => name);
      return wanted.filter((name) => !new RegExp(`\\b${name}\\b`).test(source)).map((name) => `${path}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});
