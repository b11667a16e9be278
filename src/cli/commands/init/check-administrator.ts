import { email, name } from "../../../contract/common-schemas.ts";

/** Returns the issue with the administrator's address or name, or with the root unit's name; undefined if valid. */
export function checkAdministrator(given: { email?: string; name?: string; unit?: string }): string | undefined {
  if (given.unit !== undefined) return name().safeParse(given.unit).error?.issues[0]?.message;
  if (given.email !== undefined) return email().safeParse(given.email).error?.issues[0]?.message;
  const parts = (given.name ?? "").trim().split(/\s+/);
  if (parts.length < 2) return 'must be a first and a last name (for example "Ada Lovelace")';
  return name().safeParse(given.name).error?.issues[0]?.message;
}
