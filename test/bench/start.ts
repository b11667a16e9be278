import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Figure, median } from "./figure.ts";
import { serving } from "./serving.ts";

const rounds = 25;
/** Makes a process write its processor time in microseconds as the last line of stderr, when everything has been done. */
const meter = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  require("node:fs").writeSync(2, "\\n" + (user + system));
});`;
const root = join(import.meta.dirname, "../..");

/** S1 to S3: the processor time of whole processes, one after the other in turn with the floor. */
export async function start(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-start-"));
  const database = join(folder, "wcs.db");
  // A copy, because a build during the run would take away what is loaded later.
  for (const part of ["bin", "dist"]) cpSync(join(root, part), join(folder, part), { recursive: true });
  const program = join(folder, "bin/wcs.js");
  writeFileSync(join(folder, "bin/meter.cjs"), meter);
  const env = {
    ...process.env,
    HOME: folder,
    XDG_CACHE_HOME: join(folder, "cache"),
    WCS_CONFIG_DIR: join(folder, "config"),
  };
  const wcs = (...args: string[]) => execFileSync(process.execPath, [program, ...args], { env, encoding: "utf8" });
  const server = await (async () => {
    wcs("init", "--db", database, "--admin-email", "ada@example.com", "--admin-name", "Ada Admin");
    return serving(program, database, env);
  })();
  try {
    const token = JSON.parse(wcs("api", "POST", "/renew", "--db", database))[0].jwt;
    const remote = { ...env, WCS_TOKEN: token };
    return [
      figure(program, "S1", "wcs --version", "<= 1.4 x", ["--version"], env),
      figure(program, "S1", "wcs --help", "<= 1.4 x", ["--help"], env),
      figure(
        program,
        "S2",
        "wcs users get 1 --json, local file",
        "<= 2.0 x",
        ["users", "get", "1", "--json", "--db", database],
        env,
      ),
      figure(
        program,
        "S3",
        "wcs users get 1 --json, over HTTP",
        "<= 2.5 x",
        ["users", "get", "1", "--json", "--url", server.url],
        remote,
      ),
    ];
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function figure(
  program: string,
  id: string,
  what: string,
  target: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Figure {
  const metered = ["--require", join(dirname(program), "meter.cjs")];
  const measured: number[] = [];
  const floor: number[] = [];
  for (let round = -3; round < rounds; round += 1) {
    const ours = processorTime([...metered, program, ...args], env);
    const least = processorTime([...metered, "-e", "0"], env);
    if (round >= 0) {
      measured.push(ours);
      floor.push(least);
    }
  }
  return { id, what, measured: median(measured), floor: median(floor), unit: "ms of CPU, floor: node -e 0", target };
}

/** Returns the milliseconds of processor time of a Node process; the time that passes depends on what else the machine does. */
function processorTime(args: string[], env: NodeJS.ProcessEnv): number {
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return Number(String(stderr).split("\n").at(-1)) / 1000;
}
