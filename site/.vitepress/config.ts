import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type MarkdownOptions } from "vitepress";

const project = join(import.meta.dirname, "../..");

/** Returns the pages of a folder as items of the sidebar. */
function pagesIn(folder: string) {
  const titleOf = (name: string) => /^# (.+)$/m.exec(readFileSync(join(project, folder, name), "utf8"))?.[1] ?? name;
  const names = readdirSync(join(project, folder)).filter((name) => name.endsWith(".md") && name !== "README.md");
  return names.map((name) => ({ text: titleOf(name), link: `/${folder}/${name}` }));
}

/** Files and folders that the site is built from, and those of them that it has as they are, too. */
const sources = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "examples", "LICENSE"];
const asTheyAre = ["examples", "LICENSE"];
/** Links to such files. */
const copied = /examples\/.+[^/]$|LICENSE$/;

// Pages can load Vue only from a folder below this one, so they are copied here.
const pages = join(import.meta.dirname, "../pages");
rmSync(pages, { recursive: true, force: true });
for (const name of sources) cpSync(join(project, name), join(pages, name), { recursive: true });

/**
 * Changes links for the site: a README is the index of its folder, and a folder or file that is copied leads to the copy
 * or to the page about it.
 */
const forSite: NonNullable<MarkdownOptions["config"]> = (md) => {
  md.core.ruler.push("site-links", ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const target = token.type === "link_open" ? token.attrGet("href") : null;
      if (target === null || /^[a-z]+:/.test(target)) continue;
      token.attrSet(
        "href",
        target
          .replace(/(^|\/)README\.md(?=#|$)/, "$1index.md")
          .replace(/(^|\/)examples\/\w+\/$/, "$1examples/index.md"),
      );
      // A copied file is no page.
      if (copied.test(target) && !target.endsWith(".md")) token.attrSet("target", "_self");
    }
  });
};

export default defineConfig({
  title: "wcs",
  description: "Workplace communication service and its administrator's command line",
  srcDir: "pages",
  outDir: "dist",
  rewrites: (path) => path.replace(/README\.md$/, "index.md"),
  markdown: { config: forSite },
  // VitePress takes a file without an extension for a page. scripts/check-site.ts checks these links, too.
  ignoreDeadLinks: [copied],
  buildEnd: ({ outDir }) => {
    for (const name of asTheyAre) cpSync(join(project, name), join(outDir, name), { recursive: true });
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Tutorial", link: "/docs/tutorial" },
      { text: "Guides", link: "/docs/guides/" },
      { text: "Reference", link: "/docs/reference/" },
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          { text: "Overview", link: "/" },
          { text: "Tutorial", link: "/docs/tutorial" },
          { text: "Everyday tasks", link: "/docs/guide" },
          { text: "Identity", link: "/docs/identity" },
          { text: "Security", link: "/docs/security" },
          { text: "Scaling", link: "/docs/scaling" },
        ],
      },
      { text: "Guides", items: pagesIn("docs/guides") },
      {
        text: "Reference",
        items: [
          { text: "Overview", link: "/docs/reference/" },
          { text: "HTTP conventions", link: "/docs/api" },
          ...pagesIn("docs/reference"),
        ],
      },
      { text: "Commands", collapsed: true, items: pagesIn("docs/reference/commands") },
      { text: "Operations", collapsed: true, items: pagesIn("docs/reference/operations") },
      {
        text: "Development",
        collapsed: true,
        items: [
          { text: "Architecture", link: "/docs/architecture" },
          { text: "Performance", link: "/docs/performance" },
          { text: "Decisions", link: "/docs/decisions/" },
          { text: "Contributing", link: "/CONTRIBUTING" },
          { text: "Changelog", link: "/CHANGELOG" },
        ],
      },
    ],
  },
});
