import { sanitizeLine } from "../terminal/sanitize.ts";

/** Joins names: `Ada, Bob and Cy`. With more than `most` names: `Ada, Bob and 3 more`. */
export function namesOf(people: readonly { readonly name: string }[], most = Number.POSITIVE_INFINITY): string {
  const names = people.map(({ name }) => sanitizeLine(name));
  if (names.length > most) return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? "nobody");
}
