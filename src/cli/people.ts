import { ServiceError } from "../contract/errors.ts";
import type { Caller, OutputOf } from "../contract/operation.ts";
import { users } from "../contract/users.ts";
import { UsageError } from "./failure.ts";

type User = OutputOf<typeof users.get>;

/** Nobody means somebody by a longer name. */
const longestName = 200;
const mostNamed = 5;

/** Why a text leads to no user, or to more than one. */
interface Mistake {
  readonly sentence: string;
  readonly ambiguous: boolean;
}

/**
 * The IDs of users as they are named on a line: by ID, `me`, e-mail address or full name. All that lead to nobody, or to
 * several, are told of at once; nothing is guessed. `name` is the flag or positional.
 */
export async function findPeople(texts: readonly string[], name: string, caller: Caller): Promise<number[]> {
  const found: number[] = [];
  const mistakes: Mistake[] = [];
  for (const text of new Set(texts.map((each) => each.trim()))) {
    const id = await findPerson(text, caller);
    if (typeof id === "number") found.push(id);
    else mistakes.push(id);
  }
  if (mistakes.length === 0) return [...new Set(found)];
  const message = `${name}: ${mistakes.map(({ sentence }) => sentence).join("; ")}`;
  if (mistakes.some(({ ambiguous }) => ambiguous)) throw new UsageError(message, { hint: "name them by ID" });
  throw new ServiceError("not_found", `${message}.`, {
    hint: "Name people by ID, full name, or, where you may see it, e-mail address; wcs users search finds them.",
  });
}

async function findPerson(text: string, caller: Caller): Promise<number | Mistake> {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (text === "me") return (await caller.call(users.current, {})).id;
  if (text === "" || text.length > longestName) return nobody(`'${text}' is no user`);
  if (text.includes("@")) {
    return (await byEmail(text, caller)) ?? nobody(`nobody has the e-mail address ${text}, or you may not see it`);
  }
  return findByName(text, caller);
}

async function byEmail(email: string, caller: Caller): Promise<number | undefined> {
  try {
    return (await caller.call(users.list, { email })).data[0]?.id;
  } catch (error) {
    // What cannot be an address is nobody's.
    if (error instanceof ServiceError && error.fields?.email) return undefined;
    throw error;
  }
}

const nobody = (sentence: string): Mistake => ({ sentence, ambiguous: false });

/** A person by full name, whatever its case and accents. */
async function findByName(text: string, caller: Caller): Promise<number | Mistake> {
  const similar = (await caller.call(users.search, { q: text, limit: 500 })).data;
  const collator = new Intl.Collator(undefined, { sensitivity: "base" });
  const plain = (name: string) => name.trim().replace(/\s+/g, " ");
  const same = similar.filter(({ name }) => collator.compare(plain(name), plain(text)) === 0);
  if (same.length === 1) return same[0]!.id;
  if (same.length > 1) {
    return { sentence: `there are ${same.length} users called ${text}: ${listed(same)}`, ambiguous: true };
  }
  return nobody(`nobody is called ${text}${similar.length > 0 ? `, but there is ${listed(similar)}` : ""}`);
}

function listed(people: readonly User[]): string {
  const shown = people
    .slice(0, mostNamed)
    .map(({ id, name, unit }) => `${name} (${unit ? `${unit.name}, ` : ""}${id})`);
  return people.length > mostNamed ? `${shown.join(", ")} and more` : shown.join(", ");
}
