import { settings as ops } from "../../contract/settings.ts";
import { type Field, fieldsOf } from "../../contract/shape.ts";
import { UsageError } from "../failure.ts";
import { nearest } from "../nearest.ts";
import { createOutput } from "../output.ts";
import { readScalar } from "../scalars.ts";
import { createSources } from "../sources.ts";
import type { Context, Group } from "../tree.ts";

const key = { name: "key", description: "As wcs settings list shows it" };

export const settings: Group = {
  summary: "Settings of the instance",
  commands: {
    list: { op: ops.list, whole: true },
    get: {
      summary: "The value of one setting",
      args: [key],
      examples: ["wcs settings get base_url"],
      prints: true,
      run: get,
    },
    set: {
      summary: "Change a setting",
      description: ops.set.description!,
      args: [key, { name: "value", optional: true, description: "Lists are divided by commas; - is stdin" }],
      flags: [
        { flags: "--default", description: "Restore the default" },
        { flags: "--value-stdin", description: "Read the value from stdin" },
        { flags: "--value-file <path>", description: "Read the value from a file", completes: "file" },
        { flags: "-n, --dry-run", description: "Check everything, change nothing" },
      ],
      examples: [
        "wcs settings set base_url https://wcs.example.com",
        "wcs settings set mail.smtp_url --value-file smtp-url.txt",
        "wcs settings set tokens.lifetime --default",
      ],
      prints: true,
      run: set,
    },
  },
};

function fieldOf(context: Context): Field {
  const fields = fieldsOf(ops.set);
  const name = context.args.key as string;
  const field = fields.find((candidate) => candidate.name === name);
  if (field) return field;
  const names = fields.map((candidate) => candidate.name);
  const meant = nearest(name, names);
  throw new UsageError(`there is no setting '${name}'`, {
    hint: meant ? `did you mean '${meant}'?` : `there are ${names.join(", ")}`,
  });
}

async function get(context: Context): Promise<void> {
  const { name } = fieldOf(context);
  const { caller } = await context.connect();
  try {
    await show(context, name, (await caller.call(ops.list, {})) as Record<string, unknown>);
  } finally {
    await caller.close();
  }
}

async function set(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const field = fieldOf(context);
  const value = flags.default ? null : await givenValue(field, context);
  const { caller } = await context.connect();
  try {
    const changed = await caller.call(ops.set, { [field.name]: value }, flags.dryRun ? { dryRun: true } : {});
    await show(context, field.name, changed as Record<string, unknown>);
    if (flags.dryRun) terminal.note("Dry run: nothing was changed.");
  } finally {
    await caller.close();
  }
}

/** The bare value for people and shells; the whole thing where JSON or a format of rows is asked for. */
async function show({ globals, terminal }: Context, name: string, all: Record<string, unknown>): Promise<void> {
  const value = all[name] ?? null;
  if (globals.output ?? globals.json ?? globals.query)
    return createOutput({}, globals, terminal).one({ [name]: value });
  const text = [value]
    .flat()
    .map((part) => terminal.plain(String(part ?? "")))
    .join(",");
  await terminal.write(`${text}\n`);
}

async function givenValue(field: Field, { args, flags, terminal }: Context): Promise<unknown> {
  const sources = createSources(terminal);
  const given = args.value as string | undefined;
  if (field.secret && given !== undefined && given !== "-") {
    throw new UsageError(`${field.name} is a secret and must not stand on the command line`, {
      hint: "use --value-stdin or --value-file",
    });
  }
  let text: string | undefined;
  if (flags.valueStdin) text = await sources.stdin("--value-stdin");
  else if (flags.valueFile !== undefined) text = sources.file(flags.valueFile as string, "--value-file");
  else if (given !== undefined) text = await sources.value(given, "<value>");
  else if (terminal.interactive) {
    const ask = await terminal.ask();
    text = field.secret ? await ask.secret(`${field.name}:`) : await ask.text(`${field.name}:`);
  }
  if (text === undefined)
    throw new UsageError(field.secret ? "missing --value-stdin or --value-file" : "missing <value>");
  return read(field, text);
}

function read(field: Field, text: string): unknown {
  if (field.kind === "array")
    return text
      .split(",")
      .filter(Boolean)
      .map((part) => readScalar(field.items!, part.trim(), field.name));
  if (field.kind !== "boolean") return readScalar(field, text, field.name);
  if (["true", "yes", "on", "1"].includes(text)) return true;
  if (["false", "no", "off", "0"].includes(text)) return false;
  throw new UsageError(`${field.name} must be true or false, not '${text}'`);
}
