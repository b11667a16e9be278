// Shows the API reference.
const element = document.getElementById("reference");
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

/** Completes the outline of the library for screen readers. */
function describe() {
  const labels = { ".information-container": "About", ".scheme-container": "Server and token" };
  for (const [selector, label] of Object.entries(labels)) {
    const region = document.querySelector(selector);
    region?.setAttribute("role", "region");
    region?.setAttribute("aria-label", label);
  }
  document.getElementById("servers")?.setAttribute("aria-label", "Server");
  for (const heading of document.querySelectorAll("h3.opblock-tag")) heading.setAttribute("aria-level", "2");
}

SwaggerUIBundle({
  domNode: element,
  url: element.dataset.document,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  onComplete: describe,
});
