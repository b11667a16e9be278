import { ServiceError } from "../../contract/errors.ts";
import { isHttpUrl } from "../../contract/http-url.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { createSources } from "../file-io/value-sources.ts";
import { type Commands, type Context, dryRunFlag } from "../kit/command-spec.ts";
import { noteDone } from "../kit/note-done.ts";
import { createOutput } from "../output/create-output.ts";
import { type Config, changeConfig, readConfig, withProfile } from "../session/config.ts";
import { withoutPassword } from "../session/database-url.ts";
import { baseUrl, databaseAddress } from "../session/target.ts";
import { lineOf } from "../terminal/shell-words.ts";

const nameArgument = { name: "name", description: "Name of the profile", completes: "profiles" } as const;

export const profile: Commands = {
  list: { summary: "List profiles and mark the current one", prints: true, watchable: true, run: list },
  use: { summary: "Make a profile the current one", args: [nameArgument], flags: [dryRunFlag], run: use },
  add: {
    summary: "Save a target under a name",
    description:
      "Without --url and --db the target is read from WCS_DB or WCS_URL, or prompted for. Give a database URL with a\npassword in one of these ways or with --db-stdin. For an instance, sign in afterwards with\nwcs auth login --profile NAME.",
    args: [{ name: "name", description: "Name of the new profile" }],
    flags: [{ flags: "--db-stdin", description: "Read the path or URL of the database from stdin" }, dryRunFlag],
    examples: [
      "wcs profile add work --url https://wcs.example.com",
      "wcs profile add here --db ./wcs.db",
      "wcs profile add production --db-stdin < database-url.txt",
    ],
    run: add,
  },
  remove: { summary: "Remove a profile and its login", args: [nameArgument], flags: [dryRunFlag], run: remove },
  show: {
    summary: "Show a profile without its token",
    args: [{ ...nameArgument, description: "Name of the profile (default the current one)", optional: true }],
    prints: true,
    watchable: true,
    run: show,
  },
};

const change = ({ terminal, flags }: Context, how: (config: Config) => Config) =>
  changeConfig(terminal.env, how, flags.dryRun === true);

const formats = { expires: "unix-time" } as const;
const sample = { name: "", current: false, target: "", user: null, signed_in: false, expires: null };

function profileRows({ terminal }: Context) {
  const { profiles, current } = readConfig(terminal.env);
  return Object.entries(profiles).map(([name, { target, user, token, expires }]) => ({
    name,
    current: name === current,
    target: withoutPassword(target),
    user: user ?? null,
    signed_in: token !== undefined,
    expires: expires ?? null,
  }));
}

async function list(context: Context): Promise<void> {
  const columns = ["name", "current", "target", "user", "expires"];
  await createOutput<object>({ columns, formats, items: "profiles", sample }, context).all(profileRows(context));
}

async function show(context: Context): Promise<void> {
  const wanted = context.args.name ?? context.globals.profile ?? readConfig(context.terminal.env).current;
  const all = profileRows(context);
  const found = all.find(({ name }) => name === wanted);
  const names = all.map(({ name }) => name);
  if (!found) throw unknownProfile(String(wanted ?? ""), names);
  await createOutput<object>({ formats, sample }, context).one(found);
}

async function use(context: Context): Promise<void> {
  const name = context.args.name as string;
  await change(context, (config) => {
    if (!Object.hasOwn(config.profiles, name)) throw unknownProfile(name, Object.keys(config.profiles));
    return { ...config, current: name };
  });
  noteDone(context, `Profile ${name} is now the current one.`);
}

async function add(context: Context): Promise<void> {
  const name = context.args.name as string;
  if (context.globals.as !== undefined) {
    const hint = `pass it to each command, or sign in with ${lineOf(["auth", "login", "--profile", name])}`;
    throw new UsageError("--as is not saved in a profile", { hint });
  }
  const target = await givenTarget(context);
  const { current } = await change(context, (config) => {
    if (Object.hasOwn(config.profiles, name)) {
      throw new ServiceError("conflict", `Profile '${name}' already exists.`, {
        hint: `Remove it with ${lineOf(["profile", "remove", name])}.`,
      });
    }
    return { ...withProfile(config, name, { target }), current: config.current ?? name };
  });
  noteDone(context, `Added profile ${name}.${current === name ? " It is the current one." : ""}`);
}

async function givenTarget({ globals, flags, terminal }: Context): Promise<string> {
  const { db, url } = globals;
  const { WCS_DB, WCS_URL } = terminal.env;
  const given = [url, db, flags.dbStdin].filter((way) => way !== undefined);
  if (given.length > 1) throw new UsageError("pass one of --url, --db and --db-stdin");
  if (url !== undefined) return baseUrl(url);
  if (db !== undefined) return parseDatabase(db);
  if (flags.dbStdin) return parseDatabase(await createSources(terminal).stdin("--db-stdin"));
  if (WCS_DB && WCS_URL) throw new UsageError("WCS_DB and WCS_URL cannot be used together");
  if (WCS_DB) return parseDatabase(WCS_DB);
  if (WCS_URL) return baseUrl(WCS_URL);
  if (!terminal.interactive) throw new UsageError("pass --url or --db");
  const answer = (await (await terminal.ask()).secret("Path or URL of the database, or URL of the instance:")).trim();
  return isHttpUrl(answer) ? baseUrl(answer) : parseDatabase(answer);
}

function parseDatabase(text: string): string {
  const address = text.trim();
  if (address === "") throw new UsageError("the path or URL of the database is empty");
  if (isHttpUrl(address)) throw new UsageError("this is the URL of an instance, not a database", { hint: "use --url" });
  return databaseAddress(address);
}

async function remove(context: Context): Promise<void> {
  const name = context.args.name as string;
  await change(context, ({ profiles, current, ...rest }) => {
    if (!Object.hasOwn(profiles, name)) throw unknownProfile(name, Object.keys(profiles));
    const { [name]: _, ...others } = profiles;
    return { ...rest, profiles: others, ...(current !== undefined && current !== name && { current }) };
  });
  noteDone(context, `Removed profile ${name}.`);
}

function unknownProfile(name: string, names: readonly string[]): UsageError | ServiceError {
  if (name === "")
    return new UsageError("there is no current profile", { hint: "choose one with wcs profile use NAME" });
  const meant = suggestName(name, names);
  return new ServiceError("not_found", `There is no profile '${name}'.`, {
    hint: meant ? `Did you mean '${meant}'?` : "List the profiles with wcs profile list.",
  });
}
