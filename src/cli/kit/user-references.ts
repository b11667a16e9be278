import type { Caller } from "../../contract/operation.ts";
import type { OperationCommand } from "./command-spec.ts";
import { attribute, type InputSpec, labelOf, type ParsedLine } from "./read-input.ts";

/** An argument or flag that takes users. */
interface Place {
  /** Its name in messages. */
  readonly name: string;
  /** Accepts full names and e-mail addresses as well as `me`. */
  readonly byName: boolean;
  readonly texts: readonly string[];
  put(line: ParsedLine, ids: readonly string[]): ParsedLine;
}

/** Returns whether the line names users by anything but their IDs. */
export const mentionsUsers = (leaf: OperationCommand, spec: InputSpec, line: ParsedLine): boolean =>
  placesOf(leaf, spec, line).some(isNamed);

/** Replaces `me`, names and e-mail addresses by user IDs. */
export async function resolveUsers(
  leaf: OperationCommand,
  spec: InputSpec,
  line: ParsedLine,
  caller: Caller,
): Promise<ParsedLine> {
  let done = line;
  for (const place of placesOf(leaf, spec, line)) {
    if (isNamed(place)) done = place.put(done, await idsFor(place, caller));
  }
  return done;
}

const isId = (text: string) => /^\s*\d+\s*$/.test(text);
const isNamed = ({ byName, texts }: Place) => texts.some((text) => text === "me" || (byName && !isId(text)));

async function idsFor({ name, byName, texts }: Place, caller: Caller): Promise<string[]> {
  const { findUsers } = await import("./find-users.ts");
  if (byName) return (await findUsers(texts, name, caller)).map(String);
  const [me] = await findUsers(["me"], name, caller);
  return texts.map((text) => (text === "me" ? String(me) : text));
}

function placesOf(leaf: OperationCommand, { args, flags }: InputSpec, line: ParsedLine): Place[] {
  const inArgs = args
    .map((arg, at) => ({ arg, at }))
    .filter(({ arg }) => arg.completes === "users")
    .map(({ arg, at }): Place => {
      const given = line.args[at];
      return {
        name: `<${labelOf(arg)}>`,
        byName: leaf.people?.includes(arg.field) === true,
        texts: textsIn(given),
        put: (before, ids) => ({ ...before, args: before.args.with(at, Array.isArray(given) ? ids : ids[0]) }),
      };
    });
  const inFlags = flags
    .filter((flag) => flag.byName)
    .map((flag): Place => {
      const key = attribute(flag.name);
      return {
        name: `--${flag.name}`,
        byName: true,
        texts: textsIn(line.options[key]),
        put: (before, ids) => ({ ...before, options: { ...before.options, [key]: ids } }),
      };
    });
  return [...inArgs, ...inFlags];
}

/** Returns the users that an argument or flag names; comma-separated lists are split. */
function textsIn(given: unknown): string[] {
  if (Array.isArray(given)) return given.flatMap((text: string) => text.split(",")).filter(Boolean);
  return given === undefined ? [] : [String(given)];
}
