import type { Registry } from "./command-spec.ts";

/** Short names of verbs, with the verbs that they stand for: the first one that exists. */
export const shortVerbs: Readonly<Record<string, readonly string[]>> = {
  ls: ["list"],
  rm: ["delete", "remove"],
  show: ["get"],
};

const commands: Readonly<Record<string, readonly string[]>> = { whoami: ["users", "current"] };

/** Returns the name that a word stands for: a short name of a verb, or a group in the singular or plural. */
export function aliasIn(names: readonly string[], word: string): string | undefined {
  const meant = [
    ...(Object.hasOwn(shortVerbs, word) ? (shortVerbs[word] ?? []) : []),
    `${word}s`,
    word.replace(/s$/, ""),
  ];
  return meant.find((name) => names.includes(name));
}

export const shortcutOf = (word: string): readonly string[] | undefined =>
  Object.hasOwn(commands, word) ? commands[word] : undefined;

export function isTaken(registry: Registry, word: string): boolean {
  const names = Object.keys(registry);
  return names.includes(word) || aliasIn(names, word) !== undefined || shortcutOf(word) !== undefined;
}
