import type { Field } from "../../contract/field-spec.ts";

/** An input as messages show it: with names after the IDs of things that were given by name. */
export type Shown<I> = {
  readonly [K in keyof I]: I[K] extends number
    ? number | string
    : I[K] extends readonly number[]
      ? readonly (number | string)[]
      : I[K];
};

/** Names of the things that a line named, by kind and ID, as in `posts 4`. */
export type NamesFound = Map<string, string>;

/** Returns an input in which IDs of things that were given by name have their names, as in `4 (Canteen menu)`. */
export function withNames(
  fields: readonly Field[],
  input: Record<string, unknown>,
  names: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const shown = { ...input };
  for (const { name, refersTo, items } of fields) {
    const nameOne = (id: unknown) => {
      const found = names.get(`${refersTo ?? items?.refersTo} ${id}`);
      return found === undefined ? id : `${id} (${found})`;
    };
    const value = input[name];
    if (value !== undefined) shown[name] = Array.isArray(value) ? value.map(nameOne) : nameOne(value);
  }
  return shown;
}
