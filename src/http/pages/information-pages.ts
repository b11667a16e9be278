import { html } from "hono/html";
import type { PageRequest } from "./page-context.ts";
import { renderPage } from "./page-layout.ts";
import { pageHeaders } from "./page-response.ts";

export async function showStart({ options, exchange, language, texts }: PageRequest): Promise<Response> {
  const [{ name }, url] = await Promise.all([options.instance(), options.baseUrl()]);
  // Not relative: without a slash at the end of the base URL, its last part would be missing.
  const root = `${URL.parse(url)?.pathname.replace(/\/$/, "") ?? ""}/`;
  const { intro, document, newPassword, server, database, command } = texts.start;
  const main = html`<h1>${name}</h1>
<p>${intro} <code>wcs</code> ${options.version}</p>
<ul>
<li><a href="${root}docs">${texts.reference.title}</a></li>
<li><a href="${root}openapi.json">${document}</a></li>
<li><a href="${root}password/forgot">${newPassword}</a></li>
<li><a href="${root}healthz">${server}</a></li>
<li><a href="${root}readyz">${database}</a></li>
</ul>
<p>${command}</p>
<pre><code>wcs auth login --url ${url}</code></pre>`;
  const page = renderPage({ language, name: "wcs", title: name, root, main });
  return exchange.respond(200, page, pageHeaders());
}

/** Shows the API reference, which is in English. The library sets styles in elements, and its icons are data URLs. */
export async function showDocs({ options, exchange, root, language, texts }: PageRequest): Promise<Response> {
  const { name } = await options.instance();
  const { title, needsScript } = texts.reference;
  const page = renderPage({
    language,
    name,
    title,
    root,
    element: "div",
    main: html`<noscript><p>${needsScript} <a href="openapi.json">openapi.json</a></p></noscript>
<div id="reference" lang="en" data-document="openapi.json"></div>`,
    styles: ["swagger-ui.css", "docs.css"],
    scripts: ["swagger-ui-bundle.js", "docs.js"],
  });
  const more = { "style-src": "'self' 'unsafe-inline'", "img-src": "'self' data:", "connect-src": "'self'" };
  return exchange.respond(200, page, pageHeaders(more));
}
