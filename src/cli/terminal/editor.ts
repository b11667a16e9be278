import { isUtf8 } from "node:buffer";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quoteForShell } from "../../contract/shell-quote.ts";
import { UsageError } from "../errors/cli-errors.ts";

export type EditedText = Awaited<ReturnType<typeof edit>>;

/** Opens the user's editor and waits until it exits. A private file keeps the text until `discard` is called. */
export async function edit(text: string, env: NodeJS.ProcessEnv, name: string) {
  const command = env.VISUAL || env.EDITOR || (process.platform === "win32" ? "notepad" : "vi");
  const folder = await mkdtemp(join(tmpdir(), "wcs-text-"));
  const path = join(folder, name);
  const discard = () => rm(folder, { recursive: true, force: true });
  let edited: Buffer;
  try {
    await writeFile(path, text, { mode: 0o600 });
    await run(command, path, env);
    edited = await readFile(path);
  } catch (error) {
    await discard();
    throw error;
  }
  if (!isUtf8(edited)) {
    const hint = "convert it to UTF-8, and pass it as a flag: @FILE";
    throw new UsageError(`your text was kept in ${path}; it is not encoded in UTF-8`, { hint });
  }
  // Editors add a line break at the end.
  return { text: edited.toString().replace(/\s+$/, ""), path, discard };
}

/** Stdout may be a pipe, so the editor uses stderr. */
function run(command: string, path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const quoted = process.platform === "win32" ? `"${path}"` : quoteForShell(path);
  const editor = spawn(`${command} ${quoted}`, { shell: true, stdio: ["inherit", 2, "inherit"], env });
  return new Promise((resolve, reject) => {
    editor.on("error", reject);
    editor.on("close", (code) => {
      if (code === 0) return resolve();
      const hint = "set VISUAL or EDITOR, or pass the text as a flag";
      reject(new UsageError(`the editor (${command}) ended with ${code ?? "a signal"}; nothing was sent`, { hint }));
    });
  });
}
