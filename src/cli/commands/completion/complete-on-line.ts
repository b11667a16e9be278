import type { Caller, CallOptions } from "../../../contract/operation.ts";
import { posts } from "../../../contract/posts.ts";
import { units } from "../../../contract/units.ts";
import { users } from "../../../contract/users.ts";
import type { CommandEnvironment } from "../../kit/command-context.ts";
import { isOperation } from "../../kit/command-spec.ts";
import { parseWithIssues } from "../../kit/commander-command.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { unitIn } from "../../kit/find-parts.ts";
import { buildOperation, createInputSpec } from "../../kit/input-spec.ts";
import { LineIssues } from "../../kit/line-issues.ts";
import { givenIn } from "../../kit/read-input.ts";
import { findCommand } from "../../kit/router.ts";

/** The line so far, and the caller that looks up the names on it. */
export interface LineToComplete {
  readonly words: readonly string[];
  readonly environment: CommandEnvironment;
  readonly caller: Caller;
  readonly options: CallOptions;
}

export async function departmentsOnLine(line: LineToComplete) {
  const { fields = [], given = {} } = await inputOnLine(line);
  const id = await idOnLine("units", unitIn(fields, given), line);
  return id === undefined ? [] : (await line.caller.call(units.get, { id }, line.options)).departments;
}

/** Returns the units of the user that the line names. */
export async function membershipsOnLine(line: LineToComplete) {
  const { given } = await inputOnLine(line);
  const user = await idOnLine("users", given?.user, line);
  if (user === undefined) return [];
  const { data } = await line.caller.call(users.memberships, { user }, line.options);
  return data.map(({ unit }) => unit);
}

/** Returns the choices of the poll of the post that the line names. */
export async function choicesOnLine(line: LineToComplete) {
  const { given } = await inputOnLine(line);
  const post = await idOnLine("posts", given?.id, line);
  if (post === undefined) return [];
  const { poll } = await line.caller.call(posts.get, { id: post }, line.options);
  return (poll?.choices ?? []).map(({ id, title }) => ({ id, name: title }));
}

async function idOnLine(kind: "units" | "users" | "posts", text: unknown, { caller, environment }: LineToComplete) {
  return text === undefined ? undefined : findOneByName(kind, "", text, { caller, terminal: environment.terminal });
}

/** Returns the fields of the operation that a line calls, and their values so far. */
async function inputOnLine({ words, environment: { program, terminal } }: LineToComplete) {
  // Some shells leave out the word that is being typed, and its flag then has no value.
  const whole = words.at(-1)?.startsWith("--") ? words.slice(0, -1) : words;
  const { entry, path, rest } = await findCommand(program.registry, whole);
  if (entry === undefined || !isOperation(entry)) return {};
  const spec = createInputSpec(entry);
  const line = await parseWithIssues(buildOperation(entry, path, terminal, spec), rest, new LineIssues());
  return {
    fields: spec.fields,
    given: Object.fromEntries(spec.places.map((place) => [place.path[0], givenIn(place, line)])),
  };
}
