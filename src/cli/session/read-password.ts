import { UsageError } from "../errors/cli-errors.ts";
import { createSources, readSecretFile } from "../file-io/value-sources.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { environmentPassword, isForTarget } from "./environment-login.ts";
import type { Target } from "./target.ts";

interface PasswordFlags {
  readonly terminal: Terminal;
  readonly flags: Readonly<Record<string, unknown>>;
  /** The target that gets the password, if it is not a new database. */
  readonly target?: Target;
}

/** Reads the password from stdin, a file or WCS_PASSWORD. No flag takes it as a value. */
export async function ownPassword({ terminal, flags, target }: PasswordFlags): Promise<string | undefined> {
  if (flags.passwordStdin && flags.passwordFile !== undefined)
    throw new UsageError("--password-stdin and --password-file cannot be used together");
  if (flags.passwordStdin) return createSources(terminal).secret("--password-stdin");
  if (flags.passwordFile !== undefined) return readSecretFile(flags.passwordFile as string, "--password-file");
  if (target !== undefined && !isForTarget(terminal.env, target)) return undefined;
  return environmentPassword(terminal.env);
}

/** Reads the password and the code of a second factor, which is a line of stdin: after the password with --password-stdin. */
export async function ownSignIn(line: PasswordFlags) {
  const { terminal, flags } = line;
  if (!flags.otpStdin) return { password: await ownPassword(line), otp: undefined };
  const lines = (await createSources(terminal).stdin("--otp-stdin")).split(/\r?\n/);
  const password = flags.passwordStdin ? lines.shift() : await ownPassword(line);
  const otp = lines[0]?.trim();
  if (!otp) throw new UsageError("--otp-stdin: stdin has no line with a code");
  return { password, otp };
}

/** Prompts for a new password twice, until `check` returns no issue with it. */
export async function readNewPassword(
  terminal: Terminal,
  question = "Password",
  check: (password: string) => Promise<string | undefined> = async () => undefined,
): Promise<string> {
  const ask = await terminal.ask();
  for (;;) {
    const password = await ask.secret(`${question}:`);
    const issue = await check(password);
    if (issue !== undefined) terminal.note(`The password ${issue}.`);
    else if ((await ask.secret(`${question} again:`)) === password) return password;
    else terminal.note("The passwords do not match.");
  }
}
