import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const root = join(import.meta.dirname, "../..");

/** A server whose CPU time is counted. */
export interface ServerProcess {
  readonly port: number;
  /** Returns the CPU seconds that it and its workers have used so far, in user and system mode. */
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

interface Serving {
  readonly folder: string;
  /** A copy of `copyProgram`. */
  readonly program: string;
  readonly target: string;
}

/** Starts the built `wcs serve` with its default options on a core of its own; its log goes to a file. */
export async function startServer(folder: string, program: string, target: string): Promise<ServerProcess> {
  const { child, port } = await serve({ folder, program, target }, join(folder, "serve.log"));
  pinToFirstCore(child);
  return processOn(child, port);
}

/** Starts the built `wcs serve` with so many workers, which may use all cores; resolves when all of them answer. */
export async function startWorkers(serving: Serving, workers: number): Promise<ServerProcess> {
  const log = join(mkdtempSync(join(serving.folder, "serve-")), "serve.log");
  const { child, port } = await serve(serving, log, ["--workers", String(workers)]);
  // The URL is printed when the first one is ready. A server without workers does not log that.
  const ready = () => readFileSync(log, "utf8").split("a worker is ready").length - 1;
  while (workers > 1 && ready() < workers) await sleep(50);
  return processOn(child, port);
}

async function serve({ folder, program, target }: Serving, log: string, options: readonly string[] = []) {
  const env = { ...process.env, HOME: folder, WCS_CONFIG_DIR: join(folder, "config"), WCS_DB: target };
  const args = [program, "serve", "--port", "0", ...options];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", openSync(log, "a")] });
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  return { child, port: Number(new URL(line.toString().trim()).port) };
}

/** Starts the floor; see `floor-server.ts`. */
export async function startFloor(args: readonly string[]): Promise<ServerProcess> {
  const file = join(import.meta.dirname, "floor-server.ts");
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  pinToFirstCore(child);
  return processOn(child, Number(line.toString()));
}

const ticksPerSecond = 100;

/** Fields of /proc/PID/stat after the name of the program, which may contain spaces. */
const statOf = (pid: number | string) =>
  readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];

/** Returns the CPU seconds of a process, its present children, and those that have ended: all of a PostgreSQL server by its first process. */
export function cpuWithChildren(pid: number): number {
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

function pinToFirstCore({ pid }: ChildProcess): void {
  execFileSync("taskset", ["-a", "-pc", "0", String(pid)], { stdio: "ignore" });
}

function processOn(child: ChildProcess, port: number): ServerProcess {
  const pid = child.pid!;
  const kill = () => void child.kill("SIGKILL");
  process.on("exit", kill);
  child.on("exit", () => process.off("exit", kill));
  return {
    port,
    cpu: () => cpuWithChildren(pid),
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
