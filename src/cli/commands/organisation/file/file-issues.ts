import { pluralize } from "../../../../contract/count-text.ts";
import { type FieldErrors, ServiceError } from "../../../../contract/errors.ts";
import type { Context } from "../../../kit/command-spec.ts";
import { writeErrorLines } from "../../../terminal/write-error-lines.ts";

export type Path = readonly (string | number)[];

export type FileIssues = ReturnType<typeof createIssues>;

/** Maximum number of issues that are printed with their lines, because finding the lines takes time. */
const maxShown = 100;

/** The line of a value in a file, and a scalar as the file writes it. */
export interface FileLocation {
  readonly line: number;
  readonly source?: string;
}

export interface FileIssue {
  readonly path: Path;
  readonly what: string;
  /** A number or truth value where the file must have text. */
  readonly isUnquoted?: boolean;
}

/** Creates a collector of issues, which are reported together. `locate` finds the locations of paths in the file. */
export function createIssues(
  label: string,
  locate: (paths: readonly Path[]) => Promise<readonly FileLocation[]>,
  { terminal, globals }: Context,
) {
  const found: FileIssue[] = [];
  const names = new Set<string>();
  const add = (path: Path, what: string, isUnquoted = false) => {
    names.add(nameOf(path));
    found.push({ path, what, isUnquoted });
  };
  /** Prints the issues that were found first, in the order of the file. `further` says where all are. */
  async function print(issues: readonly FileIssue[], further = ""): Promise<void> {
    if (issues.length === 0) return;
    const shown = issues.slice(0, maxShown);
    const locations = await locate(shown.map(({ path }) => path));
    const placed = shown.map(({ path, what, isUnquoted }, at) => {
      const { line, source } = locations[at] ?? { line: 1 };
      // Only the source has the digits and signs that the parsed value may have lost.
      return { line, name: nameOf(path), what: isUnquoted && source ? `${what}: "${source}"` : what };
    });
    placed.sort((a, b) => a.line - b.line);
    const lines = placed.map(({ line, name, what }) => `${label}:${line}: ${name} ${what}`);
    const more = issues.length - shown.length;
    if (more > 0) lines.push(`${label}: and ${more} more${further}`);
    writeErrorLines(lines, terminal);
  }
  return {
    print,
    add,
    /** Adds an issue for a missing value, unless the path already has an issue. */
    require(path: Path, why: string): void {
      if (!names.has(nameOf(path))) add(path, `is required, ${why}`);
    },
    /** Prints all issues and throws `validation_failed` when there are any. */
    async refuse(): Promise<void> {
      if (found.length === 0) return;
      // Without a prototype, because a field may be called __proto__.
      const fields: FieldErrors = Object.create(null);
      for (const { path, what } of found) {
        const name = nameOf(path);
        fields[name] ??= [];
        fields[name].push(what);
      }
      const asJson = globals.json || globals.output === "json" || globals.output === "ndjson";
      if (!asJson) await print(found, "; --json lists all");
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
