import { spawn } from "node:child_process";
import { Interrupted } from "../errors/cli-errors.ts";

/** Exit codes of a shell that cannot start a command: it is not executable, or there is none. */
const notStarted = [126, 127];

/** Shows text in $WCS_PAGER, $PAGER or less. Returns false when that cannot be started. */
export async function showInPager(text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const chosen = env.WCS_PAGER ?? env.PAGER;
  const pager = spawn(chosen ?? "less", {
    shell: true,
    // A default pager that is missing is not reported.
    stdio: ["pipe", "inherit", chosen === undefined ? "ignore" : "inherit"],
    env: { ...env, LESS: env.LESS ?? "FRX", LV: env.LV ?? "-c" },
  });
  return new Promise<boolean>((resolve, reject) => {
    pager.on("error", reject);
    pager.on("close", (code, signal) => {
      if (signal === "SIGINT" || code === 130) reject(new Interrupted());
      else resolve(!notStarted.includes(code ?? 0));
    });
    // The user may quit before the pager has read everything.
    pager.stdin.on("error", () => {});
    pager.stdin.end(text);
  });
}
