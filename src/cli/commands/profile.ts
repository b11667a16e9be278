import { changeConfig, readConfig } from "../config.ts";
import { UsageError } from "../failure.ts";
import { nearest } from "../nearest.ts";
import { createOutput } from "../output.ts";
import { baseUrl, databaseAddress } from "../target.ts";
import type { Context, Group } from "../tree.ts";

const name = { name: "name", completes: "profiles" } as const;

export const profile: Group = {
  summary: "Databases and instances to work with",
  commands: {
    list: { summary: "Profiles, the current one marked", prints: true, run: list },
    use: { summary: "Make a profile the current one", args: [name], run: use },
    add: {
      summary: "Keep a target under a name",
      description: "An instance needs a login, too: wcs auth login --profile NAME.",
      args: [{ name: "name" }],
      examples: ["wcs profile add work --url https://wcs.example.com", "wcs profile add here --db ./wcs.db"],
      run: add,
    },
    remove: { summary: "Forget a profile and its login", args: [name], run: remove },
    show: { summary: "One profile, without its token", args: [{ ...name, optional: true }], prints: true, run: show },
  },
};

interface Shown {
  readonly [field: string]: unknown;
  readonly name: string;
}

function shown({ terminal }: Context): Shown[] {
  const { profiles, current } = readConfig(terminal.env);
  return Object.entries(profiles).map(([name, { target, user, token, expires }]) => ({
    name,
    current: name === current,
    target,
    user: user ?? null,
    signed_in: token !== undefined,
    expires: expires ?? null,
  }));
}

async function list(context: Context): Promise<void> {
  const columns = ["name", "current", "target", "user", "expires"];
  const page = { items: shown(context), more: false, response: shown(context) };
  await createOutput({ columns, items: "profiles" }, context.globals, context.terminal).list([page]);
}

async function show(context: Context): Promise<void> {
  const wanted = context.args.name ?? context.globals.profile ?? readConfig(context.terminal.env).current;
  const all = shown(context);
  const found = all.find((candidate) => candidate.name === wanted);
  if (!found)
    throw unknown(
      String(wanted ?? ""),
      all.map((candidate) => candidate.name),
    );
  await createOutput({}, context.globals, context.terminal).one(found);
}

async function use(context: Context): Promise<void> {
  const name = context.args.name as string;
  await changeConfig(context.terminal.env, (config) => {
    if (!Object.hasOwn(config.profiles, name)) throw unknown(name, Object.keys(config.profiles));
    return { ...config, current: name };
  });
  context.terminal.note(`Profile ${name} is now the current one.`);
}

async function add({ args, globals, terminal }: Context): Promise<void> {
  const name = args.name as string;
  if ((globals.url === undefined) === (globals.db === undefined)) throw new UsageError("give either --url or --db");
  const target = globals.url === undefined ? databaseAddress(globals.db!) : baseUrl(globals.url);
  const { current } = await changeConfig(terminal.env, (config) => {
    if (Object.hasOwn(config.profiles, name)) {
      throw new UsageError(`there is a profile '${name}' already`, { hint: `wcs profile remove ${name} removes it` });
    }
    return { profiles: { ...config.profiles, [name]: { target } }, current: config.current ?? name };
  });
  terminal.note(`Added profile ${name}.${current === name ? " It is the current one." : ""}`);
}

async function remove(context: Context): Promise<void> {
  const name = context.args.name as string;
  await changeConfig(context.terminal.env, ({ profiles, current, ...rest }) => {
    if (!Object.hasOwn(profiles, name)) throw unknown(name, Object.keys(profiles));
    const { [name]: _, ...others } = profiles;
    return { ...rest, profiles: others, ...(current !== undefined && current !== name && { current }) };
  });
  context.terminal.note(`Removed profile ${name}.`);
}

function unknown(name: string, names: readonly string[]): UsageError {
  const meant = nearest(name, names);
  if (name === "") return new UsageError("there is no current profile", { hint: "wcs profile use NAME makes one so" });
  return new UsageError(`there is no profile '${name}'`, {
    hint: meant ? `did you mean '${meant}'?` : "wcs profile list shows those there are",
  });
}
