import { email, name } from "../../../contract/common-schemas.ts";
import { messageOf } from "../../../contract/issue-messages.ts";
import { defaults } from "../../../contract/settings.ts";
import { readNewPassword } from "../../session/read-password.ts";
import type { Terminal } from "../../terminal/terminal.ts";

const schemas = { email, name, unit: name };

/** Returns the issue with an answer about the administrator or the root unit; undefined if it is valid or missing. */
export function issueWith(field: keyof typeof schemas, answer: string | undefined): string | undefined {
  if (answer === undefined) return undefined;
  if (field === "name" && answer.trim().split(/\s+/).length < 2)
    return 'must be a first and a last name (for example "Ada Lovelace")';
  return schemas[field]().safeParse(answer).error?.issues[0]?.message;
}

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
