import { ServiceError } from "../contract/errors.ts";
import type { Caller } from "../contract/operation.ts";
import { type Config, changeConfig, type Profile, readConfig, withConfigLock } from "./config.ts";
import { open, type Route } from "./connect.ts";
import { isAging, timesOf } from "./token.ts";

const now = () => Date.now() / 1000;

/** The token of a profile; exchanged for a newer one first when less than half of its life is left. */
export async function freshToken(route: Route, profile: Profile & { name: string }): Promise<string> {
  const token = profile.token!;
  const times = timesOf(token);
  if (!times) return token;
  if (times.expires <= now()) return (await offer(route)) ?? Promise.reject(expired(profile.name));
  if (!isAging(times, now())) return token;
  try {
    return await renew(route, profile.name, token);
  } catch {
    // It is still good: that it could not be exchanged now is no reason to fail.
    return token;
  }
}

const expired = (name: string) =>
  new ServiceError("unauthenticated", `The login of profile ${name} has expired.`, {
    hint: `Sign in with wcs auth login --profile ${name}.`,
  });

/** Exchanges the token of a profile, unless another process has just done so. */
export async function renew(route: Route, name: string, token: string): Promise<string> {
  const { env } = route.terminal;
  return withConfigLock(env, 3000, async (save) => {
    const config = readConfig(env);
    const present = config.profiles[name]?.token;
    if (present !== undefined && present !== token) return present;
    const { auth } = await import("../contract/auth.ts");
    const caller = await open(route, token);
    try {
      // The lock is taken to be lost after ten seconds.
      const [{ jwt, expires }] = await caller.call(auth.renew, {}, { signal: AbortSignal.timeout(5000) });
      if (config.profiles[name])
        await save(withProfile(config, name, { ...config.profiles[name], token: jwt, expires }));
      return jwt;
    } finally {
      await caller.close();
    }
  });
}

export const withProfile = (config: Config, name: string, profile: Profile): Config => ({
  ...config,
  profiles: { ...config.profiles, [name]: profile },
});

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Signs in and keeps the token in the profile; a new one becomes the current one. */
export async function signIn(route: Route, name: string, credentials: Credentials): Promise<string> {
  const { auth } = await import("../contract/auth.ts");
  const caller = await open(route, undefined);
  try {
    const [{ jwt, expires }] = await caller.call(auth.authenticate, credentials);
    await changeConfig(route.terminal.env, (config) => ({
      ...withProfile(config, name, { target: route.target.address, token: jwt, expires, user: credentials.username }),
      current: config.profiles[name] ? (config.current ?? name) : name,
    }));
    return jwt;
  } finally {
    await caller.close();
  }
}

/** On a terminal: offers to sign in as the same user, and answers with the new token. */
async function offer(route: Route): Promise<string | undefined> {
  const { terminal, target } = route;
  const { profile } = target;
  if (!terminal.interactive || !profile?.user) return undefined;
  const ask = await terminal.ask();
  if (!(await ask.confirm(`The login of profile ${profile.name} has ended. Sign in again as ${profile.user}?`)))
    return undefined;
  return signIn(route, profile.name, { username: profile.user, password: await ask.secret("Password:") });
}

/** Seconds after which a renewal that failed is tried again. */
const renewalPause = 60;

/**
 * A caller for however long the command runs: the token that it begins with is renewed on the way. When a token turns out to
 * be no longer good, it offers to sign in again.
 */
export function keepSignedIn(route: Route, first: Caller, token: string): Caller {
  const profile = route.target.profile!;
  // What is under way goes on with the token that it began with.
  const opened = [first];
  let current = { caller: first, token, times: timesOf(token) };
  let renewedAt = current.times && isAging(current.times, now()) ? now() : 0;
  const take = async (token: string) => {
    if (token === current.token) return;
    current = { caller: await open(route, token), token, times: timesOf(token) };
    opened.push(current.caller);
  };
  const refresh = async () => {
    const { token, times } = current;
    if (times === undefined || !isAging(times, now()) || now() < renewedAt + renewalPause) return;
    renewedAt = now();
    await take(await freshToken(route, { ...profile, token }));
  };
  return {
    async call(op, input, options) {
      await refresh();
      try {
        return await current.caller.call(op, input, options);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "unauthenticated") throw error;
        const token = await offer(route);
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
