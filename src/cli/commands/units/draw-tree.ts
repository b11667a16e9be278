import { pluralize } from "../../../contract/count-text.ts";
import type { ItemOf } from "../../../contract/operation.ts";
import type { units } from "../../../contract/units.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { cut, widthOf } from "../../terminal/text-width.ts";

/** A name keeps at least so many columns in a narrow window. */
const minNameWidth = 12;

type Unit = ItemOf<typeof units.tree>;

/** Draws the tree of units; siblings are sorted by name. On a terminal, long names are cut so that lines fit. */
export function drawTree(branch: readonly Unit[], terminal: Terminal): string {
  const known = new Set(branch.map(({ id }) => id));
  const below = Map.groupBy(branch, ({ parent_id }) => (parent_id !== null && known.has(parent_id) ? parent_id : null));
  const collator = new Intl.Collator(undefined, { numeric: true });
  const label = ({ id, name, reference, stats }: Unit, indent: number) => {
    const facts = `(${sanitizeLine(reference ?? `ID ${id}`)}, ${pluralize(stats.users, "user")})`;
    const room = terminal.stdoutIsTerminal ? terminal.width - indent - widthOf(facts) - 1 : Number.POSITIVE_INFINITY;
    return `${cut(sanitizeLine(name), Math.max(room, minNameWidth))} ${terminal.paint.dim(facts)}`;
  };
  const sorted = (parent: number | null) =>
    (below.get(parent) ?? []).toSorted((a, b) => collator.compare(a.name, b.name));
  /** Draws a unit after its connector, and the units below it. */
  const draw = (unit: Unit, before: string, connector: string, after: string): string => {
    const line = `${before}${connector}${label(unit, widthOf(before + connector))}\n`;
    const inner = before + after;
    const children = sorted(unit.id);
    const last = children.pop();
    const others = children.map((child) => draw(child, inner, "├── ", "│   "));
    return line + others.join("") + (last ? draw(last, inner, "└── ", "    ") : "");
  };
  return sorted(null)
    .map((unit) => draw(unit, "", "", ""))
    .join("");
}
