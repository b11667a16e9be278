import { spawn } from "node:child_process";
import { once } from "node:events";

/** `wcs serve` as a process of its own, ready to answer. */
export async function serving(program: string, database: string, env: NodeJS.ProcessEnv) {
  const server = spawn(process.execPath, [program, "serve", "--db", database, "--port", "0"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  return { url: line.toString().trim(), stop: () => void server.kill() };
}
