import { html } from "./html.ts";
import type { PageRequest } from "./page-context.ts";
import { renderPage } from "./page-layout.ts";
import { pageHeaders } from "./page-response.ts";

/** Says what this is. */
export async function showStart({ options, exchange }: PageRequest): Promise<Response> {
  const [{ name }, url] = await Promise.all([options.instance(), options.baseUrl()]);
  // Not relative: without a slash at the end of the base URL, its last part would be missing.
  const root = `${URL.parse(url)?.pathname.replace(/\/+$/, "") ?? ""}/`;
  const main = html`<h1>${name}</h1>
<p>This is a workplace communication service with an HTTP API, served by <code>wcs</code> ${options.version}.</p>
<ul>
<li><a href="${root}docs">API reference</a></li>
<li><a href="${root}openapi.json">OpenAPI document</a></li>
<li><a href="${root}password/forgot">Set a new password</a></li>
<li><a href="${root}healthz">Health of the server</a>, <a href="${root}readyz">of its database</a></li>
</ul>
<p>On the command line, sign in with:</p>
<pre><code>wcs auth login --url ${url}</code></pre>`;
  const page = renderPage({ language: "en", name: "wcs", title: name, root, main });
  return exchange.respond(200, page, pageHeaders());
}

/** Shows the API reference. The library sets styles in elements, and its icons are data URLs. */
export async function showDocs({ options, exchange, root }: PageRequest): Promise<Response> {
  const { name } = await options.instance();
  const page = renderPage({
    language: "en",
    name,
    title: "API reference",
    root,
    element: "div",
    main: html`<noscript><p>The reference needs JavaScript. <a href="openapi.json">openapi.json</a> has the same contents.</p></noscript>
<div id="reference" data-document="openapi.json"></div>`,
    styles: ["swagger-ui.css", "docs.css"],
    scripts: ["swagger-ui-bundle.js", "docs.js"],
  });
  const more = { "style-src": "'self' 'unsafe-inline'", "img-src": "'self' data:", "connect-src": "'self'" };
  return exchange.respond(200, page, pageHeaders(more));
}
