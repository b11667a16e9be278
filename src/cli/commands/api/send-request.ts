import { allOperations } from "../../../contract/all-operations.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { type Field, fieldsOf } from "../../../contract/field-spec.ts";
import type { Content } from "../../../contract/file-schemas.ts";
import type { AnyOperation } from "../../../contract/operation.ts";
import { failUnsure } from "../../../http/client/connection-errors.ts";
import { readResponse } from "../../../http/client/read-answer.ts";
import { decode } from "../../../http/codec.ts";
import { hasBody } from "../../../http/encode-request.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { createSources, type Sources } from "../../file-io/value-sources.ts";
import type { Context } from "../../kit/command-spec.ts";
import { requireConfirmation } from "../../kit/confirmation.ts";
import { failWithKey, idempotencyOf } from "../../kit/idempotency-key.ts";
import { dryRunNote } from "../../kit/note-done.ts";
import { parseJson, splitList } from "../../kit/parse-value.ts";
import { extentOf, walk } from "../../kit/walk-list.ts";
import { createOutput, jsonUnlessAsked } from "../../output/create-output.ts";
import type { Item } from "../../output/item.ts";

const httpMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export async function request(context: Context): Promise<void> {
  const { args, flags, terminal } = context;
  const method = String(args.method).toUpperCase();
  if (!httpMethods.includes(method))
    throw new UsageError(`<method> must be GET, POST, PUT, PATCH or DELETE, not '${args.method}'`);
  if (flags.watch && method !== "GET") throw new UsageError("--watch repeats only GET");
  const address = String(args.path).replace(/^\/?(api(?=\/))?\/?/, "/");
  const [path = "", query = ""] = address.split(/\?(.*)/s);
  if (method === "DELETE")
    await requireConfirmation(context, async () => `Send DELETE ${path}?`, "DELETE needs a confirmation");
  const sources = createSources(terminal);
  const pairs = await readFields(flags.field as string[] | undefined, sources);
  const operations = await allOperations();
  const matching = operationsOf(operations, path);
  const found = matching.find(({ op }) => op.method === method);
  const inQuery = found ? !hasBody(found.op) : method === "GET" || method === "DELETE";
  const whole = [query, ...(inQuery ? pairs.map(queryPair) : [])].filter(Boolean).join("&");
  const body = inQuery || flags.body === undefined ? undefined : await sources.file(String(flags.body), "--input");
  if (!found) {
    const text = inQuery ? undefined : (body ?? JSON.stringify(Object.fromEntries(pairs)));
    const refused = refusal(matching.map(({ op }) => op.method));
    return sendUnknown(context, method, path, { query: whole, ...(text !== undefined && { body: text }) }, refused);
  }
  const { op, params } = found;
  const key = idempotencyOf(context, op);
  const input = decode(op, { params, query: whole, ...(!inQuery && { body: bodyOf(op, pairs, body) }) });
  // The body as a whole, unless its items are asked for.
  const shown = asksForItems(op, context) ? op : { ...op, list: undefined, item: undefined };
  const output = createOutput<object>({ op: shown }, jsonUnlessAsked(context));
  const { caller } = await context.connect({ anonymous: op.access === "public" });
  if (shown.list) return output.list(walk(caller, op, input, { ...extentOf(context), all: flags.all === true }));
  const answer: unknown = await caller
    .call(op, input, { dryRun: flags.dryRun === true, ...key })
    .catch((error) => failWithKey(error, context));
  if (op.bytes) await (await import("../../file-io/print-content.ts")).printContent(answer as Content, terminal);
  else if (answer === undefined || answer === null) terminal.note(`${op.status}`);
  else await output.one(answer);
  if (flags.dryRun) terminal.note(dryRunNote);
}

/** Returns whether the items of the response are printed, as by the typed commands, instead of its body. */
const asksForItems = (op: AnyOperation, { flags, globals }: Context): boolean =>
  op.list !== undefined &&
  [flags.all, flags.limit, globals.query, globals.output, globals.template].some((option) => option !== undefined);

