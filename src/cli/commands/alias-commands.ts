import { ServiceError } from "../../contract/errors.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { isTaken } from "../kit/command-aliases.ts";
import { type Commands, type Context, dryRunFlag, isGroup } from "../kit/command-spec.ts";
import { noteDone } from "../kit/note-done.ts";
import { expandAlias, findCommand } from "../kit/router.ts";
import { createOutput } from "../output/create-output.ts";
import { type Config, changeConfig, readConfig } from "../session/config.ts";
import { lineOf } from "../terminal/shell-words.ts";

const nameArgument = { name: "name", description: "Name of the alias" };

export const alias: Commands = {
  list: { summary: "List your aliases", prints: true, watchable: true, run: list },
  set: {
    summary: "Create or change an alias",
    description: "Words after the alias are added to its command. An alias never hides a command.",
    args: [
      nameArgument,
      {
        name: "command",
        many: true,
        description: "Command that it stands for, without wcs; flags after --",
        completes: "command",
      },
    ],
    flags: [dryRunFlag],
    examples: ["wcs alias set sales -- users list --unit Sales --below", "wcs alias set me 'users get me'"],
    // Other flags are meant for the command, and would be left out of the alias.
    without: /--(?!no-input|no-color|help)/,
    run: set,
  },
  remove: {
    summary: "Remove an alias",
    args: [{ ...nameArgument, completes: "aliases" }],
    flags: [dryRunFlag],
    run: remove,
  },
};

async function list(context: Context): Promise<void> {
  const aliases = Object.entries(readConfig(context.terminal.env).aliases ?? {});
  const sample = { name: "", command: "" };
  const output = createOutput({ columns: Object.keys(sample), items: "aliases", sample }, context);
  await output.all(aliases.map(([name, words]) => ({ name, command: lineOf(words) })));
}

async function set(context: Context): Promise<void> {
  const { terminal, args, flags, program } = context;
  const name = String(args.name);
  if (!/^[a-z][\w-]*$/i.test(name)) throw new UsageError("the name must begin with a letter and have no spaces");
  if (isTaken(program.registry, name)) throw new UsageError(`'${name}' is a command of wcs; choose another name`);
  const given = args.command as string[];
  const line = given.length === 1 ? splitWords(given[0] ?? "") : given;
  // Whole commands are kept, since an alias stands for one command only.
  const words = await expandAlias(program.registry, line, async () => readConfig(terminal.env).aliases ?? {});
  const { entry } = await findCommand(program.registry, words);
  if (entry === undefined) throw new UsageError("missing <command>");
  if (isGroup(entry))
    throw new UsageError(`'${words.join(" ")}' is a group of commands`, { hint: "add a command of it" });
  const change = (config: Config) => ({ ...config, aliases: { ...config.aliases, [name]: [...words] } });
  await changeConfig(terminal.env, change, flags.dryRun === true);
  noteDone(context, `wcs ${name} now means ${lineOf(words)}.`);
}

const splitWords = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? "");

async function remove(context: Context): Promise<void> {
  const name = String(context.args.name);
  const change = ({ aliases = {}, ...config }: Config) => {
    if (!Object.hasOwn(aliases, name))
      throw new ServiceError("not_found", `There is no alias ${name}.`, { hint: "List aliases with wcs alias list." });
    const { [name]: _, ...others } = aliases;
    return { ...config, aliases: others };
  };
  await changeConfig(context.terminal.env, change, context.flags.dryRun === true);
  noteDone(context, `Removed alias ${name}.`);
}
