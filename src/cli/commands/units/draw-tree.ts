import { pluralize } from "../../output/pluralize.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface Unit {
  readonly id: number;
  readonly parent_id: number | null;
  readonly name: string;
  readonly reference: string | null;
  readonly stats: { readonly users: number };
}

/** Draws the tree of units, each with its reference or ID and the number of its users; siblings are sorted by name. */
export function drawTree(units: readonly Unit[], terminal: Terminal): string {
  const known = new Set(units.map(({ id }) => id));
  const below = Map.groupBy(units, ({ parent_id }) => (parent_id !== null && known.has(parent_id) ? parent_id : null));
  const collator = new Intl.Collator(undefined, { numeric: true });
  const lines: string[] = [];
  const label = ({ id, name, reference, stats }: Unit) => {
    const facts = `(${sanitizeLine(reference ?? `ID ${id}`)}, ${pluralize(stats.users, "user")})`;
    return `${sanitizeLine(name)} ${terminal.paint.dim(facts)}`;
  };
  // Not recursive, because a branch may be deeper than the call stack.
  const open = sorted(null).map((unit) => ({ unit, before: "", branch: "", after: "" }));
  for (let next = open.shift(); next; next = open.shift()) {
    const { unit, before, branch, after } = next;
    lines.push(before + branch + label(unit));
    const children = sorted(unit.id);
    open.unshift(
      ...children.map((child, at) => {
        const last = at === children.length - 1;
        return { unit: child, before: before + after, branch: last ? "└── " : "├── ", after: last ? "    " : "│   " };
      }),
    );
  }
  return lines.map((line) => `${line}\n`).join("");

  function sorted(parent: number | null): Unit[] {
    return (below.get(parent) ?? []).toSorted((a, b) => collator.compare(a.name, b.name));
  }
}
