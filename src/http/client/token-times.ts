export interface TokenTimes {
  /** Unix seconds. */
  readonly issued: number;
  readonly expires: number;
}

/** Reads the issue and expiry times of a JWT without verifying it; undefined when it is not a JWT. */
export function tokenTimesOf(token: string): TokenTimes | undefined {
  try {
    const { iat, exp } = JSON.parse(atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
    return Number.isFinite(iat) && Number.isFinite(exp) ? { issued: iat, expires: exp } : undefined;
  } catch {
    // Not a JWT.
  }
  return undefined;
}

export function isAging({ issued, expires }: TokenTimes, now: number): boolean {
  return now > issued + (expires - issued) / 2;
}
