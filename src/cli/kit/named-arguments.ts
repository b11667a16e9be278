import type { Caller } from "../../contract/operation.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { isNamed, namedKindOf, textsIn } from "./field-flags.ts";
import { givenIn, type Input, type InputSpec, type ParsedLine, put, wordOf } from "./read-input.ts";

/** Returns whether the line names things by anything but their IDs. */
export const hasNames = (spec: InputSpec, line: ParsedLine): boolean => namedIn(spec, line).length > 0;

/** Replaces names, references, e-mail addresses and `me` in an input by IDs. */
export async function resolveNames(
  spec: InputSpec,
  line: ParsedLine,
  input: Input,
  caller: Caller,
  terminal: Terminal,
): Promise<void> {
  const { findByName } = await import("./find-by-name.ts");
  const named = namedIn(spec, line);
  const found = await findByName(named, caller, terminal);
  for (const [at, { path, isList }] of named.entries()) {
    const ids = found[at] ?? [];
    put(input, path, isList || ids.length > 1 ? ids : ids[0]);
  }
}

function namedIn({ places }: InputSpec, line: ParsedLine) {
  return places.flatMap((place) => {
    const { field, path } = place;
    const kind = namedKindOf(field);
    const given = givenIn(place, line);
    if (kind === undefined || !isNamed(field, given)) return [];
    return [{ label: wordOf(place, line), kind, texts: textsIn(given), path, isList: field.kind === "array" }];
  });
}
