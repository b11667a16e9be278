import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The program with the demo organisation, as a process of its own. */
export interface RunningServer {
  readonly url: string;
  /** API token of the administrator. */
  readonly token: string;
  close(): Promise<void>;
}

/** Starts `wcs serve` on a free port, in an empty home. */
export async function startServer(): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-server-"));
  const env = { PATH: process.env.PATH ?? "", HOME: folder, WCS_DB: join(folder, "wcs.db"), TZ: "UTC" };
  const bin = join(import.meta.dirname, "../../bin/wcs.js");
  const run = (...args: string[]) => execFileSync(process.execPath, [bin, ...args], { env, encoding: "utf8" });
  run("init", "--demo", "--no-profile", "--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace");
  const { token } = JSON.parse(run("tokens", "create", "--name", "test", "--scopes", "write", "--json"));
  const child: ChildProcess = spawn(process.execPath, [bin, "serve", "--port", "0", "--log-level", "silent"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Piped above.
  const [address] = (await once(child.stdout!, "data")) as [Buffer];
  return {
    url: String(address).trim(),
    token,
    async close() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
