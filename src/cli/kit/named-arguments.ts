import type { NamedKind } from "../../contract/field-metadata.ts";
import type { Caller } from "../../contract/operation.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { isNamed, namedKindOf, textsIn } from "./field-flags.ts";
import { attribute, type InputSpec, labelOf, type ParsedLine, wordOf } from "./read-input.ts";

/** An argument or flag with things that can be named. */
interface Place {
  readonly label: string;
  readonly kind: NamedKind;
  readonly texts: readonly string[];
  put(line: ParsedLine, ids: readonly string[]): ParsedLine;
}

/** Returns whether the line names things by anything but their IDs. */
export const hasNames = (spec: InputSpec, line: ParsedLine): boolean => placesOf(spec, line).length > 0;

/** Replaces names, references, e-mail addresses and `me` by IDs. */
export async function resolveNames(
  spec: InputSpec,
  line: ParsedLine,
  caller: Caller,
  terminal: Terminal,
): Promise<ParsedLine> {
  const { findByName } = await import("./find-by-name.ts");
  const places = placesOf(spec, line);
  const found = await findByName(places, caller, terminal);
  return places.reduce((done, place, at) => place.put(done, (found[at] ?? []).map(String)), line);
}

/** Returns the arguments and flags with things that are not given by their IDs. */
function placesOf({ args, flags }: InputSpec, line: ParsedLine): Place[] {
  const inArgs = args.flatMap((arg, at): Place[] => {
    const kind = namedKindOf(arg.described);
    const given = line.args[at];
    if (kind === undefined || !isNamed(arg.described, given)) return [];
    return [
      {
        label: `<${labelOf(arg)}>`,
        kind,
        texts: textsIn(given),
        put: (before, ids) => ({ ...before, args: before.args.with(at, Array.isArray(given) ? ids : ids[0]) }),
      },
    ];
  });
  const inFlags = flags.flatMap((flag): Place[] => {
    const kind = namedKindOf(flag.field);
    const key = attribute(flag.name);
    if (kind === undefined || !isNamed(flag.field, line.options[key])) return [];
    return [
      {
        label: wordOf(flag, line),
        kind,
        texts: textsIn(line.options[key]),
        put: (before, ids) => ({
          ...before,
          options: { ...before.options, [key]: flag.reads === "list" ? ids : ids[0] },
        }),
      },
    ];
  });
  return [...inArgs, ...inFlags];
}
