import { existsSync } from "node:fs";
import { exposureOf, modeOf, modeText, type Place } from "../../file-io/file-mode.ts";
import { configDir, configFile, hasConfigDir, readConfig } from "../../session/config.ts";
import { type FactChecks, failed, ok, type Verdict } from "./finding.ts";

/** Oldest supported version of Node; a test compares it with `engines` in package.json. */
export const oldestNode = "24.15";

export function readMachineFacts(env: NodeJS.ProcessEnv) {
  const place = (path: string): Place => ({ path, mode: modeOf(path) });
  const hasPlace = hasConfigDir(env);
  return {
    node: process.versions.node,
    folder: hasPlace ? place(configDir(env)) : undefined,
    file: hasPlace ? place(configFile(env)) : undefined,
    broken: reasonOf(() => readConfig(env)),
  };
}

function reasonOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export const machineChecks: FactChecks<ReturnType<typeof readMachineFacts>> = {
  node: ({ node }) =>
    node.localeCompare(oldestNode, "en", { numeric: true }) < 0
      ? failed(`This is Node ${node}. Install Node ${oldestNode} or newer.`)
      : ok(`This is Node ${node}.`),
  configuration({ broken, file }) {
    if (file === undefined) return ok("There is no configuration, because this user has no home folder.");
    if (broken === undefined)
      return ok(existsSync(file.path) ? `${file.path} can be read.` : `There is no configuration yet at ${file.path}.`);
    return failed(
      `The configuration cannot be read: ${broken}. Repair it, or move it away and sign in again with wcs auth login.`,
    );
  },
  "configuration folder": ({ folder }) => folder && checkPrivacy(folder, 0o700),
  "configuration file": ({ file }) => file && checkPrivacy(file, 0o600),
};

/** Checks that only the owner can read a file or folder with tokens or keys. */
export function checkPrivacy(place: Place, wanted: number): Verdict | undefined {
  const { path, mode } = place;
  if (mode === undefined) return undefined;
  const exposure = exposureOf(place, wanted);
  return exposure === undefined ? ok(`Only the owner can read ${path} (${modeText(mode)}).`) : failed(exposure);
}
