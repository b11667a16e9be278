import { type FieldErrors, ServiceError } from "../../../../contract/errors.ts";
import type { Context } from "../../../kit/command-spec.ts";

export type Path = readonly (string | number)[];

/** Collects the issues of a file, so that all are reported together. */
export interface FileIssues {
  add(path: Path, what: string): void;
  /** Adds an issue for a missing value, unless the path already has an issue. */
  require(path: Path, why: string): void;
  /** Returns the location of a value for a message: `org.yaml:12: users[3].unit`. */
  place(path: Path): string;
  /** Prints all issues and throws `validation_failed` when there are any. */
  refuse(): void;
}

/** Creates a collector of issues; `lineOf` returns the line of a path in the file. */
export function createIssues(label: string, lineOf: (path: Path) => number, context: Context): FileIssues {
  const found: { readonly path: Path; readonly what: string }[] = [];
  const names = new Set<string>();
  const add = (path: Path, what: string) => {
    names.add(nameOf(path));
    found.push({ path, what });
  };
  return {
    add,
    require(path, why) {
      if (!names.has(nameOf(path))) add(path, `is required, ${why}`);
    },
    place: (path) => `${label}:${lineOf(path)}: ${nameOf(path)}`,
    refuse() {
      if (found.length === 0) return;
      const { terminal, globals } = context;
      const fields: FieldErrors = {};
      const placed = found.map(({ path, what }) => ({ line: lineOf(path), name: nameOf(path), what }));
      placed.sort((a, b) => a.line - b.line);
      for (const { name, what } of placed) {
        fields[name] ??= [];
        fields[name].push(what);
      }
      const asJson = globals.json || globals.output === "json" || globals.output === "ndjson";
      const lines = placed.map(({ line, name, what }) => `${label}:${line}: ${name} ${what}`);
      if (!asJson) terminal.complain(lines.map((line) => `${terminal.sanitizeLine(line)}\n`).join(""));
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
