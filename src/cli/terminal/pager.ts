import { spawn } from "node:child_process";

/** Shows text in $WCS_PAGER, $PAGER or less. Call only when `hasPager` returns true. */
export async function showInPager(text: string, env: NodeJS.ProcessEnv): Promise<void> {
  const command = env.WCS_PAGER ?? env.PAGER ?? "less";
  const pager = spawn(command, {
    shell: true,
    stdio: ["pipe", "inherit", "inherit"],
    env: { ...env, LESS: env.LESS ?? "FRX", LV: env.LV ?? "-c" },
  });
  await new Promise<void>((resolve, reject) => {
    pager.on("error", reject);
    pager.on("close", () => resolve());
    // The user may quit before the pager has read everything.
    pager.stdin.on("error", () => {});
    pager.stdin.end(text);
  });
}

/** Returns false when the pager variable is empty or `cat`, or the terminal cannot page. */
export function hasPager(env: NodeJS.ProcessEnv): boolean {
  return !["", "cat"].includes(env.WCS_PAGER ?? env.PAGER ?? "less") && env.TERM !== "dumb";
}
