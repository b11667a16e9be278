import { isApiToken } from "../../../contract/api-token-prefix.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { isHttpUrl } from "../../../contract/http-url.ts";
import type { Caller } from "../../../contract/operation.ts";
import { tokenTimesOf } from "../../../http/client/token-times.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { unlessRefused } from "../../errors/unless-refused.ts";
import type { Context } from "../../kit/command-spec.ts";
import { noteDone } from "../../kit/note-done.ts";
import { showLine } from "../../kit/shown-line.ts";
import { createOutput } from "../../output/create-output.ts";
import { timesIn } from "../../output/format-value.ts";
import { changeConfig, profileNamed, readConfig, withProfile } from "../../session/config.ts";
import { addSignInHint } from "../../session/connection.ts";
import { withoutPassword } from "../../session/database-url.ts";
import { endSession } from "../../session/end-session.ts";
import { environmentLogin, environmentToken } from "../../session/environment-login.ts";
import { ownSignIn } from "../../session/read-password.ts";
import { authenticate, signIn } from "../../session/request-token.ts";
import { findTarget, type Target } from "../../session/target.ts";
import { renew } from "../../session/token-renewal.ts";
import type { Globals } from "../../terminal/global-options.ts";

const routeOf = ({ globals, terminal }: Context, target: Target) => ({ target, globals, terminal });
const targetOf = ({ globals, terminal }: Context): Target => findTarget(globals, terminal.env);

export async function login(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const { target, globals } = await askTarget(context);
  const name = loginProfile({ ...context, globals }, target);
  const ask = terminal.interactive ? await terminal.ask() : undefined;
  const username =
    (flags.username as string | undefined) ??
    (terminal.env.WCS_USERNAME || undefined) ??
    (await ask?.text("E-mail:", undefined, target.profile?.user));
  const given = await ownSignIn({ terminal, flags, target });
  const password = given.password ?? (await ask?.secret("Password:"));
  const missing = [username === undefined && "--username", password === undefined && "--password-stdin"].filter(
    Boolean,
  );
  if (username === undefined || password === undefined) throw new UsageError(`missing ${missing.join(", ")}`);
  const before = profileNamed(readConfig(terminal.env), name);
  await signIn({ target, globals, terminal }, name, { username, password, otp: given.otp });
  terminal.note(`Signed in to ${withoutPassword(target.address)} as ${username} (profile ${name}).`);
  if (before?.token !== undefined && before.user !== undefined && before.user.toLowerCase() !== username.toLowerCase())
    terminal.note(`This replaced the login of ${before.user}. Use --profile NAME to keep both.`);
  noteOwnToken(context, target);
  if (flags.username !== undefined && globals === context.globals) return;
  const place = target.remote ? "--url" : "--db";
  const words = [place, withoutPassword(target.address), "--username", username, "--password-stdin"];
  if (ask) showLine(["auth", "login"], [], words, terminal);
}

async function askTarget(context: Context): Promise<{ target: Target; globals: Globals }> {
  const { globals, terminal } = context;
  const isChosen = [globals.url, globals.db, terminal.env.WCS_URL, terminal.env.WCS_DB, terminal.env.WCS_PROFILE].some(
    Boolean,
  );
  const config = readConfig(terminal.env);
  const isKnown =
    (globals.profile === undefined ? config.current : profileNamed(config, globals.profile)) !== undefined;
  if (isChosen || isKnown || !terminal.interactive) return { target: loginTarget(context), globals };
  const url = await (await terminal.ask()).text("URL of the instance:", (text) =>
    URL.canParse(text.trim()) && isHttpUrl(text.trim()) ? true : "Enter a URL like https://wcs.example.com",
  );
  const asked = { ...globals, url: url.trim() };
  return { target: loginTarget({ ...context, globals: asked }), globals: asked };
}

/** Returns the target to sign in to; a new profile takes it from the other flags and the environment. */
function loginTarget({ globals, terminal }: Context): Target {
  const { profile, ...others } = globals;
  const config = readConfig(terminal.env);
  const isNew = profile !== undefined && profileNamed(config, profile) === undefined;
  if (profile !== undefined && (isNew || globals.url !== undefined || globals.db !== undefined)) {
    return findTarget(others, { ...terminal.env, WCS_PROFILE: undefined }, config);
  }
  return findTarget(globals, terminal.env, config);
}

function loginProfile({ globals, terminal }: Context, { address, remote, profile }: Target): string {
  if (globals.profile !== undefined) return globals.profile;
  if (profile) return profile.name;
  const config = readConfig(terminal.env);
  const same = Object.keys(config.profiles).find((name) => config.profiles[name]?.target === address);
  const plain = remote ? new URL(address).hostname : "local";
  return (
    same ??
    (profileNamed(config, plain) === undefined ? plain : remote ? new URL(address).host : withoutPassword(address))
  );
}

/** `wcs auth logout`. Forgets the token also when its session cannot be ended, and then fails. */
export async function logout(context: Context): Promise<void> {
  const target = loginOf(context);
  if (!target.profile?.token) return context.terminal.note(`${notSignedIn(target)} There is nothing to sign out of.`);
  const { name, token } = target.profile;
  if (context.flags.dryRun) return noteDone(context, `Signed out of profile ${name}.`);
  const failure = await endSession(routeOf(context, target), token);
  await changeConfig(context.terminal.env, (config) => {
    const profile = profileNamed(config, name);
    // Another process may have removed it meanwhile.
    if (profile === undefined) return config;
    const { token: _token, expires: _expires, ...rest } = profile;
    return withProfile(config, name, rest);
  });
  if (failure === undefined) return context.terminal.note(`Signed out of profile ${name}. Its session has ended.`);
  const { expires } = tokenTimesOf(token) ?? {};
  const until = expires ? ` until ${timesIn(context.globals.tz).full(expires)}` : "";
  throw new ServiceError(
    failure.code,
    `Signed out of profile ${name} on this machine only. Its session could not be ended, so copies of the token stay valid${until}: ${failure.message}`,
    {
      hint: "Sign in again later, find the session with wcs sessions list, and end it with wcs sessions end ID.",
      cause: failure,
    },
  );
}

