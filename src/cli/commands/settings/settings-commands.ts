import { isDeepStrictEqual } from "node:util";
import { type Field, fieldsOf } from "../../../contract/field-spec.ts";
import { settings as ops, settingVariable } from "../../../contract/settings.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { suggestName } from "../../errors/nearest-name.ts";
import { unlessRefused } from "../../errors/unless-refused.ts";
import { createSources } from "../../file-io/value-sources.ts";
import { type Commands, type Context, command, dryRunFlag } from "../../kit/command-spec.ts";
import { dryRunNote } from "../../kit/note-done.ts";
import { parseList, parseValue } from "../../kit/parse-value.ts";
import { createOutput } from "../../output/create-output.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import { explainSetting } from "./explain-setting.ts";

const key = {
  name: "key",
  description: "Name of the setting, as shown by wcs settings list",
  completes: "settings",
} as const;

export const settings: Commands = {
  list: command(ops.list, {
    showEmpty: true,
    renderer: async () => (await import("./render-settings.ts")).settingsPage,
  }),
  get: {
    summary: "Show the value of a setting",
    args: [key],
    examples: ["wcs settings get base_url"],
    prints: true,
    watchable: true,
    run: get,
  },
  set: {
    summary: "Change a setting",
    description: "Changes take effect within a second on every server.",
    // Derived on demand, because its schemas are not needed to run a command.
    get sections() {
      return [
        { title: "Settings:", rows: fieldsOf(ops.set).map((field) => [field.name, explainSetting(field)] as const) },
      ];
    },
    args: [
      key,
      {
        name: "value",
        optional: true,
        description: "New value, - for stdin; separate the items of a list by commas",
        completes: "settingvalues",
      },
    ],
    flags: [
      { flags: "--default", description: "Restore the default" },
      { flags: "--value-stdin", description: "Read the value from stdin" },
      { flags: "--value-file <path>", description: "Read the value from a file" },
      dryRunFlag,
    ],
    examples: [
      "wcs settings set base_url https://wcs.example.com",
      "wcs settings set mail.smtp_url --value-file smtp-url.txt",
      "wcs settings set tokens.lifetime --default",
    ],
    prints: true,
    run: set,
  },
};

/** More settings than these that contain the given name are no suggestion. */
const maxSuggested = 3;

function fieldOf(context: Context): Field {
  const fields = fieldsOf(ops.set);
  const name = context.args.key as string;
  const field = fields.find((candidate) => candidate.name === name);
  if (field) return field;
  const names = fields.map((candidate) => candidate.name);
  const similar = suggestName(name, names);
  const containing = names.filter((each) => each.includes(name.toLowerCase()));
  const meant = similar === undefined ? containing : [similar];
  throw new UsageError(`there is no setting '${name}'`, {
    hint:
      meant.length > 0 && meant.length <= maxSuggested
        ? `did you mean ${meant.map((each) => `'${each}'`).join(" or ")}?`
        : `settings are ${names.join(", ")}`,
  });
}

async function get(context: Context): Promise<void> {
  const { name } = fieldOf(context);
  const show = valuePrinter(context, name);
  const { caller } = await context.connect();
  await show(await caller.call(ops.list, {}));
}

async function set(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const field = fieldOf(context);
  refuseTwoValues(context);
  const show = valuePrinter(context, field.name);
  const value = flags.default ? null : await givenValue(field, context);
  const { caller } = await context.connect();
  const changed = await caller.call(ops.set, { [field.name]: value }, { dryRun: flags.dryRun === true });
  await show(changed);
  if (flags.dryRun) return terminal.note(dryRunNote);
  const name = field.name as keyof typeof changed;
  const effective = await unlessRefused("forbidden", caller.call(ops.list, {}));
  if (effective === undefined || isDeepStrictEqual(effective[name], changed[name])) return;
  terminal.note(
    `The setting was stored, but ${settingVariable(field.name)} in the environment of the service overrides it.`,
  );
}

/** Returns a function that prints the bare value, or an object with the key when an output format is requested. */
function valuePrinter({ globals, terminal }: Context, name: string) {
  const output = createOutput({ sample: { [name]: null } }, { globals, terminal });
  return async (all: Readonly<Record<string, unknown>>): Promise<void> => {
    const value = all[name] ?? null;
    if (globals.output ?? globals.json ?? globals.query ?? globals.template ?? globals.fields)
      return output.one({ [name]: value });
    const parts = [value].flat().map((part) => sanitizeLine(String(part ?? "")));
    await terminal.write(`${parts.join(",")}\n`);
  };
}

function isUrlWithoutPassword(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && !url.username && !url.password;
}

function refuseTwoValues({ args, flags }: Context): void {
  const { default: isDefault, valueStdin, valueFile } = flags;
  const ways = [
    args.value !== undefined && "<value>",
    isDefault && "--default",
    valueStdin && "--value-stdin",
    valueFile !== undefined && "--value-file",
  ].filter(Boolean);
  if (ways.length > 1) throw new UsageError(`${ways.join(" and ")} cannot be used together`);
}

async function givenValue(field: Field, { args, flags, terminal }: Context): Promise<unknown> {
  const sources = createSources(terminal);
  const given = args.value as string | undefined;
  if (field.secret && given !== undefined && given !== "-" && !isUrlWithoutPassword(given)) {
    throw new UsageError(`${field.name} is a secret and must not be given on the command line`, {
      hint: "use --value-stdin or --value-file",
    });
  }
  const ifEmpty = "use --default to restore the default";
  let text: string | undefined;
  if (flags.valueStdin) text = await sources.stdin("--value-stdin", ifEmpty);
  else if (flags.valueFile !== undefined) text = await sources.file(String(flags.valueFile), "--value-file", ifEmpty);
  else if (given !== undefined) text = await sources.value(given, "<value>", ifEmpty);
  else if (terminal.interactive) {
    const ask = await terminal.ask();
    text = field.secret ? await ask.secret(`${field.name}:`) : await ask.text(`${field.name}:`);
  }
  if (text === undefined)
    throw new UsageError(field.secret ? "missing --value-stdin or --value-file" : "missing <value>");
  return read(field, text);
}

function read(field: Field, text: string): unknown {
  if (field.kind === "array") return parseList(field, text, field.name);
  if (field.kind !== "boolean") {
    try {
      return parseValue(field, text, field.name);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError(error.message, { hint: explainSetting(field) });
    }
  }
  if (["true", "yes", "on", "1"].includes(text)) return true;
  if (["false", "no", "off", "0"].includes(text)) return false;
  throw new UsageError(`${field.name} must be true or false, not '${text}'`);
}
