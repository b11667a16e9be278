import { Agent, type ClientRequestArgs } from "node:http";
import { Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { ServiceError } from "../../src/contract/errors.ts";
import { users } from "../../src/contract/users.ts";
import { createClient } from "../../src/http/client/client.ts";
import { PermanentError } from "../../src/http/client/permanent-error.ts";

const always = { read: 3, change: 3 };
const reads = { read: 3, change: 1 };
const never = { read: 1, change: 1 };
const certificate = { ...never, isPermanent: true };
const unknownAuthority = "has a certificate of an unknown authority";

/** Codes of Node, and the sentence, the attempts and the kind of error that the client makes of each. */
const failures: [code: string, says: string, { read: number; change: number; isPermanent?: boolean }][] = [
  ["ECONNREFUSED", "refused the connection", always],
  ["ENOTFOUND", "has an unknown host name", never],
  ["EAI_AGAIN", "has a host name that could not be resolved", always],
  ["EHOSTUNREACH", "cannot be reached over the network", always],
  ["ENETUNREACH", "cannot be reached over the network", always],
  ["ETIMEDOUT", "did not accept the connection", always],
  ["ECONNRESET", "closed the connection", reads],
  ["EPIPE", "closed the connection", reads],
  ["UND_ERR_SOCKET", "closed the connection", reads],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "has a self-signed certificate", certificate],
  ["SELF_SIGNED_CERT_IN_CHAIN", unknownAuthority, certificate],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", unknownAuthority, certificate],
  ["UNABLE_TO_GET_ISSUER_CERT", unknownAuthority, certificate],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", unknownAuthority, certificate],
  ["CERT_HAS_EXPIRED", "has an expired certificate", certificate],
  ["CERT_NOT_YET_VALID", "has a certificate that is not valid yet", certificate],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "has a certificate for another host", certificate],
  ["EPROTO", "does not support the same TLS versions", never],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "does not speak TLS", never],
  ["ERR_SSL_PACKET_LENGTH_TOO_LONG", "does not speak TLS", never],
  ["ERR_PROXY_TUNNEL", "is blocked by the proxy", never],
  ["HPE_INVALID_CONSTANT", "does not speak HTTP", never],
  ["EOTHER", "cannot be reached (EOTHER)", never],
];

/** Two ports for each code: one for a read, one for a change. */
const firstPort = 1000;

test("the failures of connections are told apart, and requests are repeated where that can help", async () => {
  const ports: unknown[] = [];
  const connecting = vi.spyOn(Agent.prototype, "createConnection").mockImplementation(({ port }: ClientRequestArgs) => {
    ports.push(port);
    const [code] = failures[Math.floor((Number(port) - firstPort) / 2)]!;
    return new Socket().destroy(Object.assign(new Error(code), { code }));
  });
  onTestFinished(() => void connecting.mockRestore());
  const outcomeOf = async (port: number, isChange: boolean) => {
    const client = createClient({ url: `http://wcs.example:${port}`, userAgent: "test", env: {} });
    const call = isChange ? client.call(users.update, { id: 5, title: "x" }) : client.call(users.get, { id: 5 });
    const error = await call.catch((error: unknown) => error);
    if (!(error instanceof ServiceError)) throw new Error(`not a ServiceError: ${error}`);
    const { code, message, hint } = error;
    const isUnsure = hint?.includes("The change may have been made.");
    const attempts = ports.filter((each) => each === port).length;
    return { code, message, hint, attempts, isUnsure, isPermanent: error instanceof PermanentError };
  };
  await Promise.all(
    failures.map(async ([code, says, { read, change, isPermanent = false }], at) => {
      const expected = (port: number, attempts: number, isUnsure: boolean) => ({
        code: "unavailable",
        message: `http://wcs.example:${port} ${says}.`,
        hint: expect.stringMatching(/^[A-Z].*\.$/),
        ...{ attempts, isUnsure, isPermanent },
      });
      const port = firstPort + 2 * at;
      expect(await outcomeOf(port, false), code).toEqual(expected(port, read, false));
      expect(await outcomeOf(port + 1, true), code).toEqual(expected(port + 1, change, read > change));
    }),
  );
});
