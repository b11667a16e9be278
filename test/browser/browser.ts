import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromium as executablePath } from "./find-chromium.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const args = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts the browser with a new profile, which it removes when it is closed. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath, headless: true, chromiumSandbox: false, args });

export interface Visit {
  readonly page: Page;
  /** The requested URLs that are not of the service. */
  readonly foreign: string[];
  /** Errors and violations of the content security policy that the console shows. */
  readonly complaints: string[];
}

/** Opens a page in a context of its own. */
export async function visit(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 720, height: 720 }, locale: "en-GB", ...options });
  const page = await context.newPage();
  const foreign: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== "data:") foreign.push(url.href);
  });
  page.on("console", (message) => {
    // The browser reports the status of a page, too.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { page, foreign, complaints };
}

interface Finding {
  readonly html: string;
  readonly failureSummary?: string;
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly Finding[] }[];
}

/** Returns the violations that axe-core finds on a page. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run()")) as AxeResult;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`),
  );
}
