import { UsageError } from "./failure.ts";

const isPostgres = (text: string) => /^\s*postgres(ql)?:/i.test(text);

function hasPassword(address: string): boolean {
  if (!isPostgres(address)) return false;
  const url = URL.parse(address);
  // What cannot be parsed may hold one all the same.
  if (url === null || url.host === "") return /:.*@|[?&]password=/s.test(address.replace(/^[^:]*:/, ""));
  return url.password !== "" || url.searchParams.has("password");
}

/** Refuses a password in `--db`, without repeating it: other users of the machine see the arguments of commands. */
export function refusePassword(db: unknown): void {
  if (typeof db !== "string" || !hasPassword(db)) return;
  throw new UsageError("--db must not hold a password, since others see the arguments of commands", {
    hint: "leave it out of the URL and put it into PGPASSWORD or ~/.pgpass; or put the whole URL into WCS_DB or a profile (wcs profile add NAME --db-stdin)",
  });
}

/** The address of a database or instance as it may be shown. */
export function withoutPassword(address: string): string {
  if (!hasPassword(address)) return address;
  const url = URL.parse(address);
  if (url === null || url.host === "") return "postgres://***";
  if (url.password !== "") url.password = "***";
  if (url.searchParams.has("password")) url.searchParams.set("password", "***");
  return url.href;
}
