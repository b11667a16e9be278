import { ServiceError } from "../../contract/errors.ts";
import { isForTarget } from "./environment-login.ts";
import type { Target } from "./target.ts";

/** Throws `unauthenticated` when WCS_TOKEN is empty, as with a secret that a CI system does not have. */
export function refuseEmptyToken(env: NodeJS.ProcessEnv, target: Target): void {
  const isEmpty = env.WCS_TOKEN?.trim() === "" && !env.WCS_USERNAME;
  if (!isEmpty || !target.remote || !isForTarget(env, target)) return;
  throw new ServiceError("unauthenticated", "WCS_TOKEN is empty.", {
    hint: "Set it to an API token, or unset it to use the login of a profile.",
  });
}

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
