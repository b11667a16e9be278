import { email, name } from "../contract/fields.ts";

/** What is wrong with the first administrator's address or name, or the name of the root unit, if anything is. */
export function check(given: { email?: string; name?: string; unit?: string }): string | undefined {
  if (given.unit !== undefined) return name().safeParse(given.unit).error?.issues[0]?.message;
  if (given.email !== undefined) return email().safeParse(given.email).error?.issues[0]?.message;
  const parts = (given.name ?? "").trim().split(/\s+/);
  if (parts.length < 2) return 'must be a first and a last name, as "Ada Lovelace"';
  return name().safeParse(given.name).error?.issues[0]?.message;
}
