import { ServiceError } from "../../contract/errors.ts";
import type { AnyOperation, ArgumentsOf, Caller, CallOptions, OutputOf } from "../../contract/operation.ts";
import { isReplayable } from "../../contract/secrets.ts";
import { encode } from "../codec.ts";
import { withInputNames } from "../field-names.ts";
import { baseOf } from "./base-url.ts";
import { bearer } from "./bearer-header.ts";
import { failUnsure } from "./connection-errors.ts";
import { answerShapeOf, readResponse, withoutRoute } from "./read-answer.ts";
import { repeatRequest } from "./repeat-request.ts";
import { createTransport, type HttpResponse, type Reply, readWhole } from "./transport.ts";

/** Reading `performance` would load modules of Node. */
const now = () => process.uptime() * 1000;

export interface ClientOptions {
  readonly url: string;
  readonly token?: string;
  readonly userAgent: string;
  /** Milliseconds for a call with all its retries; a large body extends it. Default: 30 s. */
  readonly timeout?: number;
  /** Trusted certificate authorities (PEM) instead of the system's. */
  readonly ca?: string;
  /** Environment with HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Default: the process's. */
  readonly env?: NodeJS.ProcessEnv;
}

interface RawOptions {
  /** Escaped, without the question mark. */
  readonly query?: string;
  /** Sent unchanged; JSON unless the headers say otherwise. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Client extends Caller {
  /** Sends one request below `/api`, without retries, and returns any response. Fails only without a response. */
  raw(method: string, path: string, options?: RawOptions): Promise<HttpResponse>;
}

// node:crypto is loaded on demand: loading it takes longer than most requests.
const newKey = () => process.getBuiltinModule("node:crypto").randomUUID();

/** Bytes per millisecond of an upload, by which a large body extends the timeout. */
const slowest = 50;

/** Creates a caller for a remote instance. Throws `unavailable` when it cannot be reached, and the reason of an abort. */
export function createClient(options: ClientOptions): Client {
  const base = baseOf(options.url);
  const transport = createTransport(base, options.env ?? process.env, options.ca);
  const { token, userAgent } = options;
  const common = { accept: "application/json", "user-agent": userAgent, ...(token !== undefined && bearer(token)) };
  const timeout = options.timeout ?? 30_000;
  let hasAnswered = false;
  return {
    async call<O extends AnyOperation>(op: O, input: ArgumentsOf<O>, given: CallOptions = {}): Promise<OutputOf<O>> {
      const { signal, onSent } = given;
      const { path, query, body } = encode(op, input);
      const dryRun = given.dryRun === true && op.method !== "GET";
      const replayable = isReplayable(op);
      const key = op.method === "POST" ? (given.idempotencyKey ?? (replayable ? newKey() : undefined)) : undefined;
      const headers = {
        ...common,
        ...(body && { "content-type": "application/json" }),
        ...(key && { "idempotency-key": key }),
        ...(dryRun && { "dry-run": "true" }),
      };
      const text = body && JSON.stringify(body);
      const target = `${base.prefix}/api${path}${query && `?${query}`}`;
      const allowed = timeout + (text?.length ?? 0) / slowest;
      const repeating = { method: op.method, replayable, timeout: allowed, hasAnswered, signal, now };
      if (op.bytes) {
        const { createDownload } = await import("./resumable-download.ts");
        const get = (more: Record<string, string>) =>
          repeatRequest(repeating, async (left) => {
            const options = { headers: { ...headers, accept: "*/*", ...more }, timeout: left, signal };
            return bytesOf(op, await transport.open(op.method, target, options), base.origin);
          });
        return createDownload(await get({}), get) as OutputOf<O>;
      }
      // A sign-in that is repeated does no harm.
      const isChange = !dryRun && (op.method === "POST" ? replayable : op.method !== "GET");
      const answer = repeatRequest(repeating, async (left) => {
        const sending = { headers, body: text, timeout: left, signal, onSent };
        const message = await transport.send(op.method, target, sending);
        try {
          const output = readResponse(message, base.origin, answerShapeOf(op), dryRun) as OutputOf<O>;
          hasAnswered = true;
          return output;
        } catch (error) {
          throw withInputNames(op, input, hasAnswered ? withoutRoute(error, message) : error);
        }
      });
      return isChange ? answer.catch((error) => failUnsure(error, given.idempotencyKey ? undefined : key)) : answer;
    },
    async raw(method, path, { query, body, headers, signal } = {}) {
      const type = body === undefined ? undefined : { "content-type": "application/json" };
      const target = `${base.prefix}/api${belowApi(path)}${query ? `?${query}` : ""}`;
      const all = { ...common, ...type, ...headers };
      const answer = transport.send(method.toUpperCase(), target, { headers: all, body, timeout, signal });
      const isChange = method.toUpperCase() !== "GET" && headers?.["dry-run"] === undefined;
      return isChange ? answer.catch((error) => failUnsure(error)) : answer;
    },
    async close() {
      transport.close();
    },
  };
}

/** Returns a reply with an ETag and a length; throws the error for any other. */
async function bytesOf(op: AnyOperation, reply: Reply, origin: string): Promise<Reply> {
  const { status, headers } = reply;
  if ((status === 200 || status === 206) && headers.etag && headers["content-length"]) return reply;
  throw readResponse(await readWhole(reply, origin), origin, answerShapeOf(op));
}

/** Normalizes a path given as `/users`, `users` or `/api/users`. */
function belowApi(path: string): string {
  if (path.includes("://")) throw new ServiceError("bad_request", "The path must be relative to /api, not a URL.");
  const rest = path.replace(/^\/*/, "/").replace(/^\/api(?=\/|$)/, "");
  return rest.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}
