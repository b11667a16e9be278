import type { Item } from "./paging.ts";
import { oneLine } from "./plain.ts";
import type { Terminal } from "./terminal.ts";

interface Unit {
  readonly id: number;
  readonly parent_id: number | null;
  readonly name: string;
  readonly stats: { readonly users: number };
}

/** Draws units below each other, siblings by name; each with the number of its members. */
export function drawTree(items: readonly Item[], terminal: Terminal): string {
  const units = items as unknown as readonly Unit[];
  const known = new Set(units.map(({ id }) => id));
  const below = Map.groupBy(units, ({ parent_id }) => (parent_id !== null && known.has(parent_id) ? parent_id : null));
  const collator = new Intl.Collator(undefined, { numeric: true });
  const lines: string[] = [];
  const label = ({ name, stats }: Unit) => `${oneLine(name)} ${terminal.paint.dim(`(${stats.users})`)}`;
  // Not recursive: a branch may be deeper than the stack.
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
