import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, openSync, readdirSync, readFileSync } from "node:fs";
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

/** Fields of /proc/PID/stat after the name of the program, which may contain spaces. */
const statOf = (pid: number | string) =>
  readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];

/** Returns the CPU seconds of a PostgreSQL server: its first process, its present children, and those that have ended. */
export function postgresCpu(pid: number): number {
  const ticks = (fields: string[], from: number) => Number(fields[from]) + Number(fields[from + 1]);
  const own = statOf(pid);
  let sum = ticks(own, 11) + ticks(own, 13);
  for (const each of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = statOf(each);
      if (Number(fields[1]) === pid) sum += ticks(fields, 11);
    } catch {
      // The process has ended.
    }
  }
  return sum / ticksPerSecond;
}

function processOn(child: ChildProcess, port: number): ServerProcess {
  const pid = child.pid!;
  const kill = () => void child.kill("SIGKILL");
  process.on("exit", kill);
  child.on("exit", () => process.off("exit", kill));
  execFileSync("taskset", ["-a", "-pc", "0", String(pid)], { stdio: "ignore" });
  return {
    port,
    cpu() {
      const fields = statOf(pid);
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
