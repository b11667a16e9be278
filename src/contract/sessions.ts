import { id, wholeList } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";
import { session } from "./session-schemas.ts";

const atOnce = "Its tokens are refused from the next request on, and cannot be renewed.";

export const sessions = operationGroup("sessions", {
  list: operation("GET", "/sessions", "List your sessions", {
    description:
      "Each sign-in with a password is a session, which lasts while its token is renewed. A user has at most 100; a further sign-in ends the oldest one. API tokens have no session. A change of the password ends all sessions.",
    access: "signed_in",
    ...wholeList(session),
  }),
  end: operation("DELETE", "/sessions/{id}", "End one of your sessions", {
    description: `${atOnce} A session of another user does not exist for you.`,
    access: "signed_in",
    input: () => ({ id: id("sessions") }),
  }),
  endOthers: operation("DELETE", "/sessions", "End all of your sessions except the current one", {
    description: "With an API token, which has no session, all sessions of its owner end.",
    access: "signed_in",
  }),
  endCurrent: operation("DELETE", "/sessions/current", "Sign out: end the session of the token", {
    description: atOnce,
    access: "signed_in",
    signInOnly: true,
    withoutTwoFactor: true,
    errors: ["not_found"],
  }),
});
