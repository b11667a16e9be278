import { oneLine } from "../plain.ts";

interface Named {
  readonly name: string;
}

/** Names as people say them; beyond `most`, how many more there are. */
export function namesOf(people: readonly Named[], most = Number.POSITIVE_INFINITY): string {
  const names = people.map(({ name }) => oneLine(name));
  if (names.length > most) return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? "nobody");
}
