import { type ErrorCode, ServiceError } from "../../contract/errors.ts";
import { PermanentError } from "../../http/client/permanent-error.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import { lineOf } from "../terminal/shell-words.ts";
import { changeConfig, withProfile } from "./config.ts";
import { withoutPassword } from "./database-url.ts";
import { openCaller, type Route, warnOfPlainHttp } from "./open-caller.ts";

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly otp?: string;
}

/** Signs in and stores the token in the profile. A new profile becomes the current one. */
export async function signIn(route: Route, name: string, credentials: Credentials): Promise<string> {
  const { jwt, expires } = await requestTokenWithCode(route, credentials);
  await changeConfig(route.terminal.env, (config) => ({
    ...withProfile(config, name, { target: route.target.address, token: jwt, expires, user: credentials.username }),
    current: Object.hasOwn(config.profiles, name) ? (config.current ?? name) : name,
  }));
  if (expires <= Date.now() / 1000)
    route.terminal.note("The new login counts as expired, because the clocks differ. Compare them with wcs doctor.");
  return jwt;
}

/** Returns a new token. Asks for a code on a terminal when one is needed, until it is right. */
async function requestTokenWithCode(route: Route, credentials: Credentials) {
  const { terminal } = route;
  let { otp } = credentials;
  for (;;) {
    try {
      return await requestToken(route, { ...credentials, otp });
    } catch (error) {
      if (!isError(error, "otp_required") || !terminal.interactive || credentials.otp !== undefined) throw error;
      if (otp !== undefined) terminal.note(error.message);
      const ask = await terminal.ask();
      otp = await ask.text(
        "Code of your authenticator app, or a recovery code:",
        (text) => text.trim() !== "" || "Enter the code",
      );
    }
  }
}

const isError = (error: unknown, code: ErrorCode): error is ServiceError =>
  error instanceof ServiceError && error.code === code;

/** Returns a new token for the login of the environment, and keeps it nowhere. */
export async function authenticate(route: Route, credentials: Credentials) {
  try {
    return await requestToken(route, credentials);
  } catch (error) {
    if (!isError(error, "otp_required")) throw error;
    throw new ServiceError(error.code, "WCS_USERNAME and WCS_PASSWORD cannot sign in: this user also needs a code.", {
      hint: "Sign in with wcs auth login, or use an API token in WCS_TOKEN.",
    });
  }
}

/** Maximum characters of a token. Servers refuse longer headers. */
const maxTokenLength = 8192;

/** Returns the login of an answer. Throws `unavailable` when it has none: saved, a wrong one would make the configuration invalid. */
export function loginIn(answer: unknown, { target }: Route): { readonly jwt: string; readonly expires: number } {
  const [login] = Array.isArray(answer) ? answer : [];
  const { jwt, expires } = (login ?? {}) as Readonly<Record<string, unknown>>;
  const isToken = typeof jwt === "string" && jwt.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(jwt);
  if (isToken && typeof expires === "number") return { jwt, expires };
  throw new PermanentError("unavailable", `${withoutPassword(target.address)} did not answer with a token.`, {
    hint: "Check that the URL is the one of the service.",
  });
}

async function requestToken(route: Route, credentials: Credentials) {
  const { auth } = await import("../../contract/auth.ts");
  warnOfPlainHttp(route);
  const caller = await openCaller(route, undefined);
  try {
    return loginIn(await caller.call(auth.authenticate, credentials), route);
  } catch (error) {
    if (!isError(error, "unauthenticated")) throw error;
    const { address, remote } = route.target;
    const words = ["--email", credentials.username, remote ? "--url" : "--db", withoutPassword(address)];
    const line = lineOf(["auth", "password", "request", ...words]);
    throw new ServiceError(error.code, error.message, {
      hint: `If you forgot the password, request a link to set a new one with ${sanitizeLine(line)}`,
    });
  } finally {
    await caller.close();
  }
}
