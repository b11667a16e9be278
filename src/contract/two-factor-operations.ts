import { z } from "zod";
import { component, unixTime } from "./common-schemas.ts";
import { operation } from "./operation.ts";

/** A code of an authenticator app or a recovery code. Spaces, hyphens and case do not matter. */
export const oneTimeCode = () =>
  z.string().min(1).max(100).meta({ secret: true, description: "Code of your authenticator app, or a recovery code" });

const currentPassword = () =>
  z.string().min(1).max(1000).meta({ secret: true, description: "Password of your account" });

const recoveryCodes = component("RecoveryCodes", () => ({
  recovery_codes: z
    .array(z.string())
    .meta({ secret: true, description: "Ten codes, each good once; shown only in this response" }),
}));

const proof = () => ({ password: currentPassword().optional(), otp: oneTimeCode().optional() });
const proofRule =
  "Needs your password or a code; after 10 wrong attempts in 15 minutes, further ones are refused (429).";

/** Common to the operations that change the second factor. They check a password or a code outside a transaction. */
const change = {
  access: "signed_in",
  signInOnly: true,
  transaction: "own",
  errors: ["conflict", "too_many_requests"],
} as const;

export const twoFactorOperations = {
  twoFactorStatus: operation("GET", "/two-factor", "Show whether you sign in with two factors", {
    access: "signed_in",
    signInOnly: true,
    withoutTwoFactor: true,
    output: component("TwoFactor", () => ({
      enabled: z.boolean(),
      enabled_at: unixTime().nullable(),
      recovery_codes_left: z.int().describe("Number of unused recovery codes"),
      required: z.boolean().describe("True when you can do nothing else until you set up two factors"),
    })),
    knownBy: "enabled",
  }),
  twoFactorBegin: operation("POST", "/two-factor", "Begin to set up two factors", {
    description:
      "The response contains the secret for an authenticator app (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds), which cannot be shown again. Signing in stays as it is until a code is confirmed, within 30 minutes. After 10 wrong passwords in 15 minutes the response is 429. Not possible for users without a password.",
    ...change,
    withoutTwoFactor: true,
    input: () => ({ password: currentPassword() }),
    output: component("TwoFactorSecret", () => ({
      secret: z.string().meta({ secret: true, description: "Secret of the authenticator app in base32" }),
      uri: z.string().meta({ secret: true, description: "The same as an otpauth URI, for a QR code" }),
    })),
    knownBy: "secret",
  }),
  twoFactorConfirm: operation(
    "POST",
    "/two-factor/confirm",
    "Confirm a code, and sign in with two factors from now on",
    {
      description:
        "The response contains ten recovery codes, which cannot be shown again. After 10 wrong codes in 15 minutes the response is 429.",
      ...change,
      withoutTwoFactor: true,
      input: () => ({
        code: z.string().min(1).max(100).meta({ secret: true, description: "Code that the authenticator app shows" }),
      }),
      output: recoveryCodes,
      knownBy: "recovery_codes",
    },
  ),
  twoFactorRecoveryCodes: operation("POST", "/two-factor/recovery-codes", "Replace your recovery codes", {
    description: `Makes ten new codes, which cannot be shown again; the old ones stop working. ${proofRule}`,
    ...change,
    input: proof,
    output: recoveryCodes,
    knownBy: "recovery_codes",
  }),
  twoFactorDisable: operation("POST", "/two-factor/disable", "Sign in without a second factor again", {
    description: proofRule,
    ...change,
    input: proof,
  }),
};
