import { listFirst } from "../../contract/count-text.ts";
import { invalid, ServiceError } from "../../contract/errors.ts";
import { type Reference, referenceNouns } from "../../contract/field-metadata.ts";
import { pathFields } from "../../contract/field-spec.ts";
import { once } from "../../contract/once.ts";
import type { AnyOperation, Caller, CallOptions } from "../../contract/operation.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { createOutput, formatOf, type Output } from "../output/create-output.ts";
import { type Page, valueAt } from "../output/item.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Context, OperationCommand, Request, WizardRun } from "./command-spec.ts";
import { givesNames, kebab, mutates, namedKindOf, takesPart, textsIn } from "./field-flags.ts";
import { buildOperation, createInputSpec } from "./input-spec.ts";
import type { LineIssues } from "./line-issues.ts";
import { missingFields } from "./missing-fields.ts";
import { dryRunNote } from "./note-done.ts";
import { splitList } from "./parse-value.ts";
import { eachInput, givenIn, type Input, type ParsedLine, setAt, withCompletion, wordOf } from "./read-input.ts";
import { type OperationInput, type OperationLine, readLine } from "./read-line.ts";
import { showLine } from "./shown-line.ts";
import { withNames } from "./shown-names.ts";
import { type Extent, extentOf, walk } from "./walk-list.ts";

/** Loaded only for the flag, and when a call fails. */
const idempotency = () => import("./idempotency-key.ts");

export function prepareOperation(
  leaf: OperationCommand,
  path: readonly string[],
  rest: readonly string[],
  terminal: Terminal,
) {
  const spec = createInputSpec(leaf);
  return {
    command: buildOperation(leaf, path, terminal, spec),
    carryOut: (line: ParsedLine, context: Context, issues: LineIssues) =>
      carryOut({ leaf, path, rest, spec, line, context }, issues),
  };
}

async function carryOut(operation: OperationLine, issues: LineIssues): Promise<void> {
  const { leaf, path, rest, spec, context } = operation;
  const { terminal } = context;
  const given = await readLine(operation, issues);
  const connect = once(async () => (await context.connect({ anonymous: leaf.op.access === "public" })).caller);
  if (given.line.isNone && !leaf.alternative) {
    // The command before the pipe may have failed at the same target.
    await connect();
    return terminal.note("Nothing to do: stdin is empty.");
  }
  let request: Request | undefined;
  const asked: string[] = [];
  const names = new Map<string, string>();
  const completed = { ...operation, ...given, connect, asked, names };
  const shown = (one: Input) => withNames(spec.fields, one, names);
  try {
    request = await requestOf(completed);
    const { op, input } = request;
    if (op.method === "PATCH" && !context.flags.edit) refuseNoChange(request, path);
    const caller = await connect();
    const each = eachInput(spec, input);
    if (each.length > 1 && context.flags.idempotencyKey) (await idempotency()).refuseSeveral();
    if (op === leaf.op && leaf.confirm) {
      const { confirm } = await import("./confirmation.ts");
      for (const one of each) await confirm(leaf, { input: one, shown: shown(one) }, caller, context);
    }
    const use = async (edited: Input) => {
      const whole = await withWizard(completed, edited, caller);
      await perform(leaf, { ...request, op, input: whole, isOnly: each.length === 1, shown }, caller, context);
    };
    if (leaf.written === undefined) await forEach(each, use, { spec, terminal, shown });
    else await (await import("./edit-field.ts")).editField(leaf.written, input, caller, context, use);
    if (mutates(op)) showLine(path, rest, asked, terminal);
    if (context.flags.dryRun) terminal.note(dryRunNote);
  } catch (error) {
    const hinted = await withHint(error, completed, request);
    if (spec.fields.length === 0) throw hinted;
    const known = spec.places.map((place) => place.path.join("."));
    const { nameInLine, renameErrorFields } = await import("./rename-error-fields.ts");
    throw renameErrorFields(hinted, nameInLine(spec, given.line, request?.input ?? {}), known);
  }
}

/** Number of IDs that are named as not tried. */
const maxNamed = 10;

