import { statSync } from "node:fs";
import { configDir, configFile, readConfig } from "../config.ts";
import { type Checks, failed, ok } from "./finding.ts";

export interface MachineFacts {
  /** As in 24.15.0. */
  readonly node: string;
  readonly folder: Place;
  readonly file: Place;
  /** Why the configuration cannot be read. */
  readonly broken: string | undefined;
}

interface Place {
  readonly path: string;
  /** Who may do what with it; undefined when it is not there, or the system has no such thing. */
  readonly mode: number | undefined;
}

/** The same as `engines` in package.json, which a test holds it to. */
export const oldestNode = "24.15";

/** What this machine is like, as far as it matters. */
export function lookAtMachine(env: NodeJS.ProcessEnv): MachineFacts {
  const place = (path: string): Place => ({ path, mode: modeOf(path) });
  return {
    node: process.versions.node,
    folder: place(configDir(env)),
    file: place(configFile(env)),
    broken: reasonOf(() => readConfig(env)),
  };
}

/** The permission bits of a file or folder. */
export function modeOf(path: string): number | undefined {
  if (process.platform === "win32") return undefined;
  const found = statSync(path, { throwIfNoEntry: false });
  return found && found.mode & 0o777;
}

function reasonOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const isOlder = (version: string, oldest: string) => {
  const [a = 0, b = 0] = version.split(".").map(Number);
  const [c = 0, d = 0] = oldest.split(".").map(Number);
  return a < c || (a === c && b < d);
};

export const machineChecks: Checks<MachineFacts> = {
  node: ({ node }) =>
    isOlder(node, oldestNode)
      ? failed(`This is Node ${node}; install ${oldestNode} or newer.`)
      : ok(`This is Node ${node}.`),
  configuration: ({ broken, file }) =>
    broken === undefined
      ? ok(file.mode === undefined ? `There is none yet at ${file.path}.` : `${file.path} can be read.`)
      : failed(`It cannot be used: ${broken}. Mend it, or move it away and sign in again with wcs auth login.`),
  "configuration folder": ({ folder }) => privacy(folder, 0o700),
  "configuration file": ({ file }) => privacy(file, 0o600),
};

/** What holds tokens or keys is for its owner's eyes only. */
export function privacy({ path, mode }: Place, wanted: number): ReturnType<typeof ok> | undefined {
  if (mode === undefined) return undefined;
  const [is, should] = [mode, wanted].map((bits) => bits.toString(8).padStart(4, "0"));
  return mode & ~wanted & 0o077
    ? failed(`Others may look into ${path} (${is}), which holds secrets. Close it with chmod ${should} '${path}'.`)
    : ok(`Only its owner may use ${path} (${is}).`);
}
