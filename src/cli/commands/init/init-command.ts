import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "../../../contract/errors.ts";
import type { OpenOptions } from "../../../store/database.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { type Context, dryRunFlag, type TopLevelCommand } from "../../kit/command-spec.ts";
import { noteDone } from "../../kit/note-done.ts";
import { showLine } from "../../kit/shown-line.ts";
import { createOutput } from "../../output/create-output.ts";
import { changeConfig, dataDir, profileNamed, readConfig, withProfile } from "../../session/config.ts";
import { withoutPassword } from "../../session/database-url.ts";
import { openWithKey, withKey } from "../../session/open-with-key.ts";
import { ownPassword } from "../../session/read-password.ts";
import { givenDatabase } from "../../session/target.ts";
import { lineOf } from "../../terminal/shell-words.ts";

export const init: TopLevelCommand = {
  description:
    "Prompts for values that are not given. Without a terminal and a password option the administrator gets no password;\nset one with wcs users password. Never changes an existing database.",
  flags: [
    { flags: "--admin-email <email>", description: "E-mail address of the first administrator" },
    { flags: "--admin-name <name>", description: 'Name of the first administrator (for example "Ada Lovelace")' },
    { flags: "--password-stdin", description: "Read the administrator's password from stdin" },
    { flags: "--password-file <path>", description: "Read the administrator's password from a file" },
    { flags: "--root-unit <name>", description: "Name of the unit above all others (default Organisation)" },
    { flags: "--demo", description: "Fill the database with a small sample organisation" },
    { flags: "--no-profile", description: "Do not create a profile" },
    dryRunFlag,
  ],
  examples: [
    "wcs init",
    'wcs init --db ./wcs.db --admin-email ada@example.com --admin-name "Ada Lovelace" --root-unit Acme',
  ],
  prints: true,
  run,
};

type Answers = Awaited<ReturnType<typeof ask>>;

function databaseFor(given: string | undefined, env: NodeJS.ProcessEnv): string {
  if (given !== undefined) return givenDatabase("--db", given);
  return env.WCS_DB ? givenDatabase("WCS_DB", env.WCS_DB) : join(dataDir(env), "wcs.db");
}

async function run(context: Context): Promise<void> {
  const { terminal, globals } = context;
  if (globals.url !== undefined)
    throw new UsageError("wcs init creates a database, not an instance at a URL", {
      hint: "use --db, or run wcs init on the machine of the instance",
    });
  const sample = { database: "", administrator: { id: 0, email: "" }, profile: "" };
  const output = createOutput({ sample }, context);
  const database = databaseFor(globals.db, terminal.env);
  // Checked before the questions. A file without an instance may be left by an init that was interrupted.
  if (existsSync(database) && statSync(database).size > 0)
    await withKey(terminal.env, ({ checkNewDatabase }) => checkNewDatabase(database, { create: async () => {} }));
  const keepsProfile = context.flags.profile !== false;
  if (keepsProfile) requireFreeProfile(globals.profile, database, terminal.env);
  const answers = await ask(context);
  const { create, createdId } = await plan(answers);
  if (context.flags.dryRun) return rehearse(database, create, context);
  // Writes what is there, because a database without its profile could not be created again.
  if (keepsProfile) await changeConfig(terminal.env, (config) => config);
  await (await openWithKey(database, terminal.env, { create })).close();
  const id = createdId();
  if (context.flags.demo) await fill(database, id, terminal.env);
  const profile = keepsProfile ? await keepProfile(context, database, answers.email) : undefined;
  const made = {
    database: withoutPassword(database),
    administrator: { id, email: answers.email },
    profile: profile ?? null,
  };
  await output.one(made);
  const place = profile ? [] : ["--db", withoutPassword(database)];
  if (answers.password === undefined)
    terminal.note(
      `The administrator has no password yet. Set one with ${lineOf(["users", "password", String(id), ...place])}.`,
    );
  if (profile) terminal.note(`Profile ${profile} is now the current one. Try wcs users list, or wcs serve.`);
  if (answers.isAsked) showLine(["init"], [], wordsOf(answers, context), terminal);
}

async function rehearse(database: string, create: OpenOptions["create"], context: Context): Promise<void> {
  const { env } = context.terminal;
  await withKey(env, ({ checkNewDatabase }, secretKey) => checkNewDatabase(database, { create, secretKey }));
  noteDone(context, `Created ${withoutPassword(database)}.`);
}