/** Uses the inputs one after the other. When one fails, notes the IDs that were not tried. */
async function forEach(
  each: readonly Input[],
  use: (one: Input) => Promise<void>,
  { spec, terminal, shown }: Pick<OperationLine, "spec"> & Pick<Context, "terminal"> & Pick<OneRequest, "shown">,
): Promise<void> {
  for (const [at, one] of each.entries()) {
    await use(one).catch((error) => {
      const left = each.slice(at + 1).map((input) => String(shown(input)[spec.args[0]?.field ?? ""]));
      if (left.length > 0) terminal.note(`Not tried after the error: ${listFirst(left, maxNamed)}.`);
      throw error;
    });
  }
}

/** Returns the request of a line, after names were looked up and missing fields were asked for. */
async function requestOf(operation: OperationInput): Promise<Request> {
  const { leaf, spec, line, input, context } = operation;
  await resolveNames(operation);
  const words = splitList(input[spec.args[0]?.field ?? ""] ?? line.args[0]);
  const alternative = leaf.alternative?.(words, line.options, line.isList);
  if (alternative) return alternative;
  const missing = missingFields(spec, input, context.terminal.env);
  if (missing.length > 0) await (await import("./ask-for-fields.ts")).askForFields(missing, operation);
  if (leaf.found && input[leaf.found.field] === undefined)
    input[leaf.found.field] = await leaf.found.by(wizardRun(operation, input, await operation.connect()));
  if (spec.fields.some(takesPart)) await (await import("./find-parts.ts")).placeParts(operation);
  return { op: leaf.op, input: await withCompletion(leaf, line, input) };
}

/** Replaces names, references, e-mail addresses and `me` in an input by IDs. */
async function resolveNames({ spec, line, input, context, connect, names }: OperationInput): Promise<void> {
  const named = spec.places.flatMap((place) => {
    const { field, path } = place;
    const kind = namedKindOf(field);
    const given = givenIn(place, line);
    if (kind === undefined || !givesNames(field, given)) return [];
    return [{ label: wordOf(place), kind, texts: textsIn(given, field), path, isList: field.kind === "array" }];
  });
  if (named.length === 0) return;
  const { findByName } = await import("./find-by-name.ts");
  const found = await findByName(named, { caller: await connect(), terminal: context.terminal }, names);
  for (const [at, { path, isList }] of named.entries()) {
    const ids = found[at] ?? [];
    setAt(input, path, isList || ids.length > 1 ? ids : ids[0]);
  }
}

/** Asks the questions of the command's wizard when a value was missing. */
async function withWizard(operation: OperationInput, input: Input, caller: Caller): Promise<Input> {
  const { leaf, context, asked } = operation;
  const { wizard, written } = leaf;
  const { terminal, flags } = context;
  if (wizard === undefined || !terminal.interactive || flags.data !== undefined) return input;
  const isWritten = written?.optional !== true && written !== undefined && flags[written.field] === undefined;
  if (isWritten && !flags.edit) asked.push(`--${kebab(written.field)}`, `@${written.file}`);
  if (asked.length === 0 && !wizard.missing?.(input).length) return input;
  return wizard.ask(wizardRun(operation, input, caller));
}

const wizardRun = ({ context, asked }: OperationInput, input: Input, caller: Caller): WizardRun => {
  const { terminal, globals } = context;
  return { input, caller, terminal, zone: globals.tz, record: (...words) => asked.push(...words) };
};

/** Throws a `UsageError` when the input of a change has no field besides those of the path. */
function refuseNoChange({ op, input }: Request, path: readonly string[]): void {
  const inPath = pathFields(op).map(({ name }) => name);
  if (Object.keys(input).some((name) => !inPath.includes(name))) return;
  throw new UsageError("nothing to change", { hint: `see wcs ${path.join(" ")} --help for what can be changed` });
}

/** `isOnly` tells whether the command makes this request only; `shown` returns an input for messages. */
type OneRequest = Request & { readonly isOnly: boolean; readonly shown: (input: Input) => Input };

