import { ServiceError } from "../../contract/errors.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { isTaken } from "../kit/command-aliases.ts";
import { type Commands, type Context, isGroup } from "../kit/command-spec.ts";
import { findCommand } from "../kit/router.ts";
import { lineOf } from "../kit/shown-line.ts";
import { createOutput } from "../output/create-output.ts";
import { changeConfig, readConfig } from "../session/config.ts";

const name = { name: "name", description: "Name of the alias" };

export const alias: Commands = {
  list: { summary: "List your aliases", prints: true, watchable: true, run: list },
  set: {
    summary: "Create or change an alias",
    description: "Words after the alias are added to its command. An alias never hides a command.",
    args: [
      name,
      {
        name: "command",
        many: true,
        description: "Command that it stands for, without wcs; flags after --",
        completes: "command",
      },
    ],
    examples: ["wcs alias set sales -- users list --unit Sales --below", "wcs alias set me 'users get me'"],
    run: set,
  },
  remove: { summary: "Remove an alias", args: [{ ...name, completes: "aliases" }], run: remove },
};

async function list({ terminal, globals }: Context): Promise<void> {
  const aliases = Object.entries(readConfig(terminal.env).aliases ?? {});
  const items = aliases.map(([name, words]) => ({ name, command: lineOf(words) }));
  await createOutput({ columns: ["name", "command"], items: "aliases" }, { globals, terminal }).all(items);
}

async function set({ terminal, args, program }: Context): Promise<void> {
  const name = String(args.name);
  if (!/^[a-z][\w-]*$/i.test(name)) throw new UsageError("the name must begin with a letter and have no spaces");
  if (isTaken(program.registry, name)) throw new UsageError(`'${name}' is a command of wcs; choose another name`);
  const given = args.command as string[];
  const words = given.length === 1 ? splitWords(given[0] ?? "") : given;
  const { entry } = await findCommand(program.registry, words);
  if (entry === undefined) throw new UsageError("missing <command>");
  if (isGroup(entry))
    throw new UsageError(`'${words.join(" ")}' is a group of commands`, { hint: "add a command of it" });
  await changeConfig(terminal.env, (config) => ({ ...config, aliases: { ...config.aliases, [name]: words } }));
  terminal.note(`wcs ${name} now means ${terminal.sanitizeLine(lineOf(words))}.`);
}

/** Splits a text at spaces outside quotes. */
const splitWords = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? "");

async function remove({ terminal, args }: Context): Promise<void> {
  const name = String(args.name);
  await changeConfig(terminal.env, (config) => {
    const { [name]: removed, ...rest } = config.aliases ?? {};
    if (removed === undefined)
      throw new ServiceError("not_found", `There is no alias ${name}.`, { hint: "List aliases with wcs alias list." });
    return { ...config, aliases: rest };
  });
  terminal.note(`Removed alias ${name}.`);
}
