import { expect, it } from "vitest";
import { describeAttemptFailure } from "../../src/delivery/webhooks/failure-status.ts";

const withCode = (code: unknown, more: object = {}) => Object.assign(new Error("secret"), { code, ...more });
const refused = "The receiver could not be reached. (ECONNREFUSED)";
const reset = "The connection ended without an answer that could be read.";

it.each([
  ["an error without a code", new Error("secret"), "reset", reset],
  ["a code that is no text", withCode(5), "reset", reset],
  ["a code of the cause", new Error("secret", { cause: withCode("ECONNREFUSED") }), "refused", refused],
  [
    "the first of several attempts to connect",
    withCode("EMANY", { errors: [withCode("ECONNREFUSED"), withCode("ENETUNREACH")] }),
    "refused",
    refused,
  ],
  [
    "a connection that takes too long",
    withCode("UND_ERR_CONNECT_TIMEOUT"),
    "timeout",
    "The receiver did not answer in time. (UND_ERR_CONNECT_TIMEOUT)",
  ],
  [
    "a certificate that has expired",
    withCode("CERT_HAS_EXPIRED"),
    "tls_error",
    "No trusted TLS connection could be made. (CERT_HAS_EXPIRED)",
  ],
  [
    "an address that is not public",
    withCode("EBLOCKED"),
    "blocked",
    "The receiver has no public address, and webhooks.allow_private is off.",
  ],
])("%s: the log of a callback has a status and a sentence, and no message of others", (_, failure, status, error) => {
  expect(describeAttemptFailure(failure)).toEqual({ status, error });
});
