import type { ServiceError } from "../contract/errors.ts";
import type { FileItem } from "../contract/file-forms.ts";
import type { AnyOperation, Caller, CallOptions } from "../contract/operation.ts";
import { askForSecret } from "./asking.ts";
import { contextOf } from "./command.ts";
import { parseLine } from "./commander.ts";
import { confirm, fill } from "./confirm.ts";
import { UsageError } from "./failure.ts";
import { namedAs } from "./field-names.ts";
import { attribute, attributeOf, type Input, type Intake, type Line, labelOf, longOf, readInput } from "./input.ts";
import { buildOperation, intakeOf } from "./intake.ts";
import { namesPeople, withIds } from "./naming.ts";
import { createOutput, formatOf } from "./output.ts";
import { at, type Item, walk } from "./paging.ts";
import { readScalar } from "./scalars.ts";
import { createSources } from "./sources.ts";
import type { Terminal } from "./terminal.ts";
import type { Context, OperationLeaf } from "./tree.ts";
import { withWritten } from "./writing.ts";

/** An operation with its input, ready to be called. */
interface Request {
  readonly op: AnyOperation;
  readonly input: Input;
}

/** Runs a command that carries out one operation. */
export async function runOperation(
  leaf: OperationLeaf,
  path: readonly string[],
  rest: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const intake = intakeOf(leaf);
  const line = parseLine(buildOperation(leaf, path, terminal, intake), rest);
  const context = contextOf(line.options, terminal);
  const read = async (line: Line) => ({
    op: leaf.op,
    input: await withFill(leaf, line, await readInput(intake, line, createSources(terminal), terminal)),
  });
  const other = requestInstead(leaf, line);
  let request = other ?? (namesPeople(leaf, intake, line) ? undefined : await read(line));
  const { caller } = await context.connect({ anonymous: leaf.op.access === "public" });
  try {
    request ??= await read(await withIds(leaf, intake, line, caller));
    const { op, input } = request;
    if (op === leaf.op) await confirm(leaf, input, caller, context);
    await withWritten(leaf, input, caller, context, (whole) => perform(leaf, { op, input: whole }, caller, context));
    if (context.flags.dryRun) terminal.note("Dry run: nothing was changed.");
  } catch (error) {
    throw inFlags(error, intake, line, request?.input);
  } finally {
    await caller.close();
  }
}

const withFill = async ({ fill }: OperationLeaf, { options }: Line, input: Input): Promise<Input> =>
  fill ? fill(input, options) : input;

/** The request for another way to name what is meant: `--reference`, or several IDs. */
function requestInstead({ instead, args = [] }: OperationLeaf, { args: given, options }: Line): Request | undefined {
  const ids = [given[0] ?? []].flat().flatMap((text) => String(text).split(","));
  if (instead?.reference && options.reference !== undefined) {
    if (ids.length > 0) throw new UsageError(`<${labelOf(args[0]!)}> and --reference exclude each other`);
    return { op: instead.reference, input: { reference: options.reference } };
  }
  if (instead?.several && ids.length > 1) {
    return {
      op: instead.several,
      input: { ids: ids.map((id) => readScalar({ kind: "integer" }, id, `<${labelOf(args[0]!)}>`)) },
    };
  }
  return undefined;
}

async function perform(leaf: OperationLeaf, { op, input }: Request, caller: Caller, context: Context): Promise<void> {
  const { terminal, globals, flags } = context;
  const output = createOutput(
    {
      op,
      columns: leaf.columns,
      draw: leaf.draw,
      items: op.name.split(".")[0],
      whole: leaf.whole,
      form: leaf.form,
    },
    globals,
    terminal,
  );
  if (op.list) {
    const all = flags.all === true || (leaf.draw !== undefined && formatOf(globals, terminal) === "table");
    if (globals.raw && all) throw new UsageError("--raw and --all exclude each other");
    return output.list(walk(caller, op, input, { all, limit: op.list.paging ? limitOf(flags.limit) : undefined }));
  }
  const present =
    leaf.unless && flags[attribute(leaf.unless.flag.slice(2))] ? await existing(leaf.unless, input, caller) : undefined;
  if (present) return output.one(present);
  const response: unknown = await onDemand(leaf, input, context, async (whole) =>
    caller.call(op, whole, { ...(flags.dryRun ? { dryRun: true } : {}), ...(await watched(op, whole, terminal)) }),
  );
  const isEmpty = response === undefined || response === null;
  if (isEmpty && !flags.dryRun) terminal.note(fill(leaf.done ?? "Done.", input));
  if (isEmpty) return;
  const item = op.item ? at(response, op.item) : response;
  await output.one(item, response);
  if (leaf.secretLost && (await isWithoutSecrets(op, response))) terminal.note(fill(leaf.secretLost, item as Input));
}

async function isWithoutSecrets(op: AnyOperation, response: unknown): Promise<boolean> {
  const { withoutSecrets } = await import("../contract/secrets.ts");
  return JSON.stringify(withoutSecrets(op.output(), response)) === JSON.stringify(response);
}

/** Files take their time on the way. */
async function watched(op: AnyOperation, input: Input, terminal: Terminal): Promise<CallOptions> {
  if (op.bodyLimit === undefined) return {};
  const { filesField } = await import("../contract/file-forms.ts");
  if (input[filesField(op) ?? ""] === undefined) return {};
  const { uploadProgress } = await import("./files/upload-progress.ts");
  return { onSent: uploadProgress(terminal) };
}

async function existing(
  { list, same }: NonNullable<OperationLeaf["unless"]>,
  input: Input,
  caller: Caller,
): Promise<Item | undefined> {
  for await (const { items } of walk(caller, list, {}, { all: true, limit: undefined })) {
    const found = items.find((item) => same.every((name) => item[name] === input[name]));
    if (found) return found;
  }
  return undefined;
}

function limitOf(given: unknown): number | undefined {
  return given === undefined ? undefined : (readScalar({ kind: "integer" }, String(given), "--limit") as number);
}

/** Asks for the secrets that the service turns out to need. */
async function onDemand<T>(
  leaf: OperationLeaf,
  input: Input,
  { terminal }: Context,
  call: (input: Input) => Promise<T>,
): Promise<T> {
  try {
    return await call(input);
  } catch (error) {
    const wanted =
      leaf.onDemand?.filter((name) => input[name] === undefined && (error as ServiceError).fields?.[name]) ?? [];
    if (wanted.length === 0 || !terminal.interactive) throw error;
    const whole = { ...input };
    for (const name of wanted) whole[name] = await askForSecret({ name }, terminal);
    return call(whole);
  }
}

/** The error with the names of flags and positionals where it names fields of the input. */
function inFlags(error: unknown, { args, flags, more, fields }: Intake, line: Line, input: Input = {}): unknown {
  if (fields.length === 0) return error;
  return namedAs(error, (field) => {
    const [first = "", index = ""] = field.split(".");
    const file = index && (input[first] as Partial<FileItem>[] | undefined)?.[Number(index)]?.name;
    const arg = args.find((candidate) => candidate.field === first);
    if (arg) return `<${labelOf(arg)}>${file ? ` ${file}` : ""}`;
    const other = more.find((flag) => flag.field === first && line.options[attributeOf(flag)] !== undefined);
    if (other) return longOf(other);
    const flag = flags.find(({ path }) => `${field}.`.startsWith(`${path.join(".")}.`));
    if (!flag) return field;
    if (flag.reads === "files") return `--${flag.name}${file ? ` ${file}` : ""}`;
    return flag.reads === "secret" ? `--${flag.name}-stdin` : `--${flag.name}`;
  });
}
