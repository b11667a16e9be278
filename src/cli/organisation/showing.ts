import type { Sheet, Writer } from "../output/writer.ts";
import type { Paint } from "../paint.ts";
import type { Change, FieldChange } from "./change.ts";
import type { Done } from "./working.ts";

/** What makes a row where no person looks on. */
export const columns = ["action", "kind", "name", "changes"] as const;

const marks: Record<Change["action"], (paint: Paint) => string> = {
  create: (paint) => paint.success("+"),
  update: (paint) => paint.key("~"),
  move: (paint) => paint.key(">"),
  delete: (paint) => paint.error("-"),
  deactivate: (paint) => paint.error("-"),
};

/** Changes as people read them: a line for each, and one below it for each field. */
export function createChangeWriter({ terminal }: Sheet): Writer {
  const { paint } = terminal;
  const show = (item: unknown) => {
    const { action, kind, name, changes, secret } = item as Done;
    const lines = [`${marks[action](paint)} ${action} ${kind} ${paint.strong(terminal.plain(name))}`];
    for (const change of changes) lines.push(`    ${fieldLine(change, action, paint, terminal.plain)}`);
    if (secret !== undefined) lines.push(`    secret: ${paint.value(secret)}`);
    return lines.map((line) => `${line}\n`).join("");
  };
  return {
    page: (items) => terminal.write(items.map(show).join("")),
    end: async () => {},
    one: (item) => terminal.write(show(item)),
    value: (value) => terminal.write(`${terminal.plain(shown(value))}\n`),
  };
}

/** What changes, as one text. */
export const inWords = ({ action, changes }: Change): string =>
  changes
    .map(({ field, before, after }) => {
      return `${field}: ${action === "create" ? "" : `${shown(before)} -> `}${shown(after)}`;
    })
    .join("; ");

function fieldLine(
  { field, before, after }: FieldChange,
  action: Change["action"],
  paint: Paint,
  plain: (text: string) => string,
): string {
  const now = paint.success(plain(shown(after)));
  return `${field}: ${action === "create" ? now : `${paint.error(plain(shown(before)))} -> ${now}`}`;
}

/** A value on one line. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
