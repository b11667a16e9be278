import { ServiceError } from "../../contract/errors.ts";
import type { Caller } from "../../contract/operation.ts";
import { isAging, tokenTimesOf } from "../../http/client/token-times.ts";
import { lineOf } from "../terminal/shell-words.ts";
import { type Profile, profileNamed, readConfig, withConfigLock, withProfile } from "./config.ts";
import { openCaller, type Route } from "./open-caller.ts";

const now = () => Date.now() / 1000;

/** Returns the token of a profile. Renews it when less than half of its lifetime is left. */
export async function freshToken(route: Route, name: string, token: string): Promise<string> {
  const times = tokenTimesOf(token);
  if (!times) return token;
  if (times.expires <= now()) {
    const other = otherToken(route, token) ?? (await offerSignIn(route));
    if (other === undefined) throw expired(name);
    return other;
  }
  if (!isAging(times, now())) return token;
  try {
    return await renew(route, name, token);
  } catch {
    // The token is still valid, so a failed renewal is ignored.
    return token;
  }
}

/** Returns the stored profile; undefined when it has got another target or user since the command began, whose token is not for it. */
function storedLogin({ target: { profile, address }, terminal }: Route): Profile | undefined {
  const known = profile && profileNamed(readConfig(terminal.env), profile.name);
  return known?.target === address && known.user === profile?.user ? known : undefined;
}

/** Returns the token that another process has stored for the same login since this command began. */
function otherToken(route: Route, token: string): string | undefined {
  const known = storedLogin(route)?.token;
  return known === token ? undefined : known;
}

const expired = (name: string) =>
  new ServiceError("unauthenticated", `The login of profile ${name} has expired.`, {
    hint: `Sign in with ${lineOf(["auth", "login", "--profile", name])}.`,
  });

/** Renews the token of a profile, unless another process has just done so. */
export async function renew(route: Route, name: string, token: string): Promise<string> {
  const { env } = route.terminal;
  return withConfigLock(env, 3000, async (save) => {
    const profile = storedLogin(route);
    if (profile?.token !== undefined && profile.token !== token) return profile.token;
    const [{ auth }, { loginIn }] = await Promise.all([import("../../contract/auth.ts"), import("./request-token.ts")]);
    const caller = await openCaller(route, token);
    try {
      // Other processes take the lock over after ten seconds.
      const answer = await caller.call(auth.renew, {}, { signal: AbortSignal.timeout(5000) });
      const { jwt, expires } = loginIn(answer, route);
      if (profile) await save(withProfile(readConfig(env), name, { ...profile, token: jwt, expires }));
      return jwt;
    } finally {
      await caller.close();
    }
  });
}

/** Offers to sign in again as the same user; returns the new token. Returns undefined without a terminal. */
async function offerSignIn(route: Route): Promise<string | undefined> {
  const { terminal, target } = route;
  const { profile } = target;
  if (!terminal.interactive || !profile?.user) return undefined;
  const ask = await terminal.ask();
  if (!(await ask.confirm(`The login of profile ${profile.name} has expired. Sign in again as ${profile.user}?`)))
    return undefined;
  const { signIn } = await import("./request-token.ts");
  return signIn(route, profile.name, { username: profile.user, password: await ask.secret("Password:") });
}

const renewalPause = 60;

/** Wraps a caller so that its token is renewed during long commands. Offers to sign in again when a token is rejected. */
export function addTokenRenewal(route: Route, first: Caller, profile: string, token: string): Caller {
  // Calls in progress keep their token, so all callers stay open until the end.
  const opened = [first];
  let current = { caller: first, token, times: tokenTimesOf(token) };
  let renewedAt = current.times && isAging(current.times, now()) ? now() : 0;
  const take = async (token: string) => {
    if (token === current.token) return;
    current = { caller: await openCaller(route, token), token, times: tokenTimesOf(token) };
    opened.push(current.caller);
  };
  const refresh = async () => {
    const { token, times } = current;
    if (times === undefined || !isAging(times, now()) || now() < renewedAt + renewalPause) return;
    renewedAt = now();
    await take(await freshToken(route, profile, token));
  };
  return {
    async call(op, input, options) {
      await refresh();
      try {
        return await current.caller.call(op, input, options);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "unauthenticated") throw error;
        const token = otherToken(route, current.token) ?? (await offerSignIn(route));
        if (token === undefined) throw error;
        await take(token);
        return current.caller.call(op, input, options);
      }
    },
    async close() {
      for (const caller of opened) await caller.close();
    },
  };
}
