import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import pg from "pg";

/**
 * Returns the URL with the password that the file of passwords (PGPASSFILE, else ~/.pgpass) has for it. One in the URL or in
 * PGPASSWORD goes before it. pg reads the file itself, but says on stderr that it will not for long.
 */
export function withPassword(url: string, env: NodeJS.ProcessEnv = process.env): string {
  const client = new pg.Client(url);
  if (client.password || env.PGPASSWORD !== undefined) return url;
  const wanted = [client.host, String(client.port), client.database ?? "", client.user ?? ""];
  const password = passwordIn(linesOf(env), wanted);
  if (password === undefined) return url;
  return `${url}${url.includes("?") ? "&" : "?"}password=${encodeURIComponent(password)}`;
}

/** The lines of a file that only its owner can read, as PostgreSQL demands; none of any other. */
function linesOf(env: NodeJS.ProcessEnv): readonly string[] {
  const isWindows = process.platform === "win32";
  const ours = isWindows
    ? join(env.APPDATA ?? "", "postgresql", "pgpass.conf")
    : join(env.HOME || homedir(), ".pgpass");
  const file = env.PGPASSFILE || ours;
  try {
    const stat = statSync(file);
    if (!stat.isFile() || (!isWindows && (stat.mode & 0o077) !== 0)) return [];
    return readFileSync(file, "utf8").split(/\r?\n/);
  } catch {
    return [];
  }
}

/** Finds the first line `host:port:database:user:password` that fits; `*` fits all, a backslash precedes `:` and `\`. */
function passwordIn(lines: readonly string[], wanted: readonly string[]): string | undefined {
  for (const line of lines) {
    if (line.startsWith("#")) continue;
    const fields = (line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? []).map((field) => field.replace(/:$/, ""));
    const [password, ...rest] = [fields[4], ...fields.slice(0, 4)].map((field) => field?.replace(/\\(.)/g, "$1"));
    if (password && wanted.every((value, at) => fields[at] === "*" || rest[at] === value)) return password;
  }
  return undefined;
}
