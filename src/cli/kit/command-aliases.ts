import type { Commands, Registry } from "./command-spec.ts";

/** Short names of verbs, with the verbs that they stand for: the first one that exists. */
export const shortVerbs: Readonly<Record<string, readonly string[]>> = {
  ls: ["list"],
  rm: ["delete", "remove"],
  show: ["get"],
};

/** Returns the name that a word stands for: itself, a short name of a verb, or a group in the singular or plural. */
export function nameIn(names: readonly string[], word: string, commands?: Commands): string | undefined {
  const meant = [word, ...(Object.hasOwn(shortVerbs, word) ? (shortVerbs[word] ?? []) : []), `${word}s`];
  // A verb has no plural: posts likes must like nothing.
  const isPlural = (name: string) => word === `${name}s` && (!commands || "commands" in (commands[name] ?? {}));
  return meant.find((name) => names.includes(name)) ?? names.find(isPlural);
}

export const shortcutOf = (word: string): readonly string[] | undefined =>
  word === "whoami" ? ["users", "current"] : undefined;

export function isTaken(registry: Registry, word: string): boolean {
  return (nameIn(Object.keys(registry), word) ?? shortcutOf(word)) !== undefined;
}
