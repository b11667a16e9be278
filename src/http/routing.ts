import { type Context, Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { ServiceError } from "../contract/errors.ts";
import { Exchange, type ServerState, type SocketEnv } from "./exchange.ts";

export type AppEnv = { Bindings: SocketEnv };
export type AppContext = Context<AppEnv>;

/** The service as a function from request to answer, for a socket and for use in the process. */
export interface App {
  readonly fetch: Hono<AppEnv>["fetch"];
  readonly request: Hono<AppEnv>["request"];
  readonly state: ServerState;
}

/** A Hono without routes, whose every answer has the shape of ours. */
export function newHono(state: ServerState): Hono<AppEnv> {
  const app = new Hono<AppEnv>({
    router: new TrieRouter(),
    getPath: (request, given) => pathOf(request, given?.env),
  });
  app.onError((error, c) => new Exchange(state, "unmatched", c.req.raw, c.env).fail(error));
  app.notFound((c) => {
    const exchange = new Exchange(state, "unmatched", c.req.raw, c.env);
    const allow = ["GET", "POST", "PATCH", "DELETE"].filter(
      (method) => app.router.match(method, c.req.path)[0].length > 0,
    );
    if (allow.length === 0) return exchange.fail(new ServiceError("not_found", "There is nothing at this path."));
    if (allow[0] === "GET") allow.splice(1, 0, "HEAD");
    const error = new ServiceError("method_not_allowed", `This path takes ${allow.join(", ")}.`);
    return exchange.fail(error, { allow: allow.join(", ") });
  });
  return app;
}

/** A handler that answers with what `work` answers, or with the error that it throws. */
export function answering(
  state: ServerState,
  route: string,
  work: (exchange: Exchange, c: AppContext) => Promise<Response>,
) {
  return async (c: AppContext): Promise<Response> => {
    const exchange = new Exchange(state, route, c.req.raw, c.env);
    try {
      return await work(exchange, c);
    } catch (error) {
      return exchange.fail(error);
    }
  };
}

const urlOf = (request: Request, env: SocketEnv | undefined) => env?.incoming?.url ?? request.url;

/** The path as it was sent, still escaped: a URL object would resolve %2E%2E. */
function pathOf(request: Request, env: SocketEnv | undefined): string {
  const url = urlOf(request, env);
  const from = url.charCodeAt(0) === 47 ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  if (from < 0) return "/";
  let to = from;
  for (; to < url.length; to++) {
    const char = url.charCodeAt(to);
    if (char === 63 || char === 35) break;
  }
  return url.slice(from, to);
}

/** The query as it was sent, without its question mark. */
export function queryOf(request: Request, env: SocketEnv | undefined): string {
  const url = urlOf(request, env);
  const mark = url.indexOf("?");
  if (mark < 0) return "";
  const end = url.indexOf("#", mark);
  return url.slice(mark + 1, end < 0 ? url.length : end);
}
