import { email, name } from "../../../contract/common-schemas.ts";
import { messageOf } from "../../../contract/issue-messages.ts";
import { defaults } from "../../../contract/settings.ts";
import { readNewPassword } from "../../session/read-password.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Returns the issue with the administrator's address or name, or with the root unit's name; undefined if valid. */
export function checkAdministrator(given: {
  email?: string | undefined;
  name?: string | undefined;
  unit?: string | undefined;
}): string | undefined {
  if (given.unit !== undefined) return name().safeParse(given.unit).error?.issues[0]?.message;
  if (given.email !== undefined) return email().safeParse(given.email).error?.issues[0]?.message;
  if (given.name === undefined) return undefined;
  const parts = given.name.trim().split(/\s+/);
  if (parts.length < 2) return 'must be a first and a last name (for example "Ada Lovelace")';
  return name().safeParse(given.name).error?.issues[0]?.message;
}

/** Asks for the administrator's password until it is a good one. */
export async function askPassword(
  terminal: Terminal,
  person: { email: string; first_name: string; last_name: string },
): Promise<string> {
  const { passwordIssue } = await import("../../../core/directory/passwords.ts");
  return readNewPassword(terminal, "Password", async (password) => {
    const issue = await passwordIssue(password, person, defaults);
    return issue && messageOf(issue);
  });
}
