import type { Hono } from "hono";
import type { ServerState } from "../server/exchange.ts";
import { readForm } from "../server/request-body.ts";
import { type AppEnv, queryOf, routeHandler } from "../server/routing.ts";
import { assetNames, respondWithAsset } from "./asset-files.ts";
import { showDocs, showStart } from "./information-pages.ts";
import type { PageOptions, PageRequest } from "./page-context.ts";
import { pageHeaders } from "./page-response.ts";
import { choosePageLanguage, pageTexts } from "./page-texts.ts";
import {
  errorPage,
  showDone,
  showForm,
  showRequest,
  showRequested,
  submitForm,
  submitRequest,
} from "./password-pages.ts";

const formLimit = 16_384;

interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly show: (request: PageRequest) => Promise<Response>;
}

/** Pages and forms. Their paths are not paths of operations, which may be served without /api, too. */
export const pageRoutes: readonly Route[] = [
  { method: "GET", path: "/", show: showStart },
  { method: "GET", path: "/docs", show: showDocs },
  { method: "GET", path: "/welcome", show: (request) => showForm(request, "welcome") },
  { method: "GET", path: "/password/reset", show: (request) => showForm(request, "reset") },
  { method: "POST", path: "/password/set", show: submitForm },
  { method: "GET", path: "/password/set", show: showRequest },
  { method: "GET", path: "/password/done", show: showDone },
  { method: "GET", path: "/password/forgot", show: showRequest },
  { method: "POST", path: "/password/forgot", show: submitRequest },
  { method: "GET", path: "/password/requested", show: showRequested },
];

export function addPages(app: Hono<AppEnv>, state: ServerState, options: PageOptions): void {
  for (const { method, path, show } of pageRoutes) {
    const handler = routeHandler(state, path, async (exchange, c) => {
      const isForm = method === "POST";
      const fields = isForm ? await readForm(exchange, formLimit) : new URLSearchParams(queryOf(c.env));
      const language = choosePageLanguage(fields.get("lang"), exchange.header("accept-language"));
      const root = "../".repeat(path.split("/").length - 2);
      const request = { options, exchange, fields, language, texts: pageTexts[language], root };
      try {
        return await show(request);
      } catch (error) {
        const { status, headers } = exchange.fail(error, pageHeaders());
        return new Response(await errorPage(request, error), { status, headers });
      }
    });
    app.on(method, path, handler);
  }
  for (const name of assetNames) {
    const path = `/assets/${name}`;
    app.get(
      path,
      routeHandler(state, path, (exchange) => respondWithAsset(exchange, name)),
    );
  }
}
