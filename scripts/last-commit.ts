import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const git = (...args: readonly string[]) =>
  execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** Returns the checked-out commit and its day; outside a clone "unknown" and the day of SOURCE_DATE_EPOCH, or today. */
export function lastCommit(): { readonly hash: string; readonly day: string } {
  try {
    // A copy of the sources within another repository has a prefix there.
    if (git("rev-parse", "--show-prefix") === "") {
      const [hash = "", day = ""] = git("log", "-1", "--format=%H %cs").split(" ");
      return { hash, day };
    }
  } catch {
    // There is no git, or no repository.
  }
  const seconds = process.env.SOURCE_DATE_EPOCH;
  const date = seconds === undefined ? new Date() : new Date(Number(seconds) * 1000);
  return { hash: "unknown", day: date.toISOString().slice(0, 10) };
}
