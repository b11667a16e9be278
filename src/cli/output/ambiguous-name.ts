import { type NamedKind, referenceNouns } from "../../contract/field-metadata.ts";
import { maxMatches, type NameMatch } from "../../contract/names.ts";
import { quoteIfNeeded } from "../terminal/shell-words.ts";

const maxListed = 5;

/** Returns a sentence that lists the things that a text means, and the next step. */
export function describeAmbiguity(kind: NamedKind, text: string, matches: readonly NameMatch[]) {
  const noun = referenceNouns[kind];
  const byReference = matches.filter(({ match }) => match === "reference");
  if (byReference.length === 0) {
    const count = matches.length < maxMatches ? matches.length : `${maxMatches} or more`;
    return { sentence: `${count} ${noun}s are called ${text}: ${listMatches(matches)}`, hint: "use an ID" };
  }
  const others = matches.filter(({ match }) => match !== "reference");
  const forced = quoteIfNeeded(`ref:${text}`);
  return {
    sentence: `${text} is the reference of ${noun} ${listMatches(byReference)} and the name of ${listMatches(others)}`,
    hint: `use ${forced} for the reference, or an ID${kind === "users" ? " or e-mail address" : ""} for the name`,
  };
}

export function listMatches(matches: readonly NameMatch[]): string {
  const shown = matches.slice(0, maxListed).map(describeMatch).join(", ");
  return matches.length > maxListed ? `${shown} and others` : shown;
}

/** Returns `Ann Smith (Acme, 4)`. */
export const describeMatch = ({ id, name, detail }: NameMatch): string =>
  `${name} (${detail === null ? "" : `${detail}, `}${id})`;
