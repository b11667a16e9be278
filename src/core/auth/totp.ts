import { Secret, TOTP } from "otpauth";

/** The parameters of RFC 6238 that every authenticator app supports. */
const parameters = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** Number of steps by which the clock of the app may be early or late. */
const drift = 1;
const secretBytes = 20;

export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** Returns the otpauth URI of a secret, for the QR code that apps read. */
export function totpUri(secret: string, issuer: string, account: string): string {
  return new TOTP({ ...parameters, issuer, label: account, secret }).toString();
}

/** Returns the number of the 30 seconds whose code this is; undefined for a wrong code. `now` is in Unix seconds. */
export function findTotpStep(secret: string, code: string, now: number): number | undefined {
  const timestamp = now * 1000;
  const key = Secret.fromBase32(secret);
  const delta = TOTP.validate({ ...parameters, token: code, secret: key, timestamp, window: drift });
  return delta === null ? undefined : TOTP.counter({ period: parameters.period, timestamp }) + delta;
}
