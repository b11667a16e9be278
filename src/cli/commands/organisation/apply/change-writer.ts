import type { Renderer } from "../../../output/renderer.ts";
import type { Paint } from "../../../terminal/colors.ts";
import type { FieldChange, PlannedChange } from "../plan/change.ts";
import type { Done } from "./apply-context.ts";

/** Columns of the output in formats for programs. */
export const changeColumns = ["action", "kind", "name", "changes"] as const;

const marks: Record<PlannedChange["action"], (paint: Paint) => string> = {
  create: (paint) => paint.success("+"),
  update: (paint) => paint.key("~"),
  move: (paint) => paint.key(">"),
  delete: (paint) => paint.error("-"),
  deactivate: (paint) => paint.error("-"),
};

/** Writes changes for terminals: a line for each change, and one below it for each field. */
export const createChangeWriter: Renderer<Done> = ({ terminal }) => {
  const { paint } = terminal;
  const show = ({ action, kind, name, changes, secret }: Done) => {
    const lines = [`${marks[action](paint)} ${action} ${kind} ${paint.strong(terminal.sanitizeLine(name))}`];
    for (const change of changes) lines.push(`    ${fieldLine(change, action, paint, terminal.sanitizeLine)}`);
    if (secret !== undefined) lines.push(`    secret: ${paint.value(secret)}`);
    return lines.map((line) => `${line}\n`).join("");
  };
  return {
    page: (items) => terminal.write(items.map(show).join("")),
    end: async () => {},
    one: (item) => terminal.write(show(item)),
  };
};

/** Formats the changed fields as one text. */
export const inWords = ({ action, changes }: PlannedChange): string =>
  changes
    .map(({ field, before, after }) => {
      return `${field}: ${action === "create" ? "" : `${shown(before)} -> `}${shown(after)}`;
    })
    .join("; ");

function fieldLine(
  { field, before, after }: FieldChange,
  action: PlannedChange["action"],
  paint: Paint,
  plain: (text: string) => string,
): string {
  const now = paint.success(plain(shown(after)));
  return `${field}: ${action === "create" ? now : `${paint.error(plain(shown(before)))} -> ${now}`}`;
}

/** Formats a value on one line. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
