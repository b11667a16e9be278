import type { Field } from "../../contract/field-spec.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { environmentPassword } from "../session/environment-login.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { kebab } from "./field-flags.ts";
import type { LineIssues } from "./line-issues.ts";
import { type Input, type InputSpec, type ParsedLine, placeFor, wordOf } from "./read-input.ts";

/** Returns the missing required fields. Takes a new password from the environment if it is set there. */
export function missingFields({ fields, needed, found }: InputSpec, input: Input, env: Terminal["env"]): Field[] {
  const also = needed && input[needed.unless] === undefined ? needed.field : undefined;
  const missing = fields.filter(
    ({ name, required }) => (required || name === also) && name !== found?.field && input[name] === undefined,
  );
  return missing.filter((field) => {
    // With a user name, it is the password to sign in with.
    const password = field.newPassword && !env.WCS_USERNAME && environmentPassword(env);
    if (!password) return true;
    input[field.name] = password;
    return false;
  });
}

/** Adds an issue about missing arguments and flags that no other issue is about. */
export function noteMissing(
  missing: readonly { readonly word: string; readonly field: Field | undefined }[],
  issues: LineIssues,
  hintFor?: (words: readonly string[]) => string | undefined,
): void {
  const left = missing.filter(({ word }) => !issues.concerns(word));
  const described = left.map(({ word, field }) => {
    const form = field?.format === "unix-time" ? "like '2026-12-31 14:00'" : field?.values?.join(", ");
    return form ? `${word} (${form})` : word;
  });
  if (left.length === 0) return;
  const words = left.map(({ word }) => word);
  issues.add(new UsageError(`missing ${described.join(", ")}`, { hint: hintFor?.(words) }), words);
}

/** Returns the argument or flag of a field. */
export function wordFor(spec: InputSpec, line: ParsedLine, { name }: Field): string {
  const place = placeFor(spec, line, (path) => path[0] === name);
  return place === undefined ? `--${kebab(name)}` : wordOf(place, line);
}
