import type { Caller } from "../contract/operation.ts";
import { attribute, type Intake, type Line, labelOf } from "./input.ts";
import type { OperationLeaf } from "./tree.ts";

/** A place on a line that holds IDs of users. */
interface Place {
  /** How messages call it. */
  readonly name: string;
  /** Full names and e-mail addresses lead to an ID, too; else only `me` does. */
  readonly byName: boolean;
  readonly texts: readonly string[];
  put(line: Line, ids: readonly string[]): Line;
}

/** Whether the service has to be asked who is meant. */
export const namesPeople = (leaf: OperationLeaf, intake: Intake, line: Line): boolean =>
  placesOf(leaf, intake, line).some(isNamed);

/** The line with IDs in place of `me`, names and e-mail addresses, wherever the command takes users. */
export async function withIds(leaf: OperationLeaf, intake: Intake, line: Line, caller: Caller): Promise<Line> {
  let done = line;
  for (const place of placesOf(leaf, intake, line)) {
    if (isNamed(place)) done = place.put(done, await idsFor(place, caller));
  }
  return done;
}

const isId = (text: string) => /^\s*\d+\s*$/.test(text);
const isNamed = ({ byName, texts }: Place) => texts.some((text) => text === "me" || (byName && !isId(text)));

async function idsFor({ name, byName, texts }: Place, caller: Caller): Promise<string[]> {
  const { findPeople } = await import("./people.ts");
  if (byName) return (await findPeople(texts, name, caller)).map(String);
  const [me] = await findPeople(["me"], name, caller);
  return texts.map((text) => (text === "me" ? String(me) : text));
}

function placesOf(leaf: OperationLeaf, { args, flags }: Intake, line: Line): Place[] {
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

/** The users that a place names: one, or lists divided by commas. */
function textsIn(given: unknown): string[] {
  if (Array.isArray(given)) return given.flatMap((text: string) => text.split(",")).filter(Boolean);
  return given === undefined ? [] : [String(given)];
}
