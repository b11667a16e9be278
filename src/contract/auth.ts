import { z } from "zod";
import { email, line, newPassword, unixTime } from "./common-schemas.ts";
import { once } from "./once.ts";
import { operation, operationGroup } from "./operation.ts";
import { oneTimeCode, twoFactorOperations } from "./two-factor-operations.ts";

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
      "A token can be used once, within 30 minutes (7 days if it came in a welcome mail), and only until a newer one is requested.",
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
