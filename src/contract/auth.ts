import { z } from "zod";
import { email, line, noContent, nothing, unixTime } from "./common-schemas.ts";
import { once, operation, operationGroup } from "./operation.ts";

const tokenResponse = once(() =>
  z
    .tuple([
      z.object({
        jwt: z.string().meta({ secret: true }),
        expires: unixTime(),
      }),
    ])
    .meta({ id: "AccessToken" }),
);
const newPassword = () =>
  z.string().min(1).max(128, "must have at most 128 characters").meta({ secret: true, minLength: 8 });

export const auth = operationGroup("auth", {
  authenticate: operation({
    method: "POST",
    path: "/authenticate",
    summary: "Sign in with e-mail and password",
    description:
      "The answer is an array of one token. After 10 failures for one account from one address, 100 for one account, or 30 from one address (of IPv6, one /64) in 15 minutes: 429.",
    access: "public",
    input: () =>
      z.strictObject({
        username: line(254, 1).meta({ description: "The user's e-mail address" }),
        password: z.string().min(1).max(1000).meta({ secret: true }),
      }),
    output: tokenResponse,
    status: 200,
    transaction: "own",
    private: true,
    errors: ["unauthenticated", "too_many_requests"],
  }),
  renew: operation({
    method: "POST",
    path: "/renew",
    summary: "Exchange a valid token for a newer one",
    description: "Possible until 30 days after signing in; the old token stays valid until its own end.",
    access: "signed_in",
    input: nothing,
    output: tokenResponse,
    status: 200,
    transaction: "own",
    private: true,
  }),
  passwordRequest: operation({
    method: "POST",
    path: "/password/request",
    summary: "Ask for a mail that lets a user set a new password",
    description:
      "The answer is the same whether or not the address is known, and whether or not a mail goes out: at most 5 for one account, and 30 that were asked for from one address, in an hour.",
    access: "public",
    input: () => z.strictObject({ email: email() }),
    output: noContent,
    status: 204,
    transaction: "locking",
    private: true,
  }),
  passwordReset: operation({
    method: "POST",
    path: "/password/reset",
    summary: "Set a new password with the token from the mail",
    description: "A token works once, for 30 minutes, and only until a newer one is asked for.",
    access: "public",
    input: () =>
      z.strictObject({
        token: line(200, 1).meta({ secret: true }),
        email: email(),
        password: newPassword(),
        password_confirm: z.string().max(1000).meta({ secret: true, description: "The same password again" }),
      }),
    output: noContent,
    status: 204,
    transaction: "own",
    private: true,
  }),
});
