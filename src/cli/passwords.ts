import { UsageError } from "./failure.ts";
import { createSources } from "./sources.ts";
import type { Terminal } from "./terminal.ts";
import type { Context } from "./tree.ts";

/** The password that the line or the environment gives; never as the value of a flag. */
export async function ownPassword({ terminal, flags }: Context): Promise<string | undefined> {
  const sources = createSources(terminal);
  if (flags.passwordStdin) return sources.stdin("--password-stdin");
  if (flags.passwordFile !== undefined) return sources.file(flags.passwordFile as string, "--password-file");
  return terminal.env.WCS_PASSWORD || undefined;
}

/** Asks for a new password, twice. */
export async function newPassword(terminal: Terminal): Promise<string> {
  const ask = await terminal.ask();
  const password = await ask.secret("Password:");
  if ((await ask.secret("Password again:")) !== password) throw new UsageError("the two passwords are not the same");
  return password;
}
