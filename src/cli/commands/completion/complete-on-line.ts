import type { Caller, CallOptions } from "../../../contract/operation.ts";
import { posts } from "../../../contract/posts.ts";
import { units } from "../../../contract/units.ts";
import { users } from "../../../contract/users.ts";
import type { CommandEnvironment } from "../../kit/command-context.ts";
import { isGroup, isOperation } from "../../kit/command-spec.ts";
import { parseWithIssues } from "../../kit/commander-command.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { unitIn } from "../../kit/find-department.ts";
import { buildOperation, createInputSpec } from "../../kit/input-spec.ts";
import { LineIssues } from "../../kit/line-issues.ts";
import { givenIn, type Input } from "../../kit/read-input.ts";
import { findCommand } from "../../kit/router.ts";

export async function departmentsOnLine(
  words: readonly string[],
  { program, terminal }: CommandEnvironment,
  caller: Caller,
  options: CallOptions,
) {
  const unit = await unitOnLine(words, { program, terminal });
  if (unit === undefined) return [];
  const id = await findOneByName("units", "", unit, { caller, terminal });
  return (await caller.call(units.get, { id }, options)).departments;
}

/** Returns the units of the user that the line names. */
export async function membershipsOnLine(
  words: readonly string[],
  { program, terminal }: CommandEnvironment,
  caller: Caller,
  options: CallOptions,
) {
  const { given } = (await inputOnLine(words, { program, terminal })) ?? {};
  if (given?.user === undefined) return [];
  const user = await findOneByName("users", "", given.user, { caller, terminal });
  const { data } = await caller.call(users.memberships, { user }, options);
  return data.map(({ unit }) => unit);
}

/** Returns the choices of the poll of the post that the line names. */
export async function choicesOnLine(
  words: readonly string[],
  { program, terminal }: CommandEnvironment,
  caller: Caller,
  options: CallOptions,
) {
  const { given } = (await inputOnLine(words, { program, terminal })) ?? {};
  if (given?.id === undefined) return [];
  const id = await findOneByName("posts", "", given.id, { caller, terminal });
  const { poll } = await caller.call(posts.get, { id }, options);
  return (poll?.choices ?? []).map(({ id, title }) => ({ id, name: title }));
}

async function unitOnLine(words: readonly string[], environment: Needed): Promise<unknown> {
  const found = await inputOnLine(words, environment);
  return found && unitIn(found.fields, found.given);
}

type Needed = Pick<CommandEnvironment, "program" | "terminal">;

/** Returns the fields of the operation that a line calls, and their values so far. */
async function inputOnLine(words: readonly string[], { program, terminal }: Needed) {
  // Some shells leave out the word that is being typed, and its flag then has no value.
  const whole = words.at(-1)?.startsWith("--") ? words.slice(0, -1) : words;
  const { entry, path, rest } = await findCommand(program.registry, whole);
  if (entry === undefined || isGroup(entry) || !isOperation(entry)) return undefined;
  const spec = createInputSpec(entry);
  const line = await parseWithIssues(buildOperation(entry, path, terminal, spec), rest, new LineIssues());
  const given: Input = Object.fromEntries(spec.places.map((place) => [place.path[0], givenIn(place, line)]));
  return { fields: spec.fields, given };
}
