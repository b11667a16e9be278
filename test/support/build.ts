import { execFileSync } from "node:child_process";

/** The command line is tested as it is shipped: as a bundle of the sources at hand. */
export default function setup(): void {
  execFileSync(process.execPath, ["scripts/build.ts"], { stdio: ["ignore", "ignore", "inherit"] });
}