function wordsOf({ email, first_name, last_name, rootUnit, password }: Answers, { flags, globals }: Context): string[] {
  return [
    ...(globals.db === undefined ? [] : ["--db", globals.db]),
    ...["--admin-email", email, "--admin-name", `${first_name} ${last_name}`, "--root-unit", rootUnit],
    ...(password === undefined ? [] : ["--password-stdin"]),
    ...(flags.demo ? ["--demo"] : []),
    ...(flags.profile === false ? ["--no-profile"] : []),
  ];
}

/** Returns the answers of the flags, else of prompts: `isAsked` is true then. */
async function ask(context: Context) {
  const { terminal, flags } = context;
  const given = {
    email: flags.adminEmail as string | undefined,
    name: flags.adminName as string | undefined,
    unit: flags.rootUnit as string | undefined,
  };
  const { askPassword, issueWith } = await import("./check-administrator.ts");
  const missing = [given.email === undefined && "--admin-email", given.name === undefined && "--admin-name"].filter(
    Boolean,
  );
  const wrong = !terminal.interactive && missing.length > 0 ? [`missing ${missing.join(", ")}`] : [];
  const flagOf = { email: "--admin-email", name: "--admin-name", unit: "--root-unit" };
  for (const field of ["email", "name", "unit"] as const) {
    const issue = issueWith(field, given[field]);
    if (issue) wrong.push(`${flagOf[field]} ${issue}`);
  }
  if (wrong.length > 0) throw new UsageError(wrong.join("; "));
  const question = async (text: string, field: "email" | "name" | "unit", defaultAnswer?: string) =>
    (await terminal.ask()).text(text, (answer) => issueWith(field, answer) ?? true, defaultAnswer);
  const email = given.email ?? (await question("E-mail of the administrator:", "email"));
  const name = given.name ?? (await question("Name of the administrator:", "name"));
  const isAsked = terminal.interactive && missing.length > 0;
  const rootUnit =
    given.unit ?? (isAsked ? await question("Name of the root unit:", "unit", "Organisation") : "Organisation");
  const [first_name = "", ...rest] = name.trim().split(/\s+/);
  const person = { email, first_name, last_name: rest.join(" ") };
  const password =
    (await ownPassword(context)) ?? (terminal.interactive ? await askPassword(terminal, person) : undefined);
  return { ...person, rootUnit: rootUnit.trim(), password, isAsked };
}

/** Checks the password, and returns the function that fills a new database and one that returns the administrator's ID. */
async function plan({ email, first_name, last_name, rootUnit, password }: Answers) {
  const [{ bootstrap }, { checkNewPassword, hashPassword }, { defaults }] = await Promise.all([
    import("../../../core/bootstrap.ts"),
    import("../../../core/directory/passwords.ts"),
    import("../../../contract/settings.ts"),
  ]);
  const person = { email, first_name, last_name };
  if (password !== undefined) await checkNewPassword(password, person, defaults);
  const administrator = { ...person, ...(password !== undefined && { passwordHash: await hashPassword(password) }) };
  let id = 0;
  const create: OpenOptions["create"] = async (tx, secrets) => {
    id = await bootstrap(tx, { administrator, rootUnit, now: Math.floor(Date.now() / 1000), secrets });
  };
  return { create, createdId: () => id };
}

async function fill(database: string, userId: number, env: NodeJS.ProcessEnv): Promise<void> {
  const [{ createService }, { fillOrganisation }] = await Promise.all([
    import("../../../core/service.ts"),
    import("./demo-organisation.ts"),
  ]);
  const caller = createService({ database: await openWithKey(database, env) }).caller({ userId });
  await fillOrganisation(caller).finally(() => caller.close());
}

/** Throws `conflict` when the user names a profile that has another target. */
function requireFreeProfile(name: string | undefined, target: string, env: NodeJS.ProcessEnv): void {
  const known = name === undefined ? undefined : profileNamed(readConfig(env), name);
  if (known !== undefined && known.target !== target)
    throw new ServiceError("conflict", `There is a profile ${name} already. Choose another name with --profile.`);
}

/** Saves a profile with the target and the user; it has no token, because the owner of the database needs none. */
async function keepProfile({ terminal: { env }, globals }: Context, target: string, user: string): Promise<string> {
  const config = readConfig(env);
  const isFree = (name: string) => [undefined, target].includes(profileNamed(config, name)?.target);
  let name = globals.profile ?? "local";
  for (let number = 2; globals.profile === undefined && !isFree(name); number++) name = `local-${number}`;
  await changeConfig(env, (config) => ({ ...withProfile(config, name, { target, user }), current: name }));
  return name;
}
