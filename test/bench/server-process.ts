import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A process on a core of its own whose CPU time is counted. */
export interface ServerProcess {
  readonly port: number;
  /** Returns the CPU seconds used so far, in user and system mode. */
  cpu(): number;
  /** MiB. */
  rss(): number;
  /** Returns the most memory that the process has had at once, in MiB. */
  peak(): number;
  stop(): Promise<void>;
}

/** Copies the built program, because a build during the run would take away what is loaded later. */
export function copyProgram(folder: string): string {
  for (const part of ["bin", "dist"]) cpSync(join(root, part), join(folder, part), { recursive: true });
  return join(folder, "bin/wcs.js");
}

/** Starts the built `wcs serve` with its default options; its log goes to a file. */
export async function startServer(folder: string, program: string, target: string): Promise<ServerProcess> {
  const env = { ...process.env, HOME: folder, WCS_CONFIG_DIR: join(folder, "config"), WCS_DB: target };
  const log = openSync(join(folder, "serve.log"), "a");
  const child = spawn(process.execPath, [program, "serve", "--port", "0"], { env, stdio: ["ignore", "pipe", log] });
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  return processOn(child, Number(new URL(line.toString().trim()).port));
}

/** Starts the floor; see `floor-server.ts`. */
export async function startFloor(args: readonly string[]): Promise<ServerProcess> {
  const file = join(import.meta.dirname, "floor-server.ts");
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  return processOn(child, Number(line.toString()));
}

const ticksPerSecond = 100;

function processOn(child: ChildProcess, port: number): ServerProcess {
  const pid = child.pid!;
  process.on("exit", () => child.kill("SIGKILL"));
  execFileSync("taskset", ["-a", "-pc", "0", String(pid)], { stdio: "ignore" });
  return {
    port,
    cpu() {
      // The name of the program, in parentheses, may contain spaces.
      const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)!.split(" ");
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    },
    rss: () => memoryOf(pid, "VmRSS"),
    peak: () => memoryOf(pid, "VmHWM"),
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Returns a line of `/proc/PID/status`, in MiB. */
const memoryOf = (pid: number, line: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;
