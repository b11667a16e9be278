import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "./failure.ts";

/** What the user wrote in an editor. */
export interface Draft {
  readonly text: string;
  /** Where it is kept until it is discarded, for the user's eyes only. */
  readonly path: string;
  discard(): Promise<void>;
}

/** Opens the user's editor ($VISUAL, $EDITOR) with a text, and waits until it is closed. */
export async function edit(text: string, env: NodeJS.ProcessEnv, name: string): Promise<Draft> {
  const command = env.VISUAL || env.EDITOR || (process.platform === "win32" ? "notepad" : "vi");
  const folder = await mkdtemp(join(tmpdir(), "wcs-text-"));
  const path = join(folder, name);
  const discard = () => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(path, text, { mode: 0o600 });
    await run(command, path, env);
    // Editors end the last line with a break of their own.
    return { text: (await readFile(path, "utf8")).replace(/\s+$/, ""), path, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Stdout may be a pipe: the editor is shown where the user is asked things. */
function run(command: string, path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const quoted = process.platform === "win32" ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
  const editor = spawn(`${command} ${quoted}`, { shell: true, stdio: ["inherit", 2, "inherit"], env });
  return new Promise((resolve, reject) => {
    editor.on("error", reject);
    editor.on("close", (code) => {
      if (code === 0) return resolve();
      const hint = "set VISUAL or EDITOR, or give the text on the line";
      reject(new UsageError(`the editor (${command}) ended with ${code ?? "a signal"}; nothing is sent`, { hint }));
    });
  });
}
