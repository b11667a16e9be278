import { version } from "../session/version.ts";

/** The commit of the bundled sources. The build defines it; the sources themselves run without. */
declare const builtFromCommit: string | undefined;

/** Returns the versions of the program and of what it runs on, a line each. */
export function versionDetails(): string {
  const commit = typeof builtFromCommit === "undefined" ? "unknown" : builtFromCommit;
  const { node, sqlite } = process.versions;
  return `wcs ${version}\ncommit ${commit}\nNode ${node}\nSQLite ${sqlite}\n`;
}
