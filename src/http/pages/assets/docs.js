// Shows the API reference.
const element = document.getElementById("reference");
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

/** Completes what the library renders for screen readers and keyboards; also what it renders later. */
function complete() {
  const set = (selector, attributes) => {
    for (const found of element.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes))
        if (found.getAttribute(name) !== value) found.setAttribute(name, value);
  };
  set(".information-container", { role: "region", "aria-label": "About" });
  set(".scheme-container", { role: "region", "aria-label": "Server and token" });
  set("#servers", { "aria-label": "Server" });
  set("h3.opblock-tag", { "aria-level": "2" });
  set("h4.opblock-title", { "aria-level": "3" });
  set("pre, .opblock table", { tabindex: "0" });
  for (const row of element.querySelectorAll("tr[data-param-name]"))
    for (const field of row.querySelectorAll("select, input, textarea"))
      field.setAttribute("aria-label", row.dataset.paramName);
  // A link inside a button cannot be reached by a screen reader; the button opens the same operation.
  for (const link of element.querySelectorAll("button a[href]")) link.removeAttribute("href");
}
new MutationObserver(complete).observe(element, { childList: true, subtree: true });

SwaggerUIBundle({
  domNode: element,
  url: element.dataset.document,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  // Its colours are hard to read, and it takes long for large examples.
  syntaxHighlight: false,
});
