import { once } from "../../contract/once.ts";

/** Made on first use, because V8 looks up all letters of Unicode to read it. */
const placeholder = once(() => /\{([\p{L}_][\p{L}\p{N}_. -]*)\}/gu);

/** Returns the names in the placeholders of a text: `id` and `unit.name` in `{id}: {unit.name}`. */
export const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(placeholder())].map(([, name = ""]) => name)),
];

export const fillPlaceholders = (text: string, fill: (name: string) => string): string =>
  text.replace(placeholder(), (_, name: string) => fill(name));
