/** Lets secret scanners find API tokens. */
export const apiTokenPrefix = "wcs_";

/** Returns true for a text that can only be an API token. Other tokens are JWTs. */
export const isApiToken = (token: string): boolean => token.startsWith(apiTokenPrefix);