export async function renewNow(context: Context): Promise<void> {
  const target = loginOf(context);
  const { name, token } = needProfile(context, target);
  if (context.flags.dryRun) return noteDone(context, `Renewed the token of profile ${name}.`);
  const route = routeOf(context, target);
  const renewed = await renew(route, name, token).catch((error) => {
    throw addSignInHint(error, route);
  });
  const { expires } = tokenTimesOf(renewed) ?? {};
  context.terminal.note(
    `Renewed the token${expires ? `; it expires at ${timesIn(context.globals.tz).full(expires)}` : ""}.`,
  );
}

/** Returns the target with its stored login, also for a database given by path, where other commands act as its owner. */
function loginOf(context: Context): Target {
  const target = targetOf(context);
  noteOwnToken(context, target);
  if (target.profile) return target;
  const { profiles, current = "" } = readConfig(context.terminal.env);
  const names = [current, ...Object.keys(profiles)];
  const name = names.find((each) => profiles[each]?.target === target.address && profiles[each].token !== undefined);
  const profile = name === undefined ? undefined : profiles[name];
  return name === undefined || profile === undefined ? target : { ...target, profile: { name, ...profile } };
}

/** Says that other commands do not use the stored login. */
function noteOwnToken({ terminal }: Context, target: Target): void {
  if (environmentToken(terminal.env, target) === undefined) return;
  terminal.note("WCS_TOKEN is set: until you unset it, commands use that token and not the login of a profile.");
}

const notSignedIn = ({ profile }: Target): string =>
  profile ? `Profile ${profile.name} is not signed in.` : "You are not signed in to this target.";

function needProfile(context: Context, target: Target) {
  const { profile } = target;
  if (!profile?.token) {
    throw addSignInHint(new ServiceError("unauthenticated", notSignedIn(target)), routeOf(context, target));
  }
  return { name: profile.name, token: profile.token };
}

export async function status(context: Context): Promise<void> {
  const { terminal, globals } = context;
  const { users } = await import("../../../contract/users.ts");
  const { caller, target } = await context.connect();
  const user = await unlessRefused("forbidden", caller.call(users.current, {}));
  const isNamed = globals.as === undefined && environmentLogin(terminal.env, target) !== undefined;
  const ownToken = environmentToken(terminal.env, target);
  const token = globals.as === undefined && !isNamed ? ownToken || tokenOf(context, target) : undefined;
  const apiToken = token && isApiToken(token) ? await currentApiToken(caller) : undefined;
  const facts = {
    target: withoutPassword(target.address),
    profile: target.profile?.name ?? null,
    user: user ? { id: user.id, name: user.name, email: user.email, admin: user.admin } : (apiToken?.user ?? null),
    login: ownToken ? "WCS_TOKEN" : isNamed ? "WCS_USERNAME" : token ? "token" : "owner of the database",
    kind: apiToken ? "API token" : token ? "sign-in" : null,
    ...(apiToken?.facts ?? {
      expires: (token && tokenTimesOf(token)?.expires) ?? null,
      session: await currentSession(caller),
    }),
  };
  const formats = { expires: "unix-time", "session.created_at": "unix-time" } as const;
  await createOutput<object>({ formats, sample: { ...facts, token: null, scopes: null, session: null } }, context).one(
    facts,
  );
}

async function currentSession(caller: Caller) {
  const { sessions } = await import("../../../contract/sessions.ts");
  const { data } = await caller.call(sessions.list, {});
  const own = data.find(({ current }) => current);
  return own ? { id: own.id, created_at: own.created_at } : null;
}

/** Returns the facts about the API token. Its scopes may not cover reading the owner, so only name and ID are known. */
async function currentApiToken(caller: Caller) {
  const { tokens } = await import("../../../contract/tokens.ts");
  const { id, name, owner, scopes, expires_at } = await caller.call(tokens.current, {});
  const user = { id: owner.id, name: owner.name, email: null, admin: null };
  return { user, facts: { expires: expires_at, token: { id, name }, scopes } };
}

/** Reads the token from the configuration again, because connecting may have renewed it. */
const tokenOf = ({ terminal }: Context, { profile }: Target): string | undefined =>
  profile && profileNamed(readConfig(terminal.env), profile.name)?.token;

export async function printToken(context: Context): Promise<void> {
  const { terminal } = context;
  const target = targetOf(context);
  const ownToken = environmentToken(terminal.env, target);
  if (ownToken) return terminal.write(`${ownToken}\n`);
  const login = environmentLogin(terminal.env, target);
  if (login) return terminal.write(`${(await authenticate(routeOf(context, target), login)).jwt}\n`);
  if (!target.remote && !target.profile?.token) {
    // A token for the owner of a database, for use with the instance that serves it.
    const { auth } = await import("../../../contract/auth.ts");
    const [{ jwt }] = await (await context.connect()).caller.call(auth.renew, {});
    return terminal.write(`${jwt}\n`);
  }
  const { name, token } = needProfile(context, target);
  const { freshToken } = await import("../../session/token-renewal.ts");
  await terminal.write(`${await freshToken(routeOf(context, target), name, token)}\n`);
}
