import { execFileSync } from "node:child_process";
import { isBuildCurrent } from "../../scripts/build-stamp.ts";

/** The command line is tested as it is shipped: as a bundle of the sources at hand. Builds it unless that was done before. */
export default function setup(): void {
  if (isBuildCurrent()) return;
  execFileSync(process.execPath, ["scripts/build.ts"], { stdio: ["ignore", "ignore", "inherit"] });
}
