import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "../../contract/errors.ts";
import { changeConfig, dataDir, readConfig } from "../config.ts";
import { openWithKey } from "../database/open.ts";
import { withoutPassword } from "../database-url.ts";
import { UsageError } from "../failure.ts";
import { withProfile } from "../login.ts";
import { createOutput } from "../output.ts";
import { newPassword, ownPassword } from "../passwords.ts";
import { databaseAddress } from "../target.ts";
import type { Context, OwnLeaf } from "../tree.ts";

export const init: OwnLeaf = {
  summary: "Make a database, its first administrator and a profile",
  description:
    "Asks for what is not given. Without a terminal and without a password the administrator has none yet;\nwcs users password sets one. An existing database is left as it is.",
  flags: [
    { flags: "--admin-email <email>", description: "The first administrator's e-mail address" },
    { flags: "--admin-name <name>", description: 'The first administrator\'s name, as "First Last"' },
    { flags: "--password-stdin", description: "Read the administrator's password from stdin" },
    {
      flags: "--password-file <path>",
      description: "Read the administrator's password from a file",
      completes: "file",
    },
    { flags: "--root-unit <name>", description: "Name of the unit above all others (default Organisation)" },
    { flags: "--demo", description: "Fill it with a small organisation to try things on" },
    { flags: "--no-profile", description: "Keep no profile" },
  ],
  examples: [
    "wcs init",
    'wcs init --db ./wcs.db --admin-email ada@example.com --admin-name "Ada Lovelace" --root-unit Acme',
  ],
  prints: true,
  run,
};

interface Answers {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly rootUnit: string;
  readonly password: string | undefined;
}

async function run(context: Context): Promise<void> {
  const { terminal, globals } = context;
  if (globals.url !== undefined)
    throw new UsageError("wcs init makes a database; an instance elsewhere has to be made there");
  const database = databaseAddress(globals.db ?? (terminal.env.WCS_DB || join(dataDir(terminal.env), "wcs.db")));
  const isFile = !database.includes("://");
  if (isFile && existsSync(database) && statSync(database).size > 0) {
    throw new ServiceError("conflict", `${database} exists already; it was left as it is.`);
  }
  const answers = await ask(context);
  const id = await make(database, answers, terminal.env);
  if (context.flags.demo) await fill(database, id, terminal.env);
  const profile = context.flags.profile === false ? undefined : await keepProfile(context, database, answers.email);
  const made = {
    database: withoutPassword(database),
    administrator: { id, email: answers.email },
    profile: profile ?? null,
  };
  await createOutput({}, globals, terminal).one(made);
  if (answers.password === undefined) terminal.note(`There is no password yet; wcs users password ${id} sets one.`);
  if (profile) terminal.note(`Profile ${profile} is now the current one. Try wcs users list, or wcs serve.`);
}

async function ask(context: Context): Promise<Answers> {
  const { terminal, flags } = context;
  const given = { email: flags.adminEmail as string | undefined, name: flags.adminName as string | undefined };
  const missing = [given.email === undefined && "--admin-email", given.name === undefined && "--admin-name"].filter(
    Boolean,
  );
  if (missing.length > 0 && !terminal.interactive) throw new UsageError(`missing ${missing.join(", ")}`);
  const { check } = await import("../administrator.ts");
  const question = async (text: string, field: "email" | "name", standard?: string) =>
    (await terminal.ask()).text(text, (answer) => check({ [field]: answer }) ?? true, standard);
  const email = given.email ?? (await question("E-mail of the administrator:", "email"));
  const name = given.name ?? (await question("Name of the administrator:", "name"));
  const wrong = check({ email })
    ? `--admin-email ${check({ email })}`
    : check({ name }) && `--admin-name ${check({ name })}`;
  if (wrong) throw new UsageError(wrong);
  const isAsked = terminal.interactive && missing.length > 0;
  const rootUnit =
    (flags.rootUnit as string | undefined) ??
    (isAsked ? await (await terminal.ask()).text("Name of the root unit:", undefined, "Organisation") : "Organisation");
  const wrongUnit = check({ unit: rootUnit });
  if (wrongUnit) throw new UsageError(`--root-unit ${wrongUnit}`);
  const password = (await ownPassword(context)) ?? (terminal.interactive ? await newPassword(terminal) : undefined);
  const [first_name = "", ...rest] = name.trim().split(/\s+/);
  return { email, first_name, last_name: rest.join(" "), rootUnit, password };
}

async function make(
  database: string,
  { email, first_name, last_name, rootUnit, password }: Answers,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const [{ bootstrap }, { checkNewPassword, hashPassword }, { defaults }] = await Promise.all([
    import("../../core/bootstrap.ts"),
    import("../../core/passwords.ts"),
    import("../../contract/settings.ts"),
  ]);
  const person = { email, first_name, last_name };
  if (password !== undefined) await checkNewPassword(password, person, defaults);
  const administrator = { ...person, ...(password !== undefined && { passwordHash: await hashPassword(password) }) };
  let id = 0;
  const opened = await openWithKey(database, env, {
    create: async (tx, secrets) => {
      id = await bootstrap(tx, { administrator, rootUnit, now: Math.floor(Date.now() / 1000), secrets });
    },
  });
  await opened.close();
  return id;
}

async function fill(database: string, userId: number, env: NodeJS.ProcessEnv): Promise<void> {
  const [{ createService }, { fillOrganisation }] = await Promise.all([
    import("../../core/service.ts"),
    import("../demo-organisation.ts"),
  ]);
  const caller = createService({ database: await openWithKey(database, env) }).caller({ userId });
  await fillOrganisation(caller).finally(() => caller.close());
}

/** Whoever owns the database needs no token for it: the profile only says as whom. */
async function keepProfile({ terminal: { env }, globals }: Context, target: string, user: string): Promise<string> {
  const { profiles } = readConfig(env);
  const isFree = (name: string) => profiles[name] === undefined || profiles[name].target === target;
  let name = globals.profile ?? "local";
  for (let number = 2; globals.profile === undefined && !isFree(name); number++) name = `local-${number}`;
  await changeConfig(env, (config) => ({ ...withProfile(config, name, { target, user }), current: name }));
  return name;
}
