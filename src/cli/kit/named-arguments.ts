import type { NamedKind } from "../../contract/field-metadata.ts";
import type { Caller } from "../../contract/operation.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { namedKindOf } from "./field-flags.ts";
import { attribute, type InputSpec, labelOf, type ParsedLine } from "./read-input.ts";

/** An argument or flag with things that can be named. */
interface Place {
  readonly label: string;
  readonly kind: NamedKind;
  readonly texts: readonly string[];
  put(line: ParsedLine, ids: readonly string[]): ParsedLine;
}

/** Returns whether the line names things by anything but their IDs. */
export const hasNames = (spec: InputSpec, line: ParsedLine): boolean => placesOf(spec, line).some(isNamed);

/** Replaces names, references, e-mail addresses and `me` by IDs. */
export async function resolveNames(
  spec: InputSpec,
  line: ParsedLine,
  caller: Caller,
  terminal: Terminal,
): Promise<ParsedLine> {
  const { findByName } = await import("./find-by-name.ts");
  const places = placesOf(spec, line).filter(isNamed);
  const found = await findByName(places, caller, terminal);
  return places.reduce((done, place, at) => place.put(done, (found[at] ?? []).map(String)), line);
}

const isNamed = ({ texts }: Place) => texts.some((text) => !/^\s*-?\d{1,15}\s*$/.test(text));

function placesOf({ args, flags }: InputSpec, line: ParsedLine): Place[] {
  const inArgs = args.flatMap((arg, at): Place[] => {
    const kind = namedKindOf(arg.described);
    if (kind === undefined) return [];
    const given = line.args[at];
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
    if (kind === undefined || line.options[key] === undefined) return [];
    return [
      {
        label: `--${flag.name}`,
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

/** Returns the things that an argument or flag names; comma-separated lists are split. */
function textsIn(given: unknown): string[] {
  if (Array.isArray(given)) return given.flatMap((text: string) => text.split(",")).filter(Boolean);
  return given === undefined ? [] : [String(given)];
}
