import { ServiceError } from "../../../contract/errors.ts";
import type { AnyOperation } from "../../../contract/operation.ts";
import type { Client } from "../../../http/client/client.ts";
import { createApp } from "../../../http/server/app.ts";
import { version } from "../../session/version.ts";

/** Returns a function that answers requests that are no operation as a server does, in this process. */
export function answerLocally(operations: readonly AnyOperation[]): Client["raw"] {
  const log = { info() {}, warn() {}, error() {} };
  const invoke = () => Promise.reject(new ServiceError("not_found", "This path does not exist."));
  const app = createApp({ operations, invoke, log, version });
  return async (method, path, { query, headers } = {}) => {
    const response = await app.request(`/api${path}${query ? `?${query}` : ""}`, { method, headers });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    };
  };
}
