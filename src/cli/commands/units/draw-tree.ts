import type { ItemOf } from "../../../contract/operation.ts";
import type { units } from "../../../contract/units.ts";
import { pluralize } from "../../output/pluralize.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { cut, widthOf } from "../../terminal/text-width.ts";

/** A name keeps at least so many columns in a narrow window. */
const shortestName = 12;

type Unit = ItemOf<typeof units.tree>;

/** Draws the tree of units; siblings are sorted by name. On a terminal, long names are cut so that lines fit. */
export function drawTree(branch: readonly Unit[], terminal: Terminal): string {
  const known = new Set(branch.map(({ id }) => id));
  const below = Map.groupBy(branch, ({ parent_id }) => (parent_id !== null && known.has(parent_id) ? parent_id : null));
  const collator = new Intl.Collator(undefined, { numeric: true });
  const lines: string[] = [];
  const label = ({ id, name, reference, stats }: Unit, indent: number) => {
    const facts = `(${sanitizeLine(reference ?? `ID ${id}`)}, ${pluralize(stats.users, "user")})`;
    const room = terminal.stdoutIsTerminal ? terminal.width - indent - widthOf(facts) - 1 : Number.POSITIVE_INFINITY;
    return `${cut(sanitizeLine(name), Math.max(room, shortestName))} ${terminal.paint.dim(facts)}`;
  };
  // Not recursive, because a branch may be deeper than the call stack.
  const open = sorted(null).map((unit) => ({ unit, before: "", branch: "", after: "" }));
  for (let next = open.shift(); next; next = open.shift()) {
    const { unit, before, branch, after } = next;
    lines.push(before + branch + label(unit, widthOf(before + branch)));
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
