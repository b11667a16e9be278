import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import pg from "pg";

/**
 * Returns the URL with the password of the password file, unless there is another: pg would read the file with a warning. Called for
 * each connection, so that a server needs no restart when the password changes.
 */
export function withPassword(url: string): string {
  const client = new pg.Client(url);
  if (client.password || process.env.PGPASSWORD !== undefined) return url;
  const wanted = [client.host, String(client.port), client.database ?? "", client.user ?? ""];
  const password = passwordIn(linesOfFile(), wanted);
  if (password === undefined) return url;
  return `${url}${url.includes("?") ? "&" : "?"}password=${encodeURIComponent(password)}`;
}

/** Returns the lines of the file; none when others than its owner can read it, as PostgreSQL demands. */
function linesOfFile(): readonly string[] {
  const { env } = process;
  const isWindows = process.platform === "win32";
  try {
    // A user without an entry in the list of users has no home, and homedir() fails.
    const ours = isWindows
      ? join(env.APPDATA ?? "", "postgresql", "pgpass.conf")
      : join(env.HOME || homedir(), ".pgpass");
    const file = env.PGPASSFILE || ours;
    const stat = statSync(file);
    if (!stat.isFile() || (!isWindows && (stat.mode & 0o077) !== 0)) return [];
    return readFileSync(file, "utf8").split(/\r?\n/);
  } catch {
    return [];
  }
}

/** Finds the first matching line `host:port:database:user:password`; `*` matches all, a backslash escapes `:` and `\`. */
function passwordIn(lines: readonly string[], wanted: readonly string[]): string | undefined {
  for (const line of lines) {
    if (line.startsWith("#")) continue;
    const fields = (line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? []).map((field) => field.replace(/:$/, ""));
    const [password, ...rest] = [fields[4], ...fields.slice(0, 4)].map((field) => field?.replace(/\\(.)/g, "$1"));
    if (password && wanted.every((value, at) => fields[at] === "*" || rest[at] === value)) return password;
  }
  return undefined;
}
