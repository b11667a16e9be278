import { ServiceError } from "../../contract/errors.ts";
import { notUtf8 } from "../file-io/value-sources.ts";
import type { Credentials } from "./request-token.ts";
import { baseUrl, isRemote, type Target } from "./target.ts";

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
  return !remote || !url || (isRemote(url) && URL.canParse(url) && hrefOf(url) === hrefOf(address));
}

const hrefOf = (url: string): string => new URL(baseUrl(url)).href;

/** Throws `unauthenticated` when the environment has half a login, or one that is not sent to the target. */
export function requireOwnLogin(env: NodeJS.ProcessEnv, target: Target): void {
  if (target.remote && env.WCS_USERNAME && !env.WCS_PASSWORD && !env.WCS_TOKEN)
    throw new ServiceError("unauthenticated", "WCS_USERNAME is set without WCS_PASSWORD.", {
      hint: "Set both to sign in for one command, or sign in with wcs auth login.",
    });
  const name = env.WCS_TOKEN ? "WCS_TOKEN" : env.WCS_USERNAME && env.WCS_PASSWORD ? "WCS_PASSWORD" : undefined;
  if (name === undefined || isForTarget(env, target)) return;
  throw new ServiceError("unauthenticated", `${name} belongs to the instance in WCS_URL and is not sent to another.`, {
    hint: `Set WCS_URL=${target.address} if it belongs there, or sign in with wcs auth login --url ${target.address}.`,
  });
}
