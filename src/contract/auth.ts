import { z } from "zod";
import { component, email, line, newPassword, unixTime } from "./common-schemas.ts";
import { once } from "./once.ts";
import { operation, operationGroup } from "./operation.ts";

/** A code of an authenticator app or a recovery code. Spaces, hyphens and case do not matter. */
const oneTimeCode = () =>
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

const twoFactorOperations = {
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

const tokenResponse = once(() =>
  z.tuple([z.object({ jwt: z.string().meta({ secret: true }), expires: unixTime() })]).meta({ id: "AccessToken" }),
);

export const auth = operationGroup("auth", {
  authenticate: operation("POST", "/authenticate", "Sign in with e-mail address and password", {
    description:
      "Starts a session. The response is an array of one token. Users with two factors give a code, too: a missing, wrong or used one is answered by 401 with the code otp_required, once the password is right, and counts as a failure. The response is 429 after 10 failures for one account from one address, 100 for one account, or 30 from one address (for IPv6, one /64) within 15 minutes.",
    access: "public",
    input: () => ({
      username: line(254, 1).describe("E-mail address of the user"),
      password: z.string().min(1).max(1000).meta({ secret: true, description: "Password of the user" }),
      otp: oneTimeCode().optional(),
    }),
    output: tokenResponse,
    knownBy: "0",
    transaction: "own",
    private: true,
    errors: ["unauthenticated", "too_many_requests"],
  }),
  renew: operation("POST", "/renew", "Exchange a valid token for a newer one", {
    description:
      "The token belongs to the same session. A login can be renewed for 30 days. The old token stays valid until it expires. API tokens are not renewed.",
    access: "signed_in",
    signInOnly: true,
    withoutTwoFactor: true,
    output: tokenResponse,
    knownBy: "0",
    transaction: "own",
    private: true,
  }),
  ...twoFactorOperations,
  passwordRequest: operation("POST", "/password/request", "Request a mail to set a new password", {
    description:
      "The response is the same whether or not the address is known and a mail is sent. At most 5 mails per account and e-mail address, and 30 requests per client address, are processed in an hour.",
    access: "public",
    input: () => ({ email: email() }),
    transaction: "locking",
    private: true,
  }),
  passwordReset: operation("POST", "/password/reset", "Set a new password with the token from the mail", {
    description:
      "A token can be used once, within 30 minutes (7 days if it came in a welcome mail), and only until a newer one of its kind is sent, or the password changes.",
    access: "public",
    input: () => ({
      token: line(200, 1).meta({ secret: true, description: "Password reset token" }),
      email: email(),
      password: newPassword(),
      password_confirm: z.string().max(1000).meta({ secret: true, description: "New password again" }),
    }),
    transaction: "own",
    private: true,
  }),
});
