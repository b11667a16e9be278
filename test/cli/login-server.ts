import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A fake instance for logins: it issues tokens of any age and counts its requests. */
export interface LoginServer {
  readonly url: string;
  readonly seen: { renewals: number; calls: string[] };
  /** Accepts only these tokens from now on; before, all are accepted. */
  accept(...tokens: string[]): void;
  /** Seconds from now until a new login expires. */
  life: number;
  /** The answer to a renewal. */
  renewal: "good" | "refused" | "slow" | "broken";
  /** Runs when a renewal has arrived, before its answer. */
  onRenewal(): void;
  close(): Promise<void>;
}

/** Creates a token by its age and its lifetime in seconds. */
export function token(age: number, life: number, mark = "t"): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256" })}.${part({ sub: "1", iat: now - age, exp: now - age + life, jti: mark })}.sig`;
}

export async function startLoginServer(): Promise<LoginServer> {
  let accepted: Set<string> | undefined;
  const state = { renewals: 0, calls: [] as string[] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const bearer = request.headers.authorization?.replace("Bearer ", "") ?? "";
    const unauthenticated = {
      error: { code: "unauthenticated", message: "The token is no longer valid; sign in again.", request_id: "r" },
    };
    const isGood = accepted === undefined || accepted.has(bearer);
    const path = request.url ?? "";
    if (path === "/api/authenticate") {
      const { password } = JSON.parse(Buffer.concat(chunks).toString());
      if (password !== "right")
        return answer(401, {
          error: { code: "unauthenticated", message: "E-mail or password is wrong.", request_id: "r" },
        });
      const jwt = token(0, login.life, "signed-in");
      accepted?.add(jwt);
      return answer(200, [{ jwt, expires: Math.floor(Date.now() / 1000) + login.life }]);
    }
    if (path === "/api/renew") {
      state.renewals += 1;
      login.onRenewal();
      if (login.renewal === "slow") return;
      if (login.renewal === "broken") return request.socket.destroy();
      if (login.renewal === "refused" || !isGood) return answer(401, unauthenticated);
      const jwt = token(0, 86_400, `renewed-${state.renewals}`);
      accepted?.add(jwt);
      return answer(200, [{ jwt, expires: Math.floor(Date.now() / 1000) + 86_400 }]);
    }
    state.calls.push(bearer);
    if (!isGood) return answer(401, unauthenticated);
    if (path.includes("/messages/new")) {
      // Delays the answer to a long poll, so that the client does not poll in a tight loop.
      setTimeout(() => answer(200, { data: [], meta: { last_id: 1 } }), 100);
      return;
    }
    return answer(200, { data: [{ code: "en", name: "English" }] });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const login: LoginServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: state,
    accept: (...tokens) => {
      accepted = new Set(tokens);
    },
    life: 86_400,
    renewal: "good",
    onRenewal: () => {},
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return login;
}
