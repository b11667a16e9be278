import { type Context, Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { ServiceError } from "../../contract/errors.ts";
import { Exchange, type ServerState, type SocketEnv } from "./exchange.ts";

export type AppEnv = { Bindings: SocketEnv };
export type AppContext = Context<AppEnv>;

/** The service as a function from request to response, for `listen`. */
export interface App {
  readonly fetch: Hono<AppEnv>["fetch"];
  readonly state: ServerState;
}

/** Creates a Hono app without routes whose errors have the format of the API. */
export function newHono(state: ServerState): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ router: new TrieRouter(), getPath: (_, given) => pathOf(given?.env) });
  app.onError((error, c) => new Exchange(state, "unmatched", c.req.raw, c.env).fail(error));
  app.notFound((c) => {
    const exchange = new Exchange(state, "unmatched", c.req.raw, c.env);
    const found = methods.filter((method) => app.router.match(method, c.req.path)[0].length > 0);
    if (found.length === 0) return exchange.fail(new ServiceError("not_found", "This path does not exist."));
    return refuseMethod(exchange, found);
  });
  return app;
}

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Responds that a path supports only these of the `methods`. */
export function refuseMethod(exchange: Exchange, supported: readonly string[]): Response {
  const allow = supported.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return exchange.fail(new ServiceError("method_not_allowed", `This path supports ${allow}.`), { allow });
}

/** Returns a handler for Hono that calls `work` with an exchange, and responds with the errors that it throws. */
export function routeHandler(
  state: ServerState,
  path: string,
  work: (exchange: Exchange, c: AppContext) => Promise<Response>,
) {
  // The log and the metrics name parameters as the API does: `{userType}`, not `{userType=id}`.
  const route = path.replace(/=\w+\}/g, "}");
  return async (c: AppContext): Promise<Response> => {
    const exchange = new Exchange(state, route, c.req.raw, c.env);
    try {
      return await work(exchange, c);
    } catch (error) {
      return exchange.fail(error);
    }
  };
}

const urlOf = (env: SocketEnv | undefined) => env?.incoming.url ?? "/";

/** Returns the path as sent, still escaped, because a URL object would resolve %2E%2E. */
function pathOf(env: SocketEnv | undefined): string {
  const url = urlOf(env);
  const from = url.charCodeAt(0) === 47 ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  if (from < 0) return "/";
  const length = url.slice(from).search(/[?#]/);
  return url.slice(from, length < 0 ? undefined : from + length);
}

/** Returns the query as sent, without the question mark. */
export function queryOf(env: SocketEnv): string {
  const url = urlOf(env);
  const mark = url.indexOf("?");
  if (mark < 0) return "";
  const end = url.indexOf("#", mark);
  return url.slice(mark + 1, end < 0 ? url.length : end);
}
