import { html } from "hono/html";

/** A part of a page, in which all values are escaped. */
export type Html = ReturnType<typeof html>;

interface HtmlPage {
  readonly language: string;
  readonly name: string;
  readonly title: string;
  /** Relative path from the page to the root of the service, so that links work below any base URL. */
  readonly root: string;
  readonly main: Html;
  /** The main part; a `div` when it brings a `main` of its own. Default: `main`. */
  readonly element?: "main" | "div";
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
}

export function renderPage(page: HtmlPage): string {
  const { language, name, title, root, main, element = "main", scripts = [], styles = [] } = page;
  const text = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${name}</title>
<link rel="icon" href="${root}assets/icon.svg" type="image/svg+xml">
${["page.css", ...styles].map((file) => html`<link rel="stylesheet" href="${root}assets/${file}">\n`)}
${scripts.map((file) => html`<script src="${root}assets/${file}" defer></script>\n`)}
</head>
<body>
<header>${element === "main" ? html`<p>${name}</p>` : html`<p>${name}</p><h1>${title}</h1>`}</header>
<${element} class="page">
${main}
</${element}>
</body>
</html>
`;
  return String(text);
}
