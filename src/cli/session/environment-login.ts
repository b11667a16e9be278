import { isHttpUrl, withoutApi } from "../../contract/http-url.ts";
import { notUtf8 } from "../file-io/value-sources.ts";
import type { Credentials } from "./request-token.ts";
import type { Target } from "./target.ts";

/** Returns the token of the environment, unless it belongs to another instance than the target. */
export const environmentToken = (env: NodeJS.ProcessEnv, target: Target): string | undefined =>
  isForTarget(env, target) ? env.WCS_TOKEN || undefined : undefined;

/** Returns the password of the environment. Throws a `UsageError` when Node replaced bytes of it that were not UTF-8. */
export function environmentPassword({ WCS_PASSWORD: password }: NodeJS.ProcessEnv): string | undefined {
  if (password?.includes("\ufffd")) throw notUtf8("WCS_PASSWORD");
  return password || undefined;
}

/** Returns the login of the environment, for one command. A token there takes precedence. */
export function environmentLogin(env: NodeJS.ProcessEnv, target: Target): Credentials | undefined {
  const { WCS_USERNAME: username, WCS_TOKEN: token } = env;
  if (!username || token || !isForTarget(env, target)) return undefined;
  const password = environmentPassword(env);
  return password === undefined ? undefined : { username, password };
}

/** With WCS_URL, the secrets belong to that instance: somebody else may have written the line that names another one. */
export function isForTarget({ WCS_URL: url }: NodeJS.ProcessEnv, { address, remote }: Target): boolean {
  return !remote || !url || (isHttpUrl(url) && URL.canParse(url) && hrefOf(url) === hrefOf(address));
}

const hrefOf = (url: string): string => new URL(withoutApi(url)).href;
