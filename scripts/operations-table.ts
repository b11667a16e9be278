import type { Access, AnyOperation } from "../src/contract/operation.ts";

/** Returns the table of all operations, as Markdown. */
export function operationsTable(operations: readonly AnyOperation[]): string {
  const rows = operations.map(
    (op) => `| \`${op.method} ${op.path.replace(/=\w+\}/g, "}")}\` | ${op.summary} | ${accessPhrase(op.access)} |`,
  );
  return ["| Operation, below `/api` | Summary | Access |", "|---|---|---|", ...rows].join("\n");
}

/** Returns a phrase that says who may call an operation. */
export function accessPhrase(access: Access): string {
  if (access === "public") return "public";
  if (access === "signed_in") return "signed in";
  if (access === "administrator") return "administrator";
  const there = access.at ? " there" : "";
  const self = access.self ? ", or your own account" : "";
  return `ability \`${access.ability}\`${there}${takeover(access.takeover)}${self}`;
}

function takeover(fields: true | readonly string[] | undefined): string {
  if (fields === undefined) return "";
  return ` and all abilities of the user${fields === true ? "" : ` (to change ${fields.join(" or ")})`}`;
}
