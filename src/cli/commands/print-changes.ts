import { pluralize } from "../../contract/count-text.ts";
import { referenceNouns } from "../../contract/field-metadata.ts";
import type { Context } from "../kit/command-spec.ts";
import { createOutput, formatOf } from "../output/create-output.ts";
import type { Page } from "../output/item.ts";
import type { Renderer } from "../output/renderer.ts";
import type { Paint } from "../terminal/colors.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import { noPaint } from "../terminal/terminal.ts";

interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A difference between a file and an instance, as shown in results. */
export interface PlannedChange {
  readonly action: "create" | "update" | "move" | "delete" | "deactivate";
  readonly kind: "usertype" | "unit" | "user" | "webhook";
  /** The reference, else the e-mail address or name. */
  readonly name: string;
  readonly changes: readonly FieldChange[];
}

export interface Done extends PlannedChange {
  /** The secret of a created webhook. It is shown only here. */
  readonly secret?: string;
}

export async function printChanges(
  changes: AsyncIterable<readonly Done[]>,
  context: Context,
  { secrets = false, items = "differences" }: { readonly secrets?: boolean; readonly items?: string } = {},
) {
  const { globals } = context;
  const view = {
    columns: ["action", "kind", "name", "changes", ...(secrets ? ["secret"] : [])],
    sample: { action: "", kind: "", name: "", changes: [{ field: "", before: null, after: null }], secret: "" },
    renderer: async () => createChangeWriter,
    items,
  };
  const asRows = globals.fields === undefined && ["rows", "csv"].includes(formatOf(context));
  async function* pages(): AsyncGenerator<Page<Done>> {
    for await (const some of changes) {
      const items = asRows
        ? some.map((change) => ({ ...change, changes: changedFields(change, noPaint).join("; ") }))
        : some;
      yield { items: items as readonly Done[], more: false, response: some };
    }
  }
  await createOutput<Done>(view, context).list(pages());
}

const actions: Readonly<Record<PlannedChange["action"], { past: string; mark: string; style: keyof Paint }>> = {
  create: { past: "created", mark: "+", style: "success" },
  update: { past: "changed", mark: "~", style: "key" },
  move: { past: "moved", mark: ">", style: "key" },
  delete: { past: "deleted", mark: "-", style: "error" },
  deactivate: { past: "deactivated", mark: "-", style: "error" },
};

/** Writes changes for terminals: a line for each change, and one below it for each field. */
const createChangeWriter: Renderer<Done> = ({ terminal }) => {
  const { paint } = terminal;
  const show = (done: Done) => {
    const { action, kind, name, secret } = done;
    const { mark, style } = actions[action];
    const lines = [`${paint[style](mark)} ${action} ${kind} ${paint.strong(sanitizeLine(name))}`];
    for (const field of changedFields(done, paint, sanitizeLine)) lines.push(`    ${field}`);
    if (secret !== undefined) lines.push(`    secret: ${paint.value(secret)}`);
    return lines.map((line) => `${line}\n`).join("");
  };
  return { page: (items) => terminal.write(items.map(show).join("")), one: (item) => terminal.write(show(item)) };
};

const changedFields = ({ action, changes }: PlannedChange, paint: Paint, plain = (text: string) => text): string[] =>
  changes.map(({ field, before, after }) => {
    const old = action === "create" ? "" : `${paint.error(plain(formatValue(before)))} -> `;
    return `${field}: ${old}${paint.success(plain(formatValue(after)))}`;
  });

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === "") return "nothing";
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Numbers of changes by action and kind, such as `delete webhook`. */
export type ChangeCounts = Map<`${PlannedChange["action"]} ${PlannedChange["kind"]}`, number>;

export function countChanges(changes: Iterable<PlannedChange>, counts: ChangeCounts = new Map()): ChangeCounts {
  for (const { action, kind } of changes) counts.set(`${action} ${kind}`, (counts.get(`${action} ${kind}`) ?? 0) + 1);
  return counts;
}

/** Returns the numbers of the changes that are not among others. */
export const withoutCounts = (all: ChangeCounts, others: ChangeCounts): ChangeCounts =>
  new Map(
    [...all].map(([key, count]) => [key, count - (others.get(key) ?? 0)] as const).filter(([, count]) => count > 0),
  );

/** Formats numbers of changes: `create 2 units, 1 user; delete 1 webhook`. */
export function summarizeChanges(counts: ChangeCounts, tense: "present" | "past" = "present"): string {
  const byAction = Map.groupBy(counts, ([key]) => key.split(" ")[0] as PlannedChange["action"]);
  const parts = [...byAction].map(([action, some]) => {
    const numbers = some.map(([key, count]) =>
      pluralize(count, referenceNouns[`${key.split(" ")[1] as PlannedChange["kind"]}s`]),
    );
    return `${tense === "past" ? actions[action].past : action} ${numbers.join(", ")}`;
  });
  return parts.join("; ");
}
