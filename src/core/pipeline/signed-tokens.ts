import { randomUUID } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import { ServiceError } from "../../contract/errors.ts";
import type { Settings } from "../../contract/settings.ts";
import type { Instance } from "./context.ts";

export interface Claims {
  readonly userId: number;
  /** Unix seconds of the sign-in that the token goes back to. */
  readonly authTime: number;
  readonly expires: number;
  readonly version: number;
  readonly session: string;
}

/** Issues a token (JWT, HS256, RFC 7519), which expires within the absolute lifetime since the sign-in. */
export async function issueToken(
  { issuer, tokenKey }: Instance,
  settings: Settings,
  now: number,
  { userId, authTime, version, session }: Omit<Claims, "expires">,
): Promise<{ jwt: string; expires: number }> {
  const expires = Math.min(now + settings["tokens.lifetime"], authTime + settings["tokens.absolute_lifetime"]);
  if (expires <= now) throw new ServiceError("unauthenticated", "The sign-in is too old to be renewed; sign in again.");
  const jwt = await new SignJWT({ auth_time: authTime, ver: version, sid: session })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(issuer)
    .setAudience(issuer)
    .setSubject(String(userId))
    .setIssuedAt(now)
    .setExpirationTime(expires)
    .setJti(randomUUID())
    .sign(tokenKey);
  return { jwt, expires };
}

/** Seconds that the clock of another server may be ahead. */
const clockTolerance = 60;

/** Throws `unauthenticated` unless format, signature, issuer, audience and times are valid for this instance. */
export async function verifyToken({ issuer, tokenKey }: Instance, token: string, now: number): Promise<Claims> {
  try {
    if (!isCompact(token)) throw new Error("not a compact JWT");
    const { payload } = await jwtVerify(token, tokenKey, {
      algorithms: ["HS256"],
      issuer,
      currentDate: new Date(now * 1000),
      requiredClaims: ["sub", "aud", "iat", "exp", "jti", "auth_time", "ver", "sid"],
    });
    const { sub, sid: session, auth_time: authTime, exp: expires, ver: version } = payload;
    const userId = Number(sub);
    // A token with several audiences would be valid elsewhere, too.
    const isForUs = payload.aud === issuer && Number(payload.iat) <= now + clockTolerance;
    const isIntact = isWhole(userId) && String(userId) === sub && isWhole(authTime) && isWhole(version);
    if (isForUs && isIntact && isWhole(expires) && typeof session === "string" && session !== "")
      return { userId, authTime, expires, version, session };
  } catch {
    // The client does not learn which check failed.
  }
  throw new ServiceError("unauthenticated", "The token is invalid or has expired; sign in again.");
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/** Returns true for three parts in canonical base64url (RFC 7515): each token has exactly one spelling. */
function isCompact(token: string): boolean {
  const parts = token.split(".");
  return parts.length === 3 && parts.every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}
