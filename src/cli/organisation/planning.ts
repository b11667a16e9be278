import type { Caller } from "../../contract/operation.ts";
import { nearest } from "../nearest.ts";
import { type Change, differences, kinds, overlay, type Task } from "./change.ts";
import { type Entry, labelOf, type Organisation, type Section } from "./form.ts";
import type { Held } from "./held.ts";
import type { Mistakes, Path } from "./mistakes.ts";

/** What it takes to compare a file with an instance. */
export interface Planning {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly organisation: Organisation;
  readonly mistakes: Mistakes;
  readonly held: Held;
  /** Whether what is not in the file has to go. */
  readonly prune: boolean;
  /** Says how many users were looked at. */
  readonly watch: (users: number) => void;
}

/** Says of a second entry that is called the same that it is one. */
export function onlyOnce(section: Section, mistakes: Mistakes): (key: string, at: number, field: string) => boolean {
  const places = new Map<string, number>();
  return (key, at, field) => {
    const first = places.get(key);
    if (first === undefined) places.set(key, at);
    else mistakes.add([section, at, field], `is that of ${section}[${first}], too; each stands there once`);
    return first === undefined;
  };
}

/** What an entry changes about something; nothing, when all is as it says. */
export function compareEntry<S extends Section>(
  section: S,
  entry: Entry<S>,
  there: { readonly id: number; readonly entry: Entry<S> } | undefined,
  path: Path,
): Task<S> | undefined {
  const after = overlay(there?.entry, entry);
  const changes = differences(there?.entry as Record<string, unknown> | undefined, there ? after : entry);
  if (there && changes.length === 0) return undefined;
  const moves = section === "units" && changes.some(({ field }) => field === "parent");
  const change: Change = {
    action: there === undefined ? "create" : moves ? "move" : "update",
    kind: kinds[section],
    name: labelOf(section, after as Record<string, string>),
    changes,
  };
  return { change, id: there?.id, before: there?.entry, after, path };
}

/** The task to remove what the file does not have. */
export function removal<S extends Section>(section: S, id: number, entry: Entry<S>): Task<S> {
  const action = section === "users" ? "deactivate" : "delete";
  const name = labelOf(section, entry as Record<string, string>);
  return { change: { action, kind: kinds[section], name, changes: [] }, id, before: entry, after: entry, path: [] };
}

/** Says that nothing is called so, and what may have been meant. */
export function namesNo(what: string, name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return `names no ${what}: ${name}${meant ? ` (did you mean ${meant}?)` : ""}`;
}
