import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Modules of which only the exports in `differing` differ between the two forms of the suites. */
export const forms = ["test/support/effort.ts", "test/support/instance.ts", "test/cli/support.ts"];

/** Matches uses of the pairs of database and caller, of the number of tries, and of commands that run as processes at times. */
const differing =
  /\b(describeEverywhere|describeOnOneDatabase|describePlaces|environments|isFull|tries)\b|\.wcs\b(?!-)|\bwcs\(|\{ (?:\w+, )*wcs\b/;

/** Returns true when a test, or a module in `test` that it imports, has another result in the other form of the suites. */
function differs(file: string, seen: Set<string>): boolean {
  if (seen.has(file) || forms.includes(file) || !existsSync(file)) return false;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  if (differing.test(text)) return true;
  const imported = [...text.matchAll(/["'](\.{1,2}\/[^"']+\.ts)["']/g)].map(([, path]) => join(dirname(file), path!));
  return imported.some((path) => path.startsWith("test/") && differs(path, seen));
}

/** Tests that only the longer form runs: of other programs beside a server, of the whole reference, and of scripts and keys whose commands shorter tests run. */
const onlyInFullForm = [
  "test/cli/ci-examples.test.ts",
  "test/cli/completion-keys.test.ts",
  "test/cli/readme-script.test.ts",
  "test/cli/scripts-in-ci.test.ts",
  "test/cli/sessions-import-terminal.test.ts",
  "test/cli/tables-terminal.test.ts",
  "test/docs/reference.test.ts",
  "test/docs/tutorial.test.ts",
  "test/operations/",
];

const isOnlyInFullForm = (file: string): boolean => onlyInFullForm.some((start) => file.startsWith(start));

/** Returns the files that `npm test` leaves to the longer form. */
export function filesLeftToFullForm(): string[] {
  return globSync("test/**/*.test.ts").filter(isOnlyInFullForm).toSorted();
}

/** Returns the files that the longer form runs. The others would do again what `npm test` did. */
export function filesOfFullForm(): string[] {
  return globSync("test/**/*.test.ts")
    .filter((file) => isOnlyInFullForm(file) || differs(file, new Set()))
    .toSorted();
}
