import { ServiceError } from "../../contract/errors.ts";
import type { Route } from "./open-caller.ts";

/** Adds the next step for the target to the error of a caller who is not signed in. Returns other errors unchanged. */
export function nameSignIn(error: unknown, { target: { address, remote, profile }, globals, terminal }: Route) {
  if (!(error instanceof ServiceError) || error.code !== "unauthenticated" || error.hint !== undefined) return error;
  const where = globals.url === undefined && profile ? ` --profile ${profile.name}` : ` --url ${address}`;
  const hint = terminal.env.WCS_TOKEN
    ? "Check the token in WCS_TOKEN, or create another one with wcs tokens create."
    : `Sign in with wcs auth login${remote ? where : ""}`;
  return new ServiceError(error.code, error.message, { hint, cause: error });
}
