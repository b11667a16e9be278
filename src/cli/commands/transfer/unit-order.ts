import { normalizeReference } from "../../../contract/common-schemas.ts";
import type { FieldErrors } from "../../../contract/errors.ts";
import type { SourceRow } from "../../file-io/file-rows.ts";

/** An order of rows in which each unit comes after its parent. */
export type Order = ReturnType<typeof arrange>;

/** Reads rows of units once to find their parents. Keeps only their references in memory. */
export async function orderOf(rows: AsyncIterable<SourceRow[]>): Promise<Order> {
  const placeOf = new Map<string, number>();
  const references: string[] = [];
  const parents: string[] = [];
  for await (const some of rows) {
    for (const each of some) {
      const { reference, parent } = "row" in each ? each.row : {};
      const name = copyReference(reference);
      if (name !== "" && !placeOf.has(name)) placeOf.set(name, references.length);
      references.push(name);
      parents.push(copyReference(parent));
    }
  }
  return arrange(references, parents, placeOf);
}

/** Copies a reference, because a substring would keep the longer text in memory. */
function copyReference(value: unknown): string {
  return typeof value === "string" && value !== "" ? Buffer.from(normalizeReference(value)).toString() : "";
}

const inProgress = -1;

/**
 * Returns how often the file has to be read (once when parents come before their children), and by the index of a row the pass in
 * which it is sent, and the message when its ancestors form a cycle.
 */
function arrange(references: readonly string[], parents: readonly string[], placeOf: ReadonlyMap<string, number>) {
  const passOf: number[] = [];
  const cycles = new Map<number, FieldErrors>();
  // A row follows that of its parent, and a second row about a unit follows the first.
  const before = (row: number) => {
    const first = placeOf.get(references[row] ?? "");
    return first !== undefined && first !== row ? first : placeOf.get(parents[row] ?? "");
  };
  for (let row = 0; row < references.length; row++) {
    const chain: number[] = [];
    let next: number | undefined = row;
    while (next !== undefined && passOf[next] === undefined) {
      passOf[next] = inProgress;
      chain.push(next);
      next = before(next);
    }
    if (next !== undefined && passOf[next] === inProgress) {
      const cycle = chain.slice(chain.indexOf(next));
      const parent = [describeCycle(cycle.map((place) => references[place]))];
      for (const place of cycle) cycles.set(place, { parent });
    }
    let above = next;
    for (const place of chain.reverse()) {
      const pass: number = above === undefined ? 0 : Math.max(passOf[above] ?? 0, 0);
      passOf[place] = above !== undefined && above > place ? pass + 1 : pass;
      above = place;
    }
  }
  return { passes: passOf.reduce((max, pass) => Math.max(max, pass + 1), 1), passOf, cycles };
}

/** Describes units of which each is below the next one, and the last one below the first. */
export function describeCycle(units: readonly (string | undefined)[]): string {
  const max = 5;
  const path = [...units.slice(0, max), ...(units.length > max ? ["…"] : []), units[0]].join(" below ");
  return `is below the unit itself: ${path}`;
}