async function perform(command: OperationCommand, request: OneRequest, caller: Caller, context: Context) {
  const { op, input } = request;
  const { terminal, flags } = context;
  const { items = op.name.split(".")[0], columns, uncut, draw, showEmpty, rows, renderer } = command;
  const shown = {
    rows: rows && { ...rows, load: () => rows.load(input) },
    renderer: renderer && (() => renderer(caller, input)),
  };
  const output = createOutput<object>({ op, columns, uncut, draw, items, showEmpty, ...shown }, context);
  const show = async (whole: Input) => {
    const key = flags.idempotencyKey === undefined ? {} : (await idempotency()).idempotencyOf(context, op);
    const options = { dryRun: flags.dryRun === true, ...key, ...(await uploadOptions(op, whole, terminal)) };
    const response: unknown = await caller.call(op, whole, options).catch(async (error) => {
      if (!request.isOnly) throw error;
      (await idempotency()).failWithKey(error, context);
    });
    const item = (op.item ? valueAt(response, op.item) : response) as Input | null | undefined;
    if (item) await output.one(item, response);
    else {
      terminal.note(
        `${flags.dryRun ? "Without --dry-run: " : ""}${command.done?.(request.shown(whole), context.globals.tz) ?? "Done."}`,
      );
      if (context.globals.raw && response) await output.one({}, response);
    }
    return response;
  };
  const isPicture = draw !== undefined && formatOf(context) === "table";
  const list = (whole: Input) => showList({ ...request, input: whole }, caller, output, extentOf(context, isPicture));
  const finish = op.list ? list : show;
  if (!command.perform) return void (await finish(input));
  await command.perform({ input, context, caller, finish, show: (item) => output.one(item) });
}

async function showList(
  { op, input, ids }: Request,
  caller: Caller,
  output: Output<object>,
  extent: Extent,
): Promise<void> {
  if (ids?.length === 0) return output.list([]);
  // A limit that is a field of the operation is in the input.
  const isField = !op.list?.paging && input.limit !== undefined;
  const pages = walk(caller, op, input, isField ? { ...extent, limit: undefined } : extent);
  if (ids === undefined) return output.list(pages);
  const found = new Set<unknown>();
  await output.list(noteIds(pages, found));
  requireAll(ids, found, op);
}

async function* noteIds(pages: AsyncIterable<Page<object>>, found: Set<unknown>): AsyncGenerator<Page<object>> {
  for await (const page of pages) {
    for (const item of page.items) found.add(valueAt(item, "id"));
    yield page;
  }
}

function requireAll(ids: readonly number[], found: ReadonlySet<unknown>, { name }: AnyOperation): void {
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return;
  const noun = referenceNouns[name.split(".")[0] as Reference];
  const which = missing.length === 1 ? `is no ${noun}` : `are no ${noun}s`;
  throw new ServiceError("not_found", `There ${which} ${missing.join(", ")}.`);
}

async function uploadOptions(op: AnyOperation, input: Input, terminal: Terminal): Promise<CallOptions> {
  if (op.bodyLimit === undefined) return {};
  const { filesField } = await import("../../contract/file-schemas.ts");
  if (input[filesField(op) ?? ""] === undefined) return {};
  const { uploadProgress } = await import("../file-io/show-progress.ts");
  return { onSent: uploadProgress(terminal) };
}

async function withHint(error: unknown, operation: OperationInput, request: Request | undefined): Promise<unknown> {
  const { op, onConflict } = operation.leaf;
  if (!(error instanceof ServiceError) || error.hint) return error;
  if (error.code === "payload_too_large" && request) {
    // The service did not read the body, so it could not name the fields that are too long.
    const { tryParseInput } = await import("../../contract/parse-input.ts");
    const parsed = tryParseInput(request.op, request.input);
    if (!parsed.ok) return invalid(parsed.fields, parsed.issues);
  }
  if (error.code === "not_found" || error.fields)
    return (await import("./hint-at-ids.ts")).hintAtIds(error, operation, request?.ids);
  if (error.code !== "conflict" || request?.op !== op) return error;
  const hint = onConflict?.(request.input);
  return hint === undefined ? error : new ServiceError("conflict", error.message, { hint, cause: error });
}
