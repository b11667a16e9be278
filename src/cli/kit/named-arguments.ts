import type { Caller } from "../../contract/operation.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { isNamed, namedKindOf, textsIn } from "./field-flags.ts";
import { givenIn, type Input, type InputSpec, type ParsedLine, put, wordOf } from "./read-input.ts";

/** Replaces names, references, e-mail addresses and `me` in an input by IDs. */
export async function resolveNames(
  { places }: InputSpec,
  line: ParsedLine,
  input: Input,
  connect: () => Promise<Caller>,
  terminal: Terminal,
): Promise<void> {
  const named = places.flatMap((place) => {
    const { field, path } = place;
    const kind = namedKindOf(field);
    const given = givenIn(place, line);
    if (kind === undefined || !isNamed(field, given)) return [];
    return [{ label: wordOf(place, line), kind, texts: textsIn(given), path, isList: field.kind === "array" }];
  });
  if (named.length === 0) return;
  const { findByName } = await import("./find-by-name.ts");
  const found = await findByName(named, await connect(), terminal);
  for (const [at, { path, isList }] of named.entries()) {
    const ids = found[at] ?? [];
    put(input, path, isList || ids.length > 1 ? ids : ids[0]);
  }
}
