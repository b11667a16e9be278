import { appendFileSync, chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { quoteForShell } from "../../../contract/shell-quote.ts";
import { makeFolders } from "../../../store/make-folders.ts";
import { type Shell, script, shells } from "../../completion/completion-script.ts";
import { quoteForPowerShell } from "../../completion/powershell-script.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { dryRunNote } from "../../kit/note-done.ts";
import { parseChoice } from "../../kit/parse-value.ts";
import { homeFolder } from "../../session/config.ts";

/** A start-up file, and the lines that it needs. */
interface StartUp {
  readonly path: string;
  readonly lines: readonly string[];
}

interface Place {
  readonly script: string;
  readonly startUp?: StartUp;
  readonly load: string;
}

/** Shells run these files, so nobody else may change them, whatever the umask. */
const fileMode = 0o644;

export async function installCompletion(context: Context): Promise<void> {
  const { args, terminal, program } = context;
  const isDry = context.flags.dryRun === true;
  const shell = shellOf(args.shell, terminal.env);
  const { script: path, startUp, load } = placeOf(shell, terminal.env);
  const text = await script(shell, program.registry);
  const outcome =
    read(path) === text ? "Unchanged:" : write(path, () => writeFileSync(path, text, { mode: fileMode }), isDry);
  terminal.note(`${outcome} ${path}`);
  if (startUp) terminal.note(`${addLines(startUp, isDry)} ${startUp.path}`);
  if (isDry) return terminal.note(dryRunNote);
  for (const each of [path, dirname(path), ...(startUp ? [startUp.path] : [])]) protect(each);
  terminal.note(`Start a new shell, or run: ${load}`);
}

function shellOf(given: unknown, { SHELL, PSModulePath }: NodeJS.ProcessEnv): Shell {
  const name = given ?? basename(SHELL ?? (PSModulePath === undefined ? "" : "powershell"));
  if (given === undefined && !shells.some((shell) => shell === name)) {
    throw new UsageError("the shell is unknown", { hint: `name it: wcs completion install ${shells.join("|")}` });
  }
  return parseChoice(shells, name, "<shell>");
}

function placeOf(shell: Shell, env: NodeJS.ProcessEnv): Place {
  const home = env.HOME || homeFolder("set HOME");
  const config = env.XDG_CONFIG_HOME || join(home, ".config");
  switch (shell) {
    case "bash": {
      const data = join(env.XDG_DATA_HOME || join(home, ".local", "share"), "bash-completion");
      const path = join(env.BASH_COMPLETION_USER_DIR || data, "completions", "wcs");
      return { script: path, load: `source ${quoteForShell(path)}` };
    }
    case "zsh": {
      const folder = join(env.ZDOTDIR || home, ".zfunc");
      const lines = [`fpath+=(${quoteForShell(folder)}) # completion of wcs`, "autoload -Uz compinit && compinit"];
      return {
        script: join(folder, "_wcs"),
        startUp: { path: join(dirname(folder), ".zshrc"), lines },
        load: "exec zsh",
      };
    }
    case "fish": {
      const path = join(config, "fish", "completions", "wcs.fish");
      return { script: path, load: `source ${quoteForShell(path)}` };
    }
    case "powershell": {
      const folder = process.platform === "win32" ? join(home, "Documents", "PowerShell") : join(config, "powershell");
      const path = join(folder, "wcs-completion.ps1");
      const load = `. ${quoteForPowerShell(path)}`;
      const startUp = { path: join(folder, "Microsoft.PowerShell_profile.ps1"), lines: [load] };
      return { script: path, startUp, load };
    }
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw notWritten(path, error);
  }
}

/** Appends the missing lines, which leaves the rest of the file unchanged in any encoding. */
function addLines({ path, lines }: StartUp, isDry: boolean): string {
  const text = read(path);
  const present = text.split(/\r?\n/);
  const added = lines.filter((line) => !present.includes(line)).map((line) => `${line}\n`);
  if (added.length === 0) return "Unchanged:";
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return write(path, () => appendFileSync(path, gap + added.join(""), { mode: fileMode }), isDry);
}

function write(path: string, work: () => void, isDry: boolean): string {
  if (isDry) return "Without --dry-run: Wrote";
  try {
    makeFolders(dirname(path), 0o755);
    work();
  } catch (error) {
    throw notWritten(path, error);
  }
  return "Wrote";
}

/** Keeps others from changing a file or folder that was there before. */
function protect(path: string): void {
  try {
    const { mode } = statSync(path);
    if ((mode & 0o022) !== 0) chmodSync(path, mode & 0o7755);
  } catch (error) {
    throw notWritten(path, error);
  }
}

const notWritten = (path: string, error: unknown) =>
  new UsageError(`cannot write ${path} (${(error as NodeJS.ErrnoException).code})`, {
    hint: "print the script with wcs completion bash, zsh, fish or powershell",
  });
