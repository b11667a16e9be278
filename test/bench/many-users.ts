import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

export const columns = [
  "reference",
  "first_name",
  "last_name",
  "email",
  "unit",
  "user_types",
  "title",
  "phone",
  "birthday",
  "language",
  "timezone",
] as const;

const unitCount = 500;
const pick = (from: readonly string[], at: number) => from[at % from.length]!;
const first = ["Wava", "Pío", "Başçı", "Phục Lễ", "Jørgen", "Анна", "美咲", "Zoë", "Ada", "Grace", "Linus", "Märta"];
const last = ["Bins", "Colunga Abrego", "Abacı", "Bùi", "Åkesson", "Петрова", "佐藤", "O'Neill", "Lovelace", "Hopper"];
const titles = ["Product Interactions Manager", "Técnico de División", "Engineer", '"Chief, Operations"', "Porter"];

/** A process that ran, how long it took and the most memory that it had. */
export interface Ran {
  readonly seconds: number;
  /** Seconds of CPU time. */
  readonly cpu: number;
  /** MiB, at most at once. */
  readonly rss: number;
}

/** A folder with generated users, and a database to put them in. */
export interface Bench {
  path(name: string): string;
  /** Makes a new database and imports the users into it. */
  fill(): Ran;
  wcs(...args: string[]): Ran;
  remove(): void;
}

export function newBench(count: number): Bench {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-"));
  const path = (name: string) => join(folder, name);
  const env = { ...process.env, WCS_CONFIG_DIR: path("config"), WCS_DB: path("wcs.db") };
  writeFileSync(path("units.csv"), unitRows());
  writeUsers(path("users.csv"), count);
  // A copy, because a build during the run would take away what is loaded later.
  for (const part of ["bin", "dist"]) cpSync(join(root, part), path(part), { recursive: true });
  const wcs = (...args: string[]) => run([path("bin/wcs.js"), ...args], env);
  return {
    path,
    wcs,
    fill() {
      for (const end of ["", "-wal", "-shm"]) rmSync(path("wcs.db") + end, { force: true });
      wcs("init", "--admin-email", "ada@example.com", "--admin-name", "Ada Admin", "--no-profile");
      wcs("units", "import", path("units.csv"));
      return wcs("users", "import", path("users.csv"), "--create-user-types");
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs node; what it prints goes nowhere. */
export function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Ran {
  const hook = `import fs from "node:fs"; process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    const peak = /VmHWM:\\s+(\\d+)/.exec(fs.readFileSync("/proc/self/status", "latin1"))[1];
    fs.writeSync(3, JSON.stringify({ cpu: (user + system) / 1e6, rss: peak / 1024 }));
  });`;
  const nowhere = openSync("/dev/null", "w");
  const begin = performance.now();
  const { status, output, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, ...args],
    { env, stdio: ["ignore", nowhere, "pipe", "pipe"], encoding: "utf8" },
  );
  const seconds = (performance.now() - begin) / 1000;
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return { seconds, ...(JSON.parse(output[3] ?? "") as { cpu: number; rss: number }) };
}

function unitRows(): string {
  return `reference,name\n${Array.from({ length: unitCount }, (_, at) => `U${at},Unit ${at}\n`).join("")}`;
}

function writeUsers(file: string, count: number): void {
  const target = openSync(file, "w");
  writeSync(target, `${columns.join(",")}\n`);
  for (let at = 1; at <= count; at += 1000) {
    writeSync(target, Array.from({ length: Math.min(1000, count - at + 1) }, (_, more) => userRow(at + more)).join(""));
  }
}

function userRow(at: number): string {
  // Numbers that look as if they were drawn, and are the same each time.
  const drawn = (Math.imul(at, 2_654_435_761) >>> 0).toString(36);
  const two = (value: number) => String(value).padStart(2, "0");
  const cells = [
    `emp-${String(at).padStart(6, "0")}`,
    pick(first, at),
    pick(last, at * 7),
    `user${at}.${drawn}@example.com`,
    `U${at % unitCount}`,
    at % 20 === 0 ? "Employee;Manager" : "Employee",
    pick(titles, at),
    at % 3 === 0 ? "" : `+45 ${at}`,
    `19${60 + (at % 40)}-${two(1 + (at % 12))}-${two(1 + (at % 28))}`,
    pick(["en", "es", "tr", "da"], at),
    pick(["Europe/Copenhagen", "Asia/Tokyo", "Pacific/Auckland"], at),
  ];
  return `${cells.join(",")}\n`;
}
