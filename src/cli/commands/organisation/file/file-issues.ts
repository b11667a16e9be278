import { type FieldErrors, ServiceError } from "../../../../contract/errors.ts";
import type { Context } from "../../../kit/command-spec.ts";
import { pluralize } from "../../../output/pluralize.ts";

export type Path = readonly (string | number)[];

export type FileIssues = ReturnType<typeof createIssues>;

/** Maximum number of issues that are printed with their lines, because finding the lines takes time. */
export const mostShown = 100;

/** The line of a value in a file, and a scalar as the file writes it. */
export interface FileLocation {
  readonly line: number;
  readonly source?: string;
}

/** Creates a collector of issues, which are reported together. `locate` finds the locations of paths in the file. */
export function createIssues(
  label: string,
  locate: (paths: readonly Path[]) => Promise<readonly FileLocation[]>,
  context: Context,
) {
  const found: { readonly path: Path; readonly what: string; readonly isUnquoted: boolean }[] = [];
  const names = new Set<string>();
  const add = (path: Path, what: string, isUnquoted = false) => {
    names.add(nameOf(path));
    found.push({ path, what, isUnquoted });
  };
  /** Returns the lines about the issues that were found first, in the order of the file. */
  async function shownLines(): Promise<string[]> {
    const shown = found.slice(0, mostShown);
    const locations = await locate(shown.map(({ path }) => path));
    const placed = shown.map(({ path, what, isUnquoted }, at) => {
      const { line, source } = locations[at] ?? { line: 1 };
      // Only the source has the digits and signs that the parsed value may have lost.
      return { line, name: nameOf(path), what: isUnquoted && source ? `${what}: "${source}"` : what };
    });
    placed.sort((a, b) => a.line - b.line);
    const lines = placed.map(({ line, name, what }) => `${label}:${line}: ${name} ${what}`);
    const more = found.length - shown.length;
    return more > 0 ? [...lines, `${label}: and ${more} more; --json lists all`] : lines;
  }
  return {
    add: (path: Path, what: string) => add(path, what),
    /** Adds an issue for a number or truth value where the file must have text. */
    addUnquoted: (path: Path) => add(path, "must be text; put it in quotes", true),
    /** Adds an issue for a missing value, unless the path already has an issue. */
    require(path: Path, why: string): void {
      if (!names.has(nameOf(path))) add(path, `is required, ${why}`);
    },
    /** Returns the locations of values for messages: `org.yaml:12: users[3].unit`. */
    async places(paths: readonly Path[]): Promise<string[]> {
      const locations = await locate(paths);
      return paths.map((path, at) => `${label}:${locations[at]?.line}: ${nameOf(path)}`);
    },
    /** Prints all issues and throws `validation_failed` when there are any. */
    async refuse(): Promise<void> {
      if (found.length === 0) return;
      const { terminal, globals } = context;
      // Without a prototype, because a field may be called __proto__.
      const fields: FieldErrors = Object.create(null);
      for (const { path, what } of found) {
        const name = nameOf(path);
        fields[name] ??= [];
        fields[name].push(what);
      }
      const asJson = globals.json || globals.output === "json" || globals.output === "ndjson";
      if (!asJson) terminal.complain((await shownLines()).map((line) => `${terminal.sanitizeLine(line)}\n`).join(""));
      throw new ServiceError(
        "validation_failed",
        `${pluralize(found.length, "error")} in ${label}; nothing was changed.`,
        { fields, hint: "wcs help organisation describes the file" },
      );
    },
  };
}

function nameOf(path: Path): string {
  const name = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return name.replace(/^\./, "") || "the file";
}
