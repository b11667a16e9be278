import { ServiceError } from "../../contract/errors.ts";

/** Returns the header with the token. Throws `unauthenticated` for a token that no header can hold. */
export function bearer(token: string): { authorization: string } {
  if (/^[\x21-\x7e]+$/.test(token)) return { authorization: `Bearer ${token}` };
  const found = /\s/.test(token) ? "a space or line break" : "an invalid character";
  throw new ServiceError("unauthenticated", `The token has ${found} in it.`);
}