/** Returns the operations of a path with the fewest parameters, as /users/search before /users/{id}. */
function operationsOf(operations: readonly AnyOperation[], path: string) {
  const matching = operations.flatMap((op) => {
    const match = new RegExp(`^${op.path.replace(/\{[^}]+\}/g, "([^/]+)")}$`).exec(path);
    return match ? [{ op, params: match.slice(1).map(decodeParameter) }] : [];
  });
  const fewest = Math.min(...matching.map(({ params }) => params.length));
  return matching.filter(({ params }) => params.length === fewest);
}

function decodeParameter(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UsageError(`${text} in the path is not percent-encoded UTF-8`, { hint: "write %25 in place of %" });
  }
}

const queryPair = ([key, value]: readonly [string, string]) =>
  `${encodeURIComponent(key)}=${encodeURIComponent(value)}`;

async function readFields(given: readonly string[] | undefined, sources: Sources): Promise<[string, string][]> {
  const pairs: [string, string][] = [];
  for (const text of given ?? []) {
    const [, key, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (key === undefined) throw new UsageError(`--field must be key=value, not '${text}'`);
    pairs.push([key, await sources.value(value, `-f ${key}`)]);
  }
  return pairs;
}

type Body = Record<string, unknown>;

function bodyOf(op: AnyOperation, pairs: readonly [string, string][], text: string | undefined): unknown {
  const body = text === undefined ? undefined : parseJson(text, "--input");
  if (pairs.length === 0) return body;
  if (body !== undefined && (typeof body !== "object" || body === null))
    throw new UsageError("-f needs an object in --input");
  const whole = { ...(body as Body | undefined) };
  for (const [key, value] of pairs) setField(whole, key.split("."), value, fieldsOf(op));
  return whole;
}

function setField(into: Body, path: readonly string[], text: string, known: readonly Field[]): void {
  // Keys of settings contain dots, for example `mail.from`.
  const whole = known.find((candidate) => candidate.name === path.join("."));
  const [name = "", ...rest] = path;
  const field = whole ?? known.find((candidate) => candidate.name === name);
  if (whole || rest.length === 0) into[path.join(".")] = parseTyped(field, text);
  else {
    const inner = { ...(into[name] as Body | undefined) };
    into[name] = inner;
    setField(inner, rest, text, field?.fields ?? []);
  }
}

/** Converts the text to the field's type. Returns text that does not fit unchanged: the service then rejects it. */
function parseTyped(field: Field | undefined, text: string): unknown {
  if (field?.nullable && text === "null") return null;
  switch (field?.kind) {
    case "string":
    case undefined:
      return text;
    case "array":
      return text.startsWith("[")
        ? parseJson(text, field.name)
        : splitList(text).map((part) => parseTyped(field.items, part));
    case "integer":
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    default:
      return parseJson(text, field?.name ?? "-f");
  }
}

/** Returns the error of a server for a path that has these methods, and not the one of the request. */
function refusal(methods: readonly string[]): ServiceError {
  if (methods.length === 0) return new ServiceError("not_found", "This path does not exist.");
  const allow = httpMethods.filter((method) => methods.includes(method));
  const named = allow.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return new ServiceError("method_not_allowed", `This path supports ${named}.`);
}

/** Sends the request as it is, because a newer instance may have operations that this version does not know. */
async function sendUnknown(
  context: Context,
  method: string,
  path: string,
  input: { readonly query: string; readonly body?: string },
  refused: ServiceError,
): Promise<void> {
  const { raw, target } = await context.connect();
  if (!raw) throw refused;
  const { fields, template, query } = context.globals;
  if (fields !== undefined || (template !== undefined && query === undefined)) {
    throw new UsageError("--fields and --template need a path that this version knows", { hint: "use --query" });
  }
  const output = createOutput({ sample: {} }, jsonUnlessAsked(context));
  const isDryRun = context.flags.dryRun === true && method !== "GET";
  const { idempotencyKey } = idempotencyOf(context);
  const headers = {
    ...(isDryRun && { "dry-run": "true" }),
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
  };
  const { status, answer } = await raw(method, path, { ...input, headers })
    .then((message) => ({ status: message.status, answer: readResponse(message, target.address, undefined, isDryRun) }))
    .catch((error) => (method === "GET" || isDryRun ? Promise.reject(error) : failUnsure(error)))
    .catch((error) => failWithKey(error, context));
  if (answer === undefined || answer === null) context.terminal.note(`${status}`);
  else await output.one(answer as Item);
  if (isDryRun) context.terminal.note(dryRunNote);
}
