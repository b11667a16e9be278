import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

// Exits with 1 when a link of the built site leads to no file or to no anchor.
const folder = join(import.meta.dirname, "../site/dist");
const pages = new Map(
  globSync("**/*.html", { cwd: folder }).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
);
const anchors = new Map(
  [...pages].map(([name, html]) => [name, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
);

/** Returns the path of the file that a link of a page leads to; undefined when there is none. */
function fileOf(page: string, path: string): string | undefined {
  const name = path === "" ? page : path.startsWith("/") ? path.slice(1) : join(dirname(page), path);
  const candidates =
    name === "" || name.endsWith("/") ? [`${name}index.html`] : [name, `${name}.html`, `${name}/index.html`];
  return candidates.find(
    (each) => pages.has(each) || statSync(join(folder, each), { throwIfNoEntry: false })?.isFile(),
  );
}

let dead = 0;
for (const [page, html] of pages) {
  for (const [, link = ""] of html.matchAll(/<a\s[^>]*?href="([^"]*)"/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [path = "", anchor] = decodeURIComponent(link.replaceAll("&amp;", "&")).split("#");
    const file = fileOf(page, path);
    if (file !== undefined && (!anchor || !anchors.has(file) || anchors.get(file)?.has(anchor))) continue;
    dead += 1;
    process.stderr.write(`${page}: ${link} leads nowhere.\n`);
  }
}
process.stderr.write(`${pages.size} pages, ${dead} dead links.\n`);
process.exitCode = dead > 0 || pages.size === 0 ? 1 : 0;
