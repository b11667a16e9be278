import https from "node:https";

export const httpsRequest = https.request;

/** Creates an agent for https that keeps connections and honours the proxies of `env`. */
export function createAgent(env: NodeJS.ProcessEnv, ca: string | undefined): https.Agent {
  return new https.Agent({ keepAlive: true, proxyEnv: env, ca });
}
