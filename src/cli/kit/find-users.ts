import { ServiceError } from "../../contract/errors.ts";
import type { Caller, OutputOf } from "../../contract/operation.ts";
import { users } from "../../contract/users.ts";
import { UsageError } from "../errors/cli-errors.ts";

type User = OutputOf<typeof users.get>;

/** Longer texts are not looked up. */
const longestName = 200;
const mostNamed = 5;

/** A text that matches no user, or several. */
interface Mismatch {
  readonly sentence: string;
  readonly ambiguous: boolean;
}

/**
 * Returns the IDs of users given by ID, `me`, e-mail address or full name. One error reports all texts that match no user
 * or several. `name` is the flag or argument.
 */
export async function findUsers(texts: readonly string[], name: string, caller: Caller): Promise<number[]> {
  const found: number[] = [];
  const mismatches: Mismatch[] = [];
  for (const text of new Set(texts.map((each) => each.trim()))) {
    const id = await findUser(text, caller);
    if (typeof id === "number") found.push(id);
    else mismatches.push(id);
  }
  if (mismatches.length === 0) return [...new Set(found)];
  const message = `${name}: ${mismatches.map(({ sentence }) => sentence).join("; ")}`;
  if (mismatches.some(({ ambiguous }) => ambiguous)) throw new UsageError(message, { hint: "use their IDs" });
  throw new ServiceError("not_found", `${message}.`, {
    hint: "Use an ID, a full name or a visible e-mail address. Find users with wcs users search.",
  });
}

async function findUser(text: string, caller: Caller): Promise<number | Mismatch> {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (text === "me") return (await caller.call(users.current, {})).id;
  if (text === "" || text.length > longestName) return nobody(`'${text}' is not a user`);
  if (text.includes("@")) {
    return (await byEmail(text, caller)) ?? nobody(`no user with the e-mail address ${text} is visible to you`);
  }
  return findByName(text, caller);
}

async function byEmail(email: string, caller: Caller): Promise<number | undefined> {
  try {
    return (await caller.call(users.list, { email })).data[0]?.id;
  } catch (error) {
    // The service rejects malformed addresses.
    if (error instanceof ServiceError && error.fields?.email) return undefined;
    throw error;
  }
}

const nobody = (sentence: string): Mismatch => ({ sentence, ambiguous: false });

/** Finds a user by full name, ignoring case and accents. */
async function findByName(text: string, caller: Caller): Promise<number | Mismatch> {
  const similar = (await caller.call(users.search, { q: text, limit: 500 })).data;
  const collator = new Intl.Collator(undefined, { sensitivity: "base" });
  const normalize = (name: string) => name.trim().replace(/\s+/g, " ");
  const same = similar.filter(({ name }) => collator.compare(normalize(name), normalize(text)) === 0);
  const [first, second] = same;
  if (first && !second) return first.id;
  if (first) {
    return { sentence: `${same.length} users are called ${text}: ${listed(same)}`, ambiguous: true };
  }
  return nobody(`no user is called ${text}${similar.length > 0 ? `; similar names: ${listed(similar)}` : ""}`);
}

function listed(people: readonly User[]): string {
  const shown = people
    .slice(0, mostNamed)
    .map(({ id, name, unit }) => `${name} (${unit ? `${unit.name}, ` : ""}${id})`);
  return people.length > mostNamed ? `${shown.join(", ")} and more` : shown.join(", ");
}
