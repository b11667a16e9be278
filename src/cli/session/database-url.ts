import { UsageError } from "../errors/cli-errors.ts";

/** Returns whether a text is a URL, wrong or not, and not the path of a file: after a space, in quotes, or of another database. */
export const isAnyUrl = (text: string): boolean => /^\s*postgres(ql)?:|\w\w:\/\//i.test(text);

function hasPassword(address: string): boolean {
  if (!isAnyUrl(address)) return false;
  const url = URL.parse(address);
  // A malformed URL may contain a password as well.
  if (url === null || url.host === "") return /:.*@|[?&]password=/s.test(address.replace(/^[^:]*:/, ""));
  return url.password !== "" || url.searchParams.has("password");
}

/** Throws a `UsageError` for a password in a flag, which other users of the machine could see. Does not repeat it. */
export function refusePassword(address: unknown, flag = "--db"): void {
  if (typeof address !== "string" || !hasPassword(address)) return;
  throw new UsageError(`${flag} must not contain a password, since other users can see command lines`, {
    hint: "set PGPASSWORD or use ~/.pgpass, or put the whole URL into WCS_DB or a profile (wcs profile add NAME --db-stdin)",
  });
}

export function withoutPassword(address: string): string {
  if (!hasPassword(address)) return address;
  const url = URL.parse(address);
  if (url === null || url.host === "") return "postgres://***";
  if (url.password !== "") url.password = "***";
  if (url.searchParams.has("password")) url.searchParams.set("password", "***");
  return url.href;
}
