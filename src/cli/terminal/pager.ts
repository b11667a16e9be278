import { spawn } from "node:child_process";

/** Shows text in $WCS_PAGER, $PAGER or less. */
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
