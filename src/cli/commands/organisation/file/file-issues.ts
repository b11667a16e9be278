import { type FieldErrors, ServiceError } from "../../../../contract/errors.ts";
import type { Context } from "../../../kit/command-spec.ts";

export type Path = readonly (string | number)[];

/** Collects the issues of a file, so that all are reported together. */
export interface FileIssues {
  add(path: Path, what: string): void;
  /** Adds an issue for a missing value, unless the path already has an issue. */
  require(path: Path, why: string): void;
  /** Returns the locations of values for messages: `org.yaml:12: users[3].unit`. */
  places(paths: readonly Path[]): Promise<string[]>;
  /** Prints all issues and throws `validation_failed` when there are any. */
  refuse(): Promise<void>;
}

/** Maximum number of issues that are printed with their lines, because finding the lines takes time. */
export const mostShown = 100;

/** Creates a collector of issues; `linesOf` returns the lines of paths in the file. */
export function createIssues(
  label: string,
  linesOf: (paths: readonly Path[]) => Promise<readonly number[]>,
  context: Context,
): FileIssues {
  const found: { readonly path: Path; readonly what: string }[] = [];
  const names = new Set<string>();
  const add = (path: Path, what: string) => {
    names.add(nameOf(path));
    found.push({ path, what });
  };
  /** Returns the lines about the issues that were found first, in the order of the file. */
  async function shownLines(): Promise<string[]> {
    const shown = found.slice(0, mostShown);
    const lineAt = await linesOf(shown.map(({ path }) => path));
    const placed = shown.map(({ path, what }, at) => ({ line: lineAt[at] ?? 1, name: nameOf(path), what }));
    placed.sort((a, b) => a.line - b.line);
    const lines = placed.map(({ line, name, what }) => `${label}:${line}: ${name} ${what}`);
    const more = found.length - shown.length;
    return more > 0 ? [...lines, `${label}: and ${more} more; --json lists all`] : lines;
  }
  return {
    add,
    require(path, why) {
      if (!names.has(nameOf(path))) add(path, `is required, ${why}`);
    },
    async places(paths) {
      const lines = await linesOf(paths);
      return paths.map((path, at) => `${label}:${lines[at]}: ${nameOf(path)}`);
    },
    async refuse() {
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
      throw new ServiceError("validation_failed", `${sum(found.length)} in ${label}; nothing was changed.`, {
        fields,
        hint: "wcs help organisation describes the file",
      });
    },
  };
}

const sum = (count: number) => (count === 1 ? "1 error" : `${count} errors`);

/** Formats a path: `users[3].unit`. */
function nameOf(path: Path): string {
  const name = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return name.replace(/^\./, "") || "the file";
}
