import type { Field } from "../../contract/field-spec.ts";
import { environmentPassword } from "../session/environment-login.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { kebab } from "./field-flags.ts";
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

/** Returns the argument or flag of a field. */
export function wordFor(spec: InputSpec, line: ParsedLine, { name }: Field): string {
  const place = placeFor(spec, line, (path) => path[0] === name);
  return place === undefined ? `--${kebab(name)}` : wordOf(place);
}
