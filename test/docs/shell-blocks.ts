import { spawn } from "node:child_process";

/** Commands of a Markdown page, with the output that the page shows below them. */
export interface ShellBlock {
  readonly commands: string;
  /** Missing when the page shows none. */
  readonly output?: string;
}

const pair = /^```sh\n(?<commands>[\s\S]*?)^```\n(?:\n```text\n(?<output>[\s\S]*?)^```\n)?/gm;

/** Returns the fenced commands of a Markdown text, each with the `text` block that follows directly. */
export function shellBlocks(markdown: string): ShellBlock[] {
  return [...markdown.matchAll(pair)].map(({ groups = {} }) => ({
    commands: groups.commands ?? "",
    ...(groups.output !== undefined && { output: groups.output }),
  }));
}

const mark = "\x1e";

/**
 * Runs the commands of all blocks in one bash, which ends at the first command that fails, and returns the output of
 * each block and the exit code. What the commands left running is killed.
 */
export async function runBlocks(
  blocks: readonly ShellBlock[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<{ outputs: string[]; code: number | null }> {
  const script = blocks.map(({ commands }) => `printf '${mark}'\n${commands}`).join("\n");
  const child = spawn("bash", ["-e", "-c", `exec 2>&1\n${script}`], { cwd, env, stdio: "pipe", detached: true });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    // Not "close": a process that a failing script left running keeps the pipe open.
    child.on("exit", resolve);
  });
  try {
    process.kill(-child.pid!, "SIGKILL");
  } catch {
    // Nothing was left running.
  }
  await new Promise((resolve) => (child.stdout.readableEnded ? resolve(0) : child.stdout.on("end", resolve)));
  return { outputs: Buffer.concat(chunks).toString().split(mark).slice(1), code };
}

/** Returns a pattern for an output in which `…` stands for any text within a line. */
export function outputPattern(shown: string): RegExp {
  const parts = shown.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^\\n]+")}$`);
}
