import { isPostgresUrl } from "../../store/database.ts";
import { UsageError } from "../failure.ts";
import { findTarget } from "../target.ts";
import type { Context } from "../tree.ts";

/** The path or URL of the database that the line, the environment or the profile names; an instance elsewhere is an error. */
export function databaseOf({ terminal, globals }: Context): string {
  const target = findTarget(globals, terminal.env);
  if (!target.remote) return target.address;
  throw new UsageError("wcs db works on a database, not on the URL of an instance", { hint: "use --db" });
}

/** Likewise the path of a SQLite file; `instead` is the command for PostgreSQL. */
export function sqliteFileOf(context: Context, instead: string): string {
  const address = databaseOf(context);
  if (!isPostgresUrl(address)) return address;
  throw new UsageError("this works on SQLite files; PostgreSQL has tools of its own", { hint: `use ${instead}` });
}
