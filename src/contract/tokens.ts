import { z } from "zod";
import { component, created, cursorInput, cursorList, id, idOf, name, time, unixTime } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

const apiToken = component("ApiToken", () => ({
  content_type: z.literal("token"),
  id: z.int(),
  name: z.string(),
  owner: z.object({ id: idOf("users"), name: z.string(), url: z.string() }),
  scopes: z.array(z.string()),
  current: z.boolean().describe("True for the token that sent this request"),
  created_at: unixTime(),
  expires_at: unixTime().nullable(),
  last_used_at: unixTime().nullable().describe("Accurate to a minute"),
  url: z.string(),
}));

const newApiToken = component("NewApiToken", () => ({
  ...apiToken().shape,
  token: z.string().optional().meta({ secret: true, description: "The token itself, shown only once" }),
}));

const scope = () =>
  z
    .string()
    .max(100, { abort: true })
    .regex(/^(read|write|[a-z]+\.(\*|[a-zA-Z]+))$/, {
      error: ({ input }) => `must be read, write, or operations like users.get or webhooks.*, not '${input}'`,
    })
    .meta({ placeholder: "scope" });

const one = () => ({ id: id("tokens") });
const whose = "your own, or those of a user whose password you may set";

export const tokens = operationGroup("tokens", {
  list: operation("GET", "/tokens", "List API tokens", {
    description:
      "Without an owner: your own tokens, or all tokens for administrators. Tokens of other users need the right to set their passwords. Expired tokens are listed for tokens.expired_days (default 30) more.",
    access: "signed_in",
    input: () => ({
      owner: id("users").optional().describe("Only tokens of this user"),
      expires_before: time().optional().describe("Only tokens that expire before this time"),
      ...cursorInput(),
    }),
    ...cursorList(apiToken),
    errors: ["gone"],
  }),
  create: operation("POST", "/tokens", "Create an API token", {
    description:
      "The response contains the token, which cannot be shown again; repeats with the same Idempotency-Key get a response without it. A token acts as its owner, within its scopes; operations of administrators, such as those of webhooks, need an owner who is one. read covers all GET operations, write covers all operations, and users.get or webhooks.* cover operations by name. It is never renewed, and cannot sign in, set passwords, make administrators, or change the e-mail address of its owner. It cannot change the rights, the e-mail address or the provider of administrators, nor deactivate, reactivate or delete them. Settings that protect sign-ins, the network and the audit log of the service (base_url, mail.smtp_url, mail.allow_plain, two_factor.required_for_administrators, webhooks.allow_private, audit.days) cannot be changed with a token. A token can create tokens only within its own scopes and lifetime. A user has at most 100 tokens that have not expired.",
    access: "signed_in",
    input: () => ({
      name: name().describe("Name of the token, unique for its owner"),
      scopes: z
        .array(scope())
        .min(1)
        .max(100)
        .describe("Operations that the token covers: read, write, or names like users.get and webhooks.*"),
      owner: id("users").optional().describe("Service account that owns the token (default you)"),
      expires_at: time().optional().describe("Time at which the token expires (default never)"),
    }),
    ...created(newApiToken, "/tokens/{id}"),
  }),
  get: operation("GET", "/tokens/{id}", "Get an API token", {
    description: `Tokens that you have access to: ${whose}.`,
    access: "signed_in",
    input: one,
    output: apiToken,
  }),
  current: operation("GET", "/tokens/current", "Get the API token that sends the request", {
    description: "Every API token can call this, whatever its scopes. With the token of a sign-in the response is 404.",
    access: "signed_in",
    limitsTokens: true,
    output: apiToken,
    errors: ["not_found"],
  }),
  revoke: operation("DELETE", "/tokens/{id}", "Revoke an API token", {
    description: `Takes effect at the next request. Tokens that you have access to: ${whose}.`,
    access: "signed_in",
    input: one,
  }),
});
