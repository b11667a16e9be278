import type { Field } from "../../contract/field-spec.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { LineIssues } from "./line-issues.ts";

/** Adds an issue about missing arguments and flags that no other issue is about. */
export function noteMissing(
  missing: readonly { readonly word: string; readonly field: Field | undefined }[],
  issues: LineIssues,
): void {
  const left = missing.filter(({ word }) => !issues.concerns(word));
  const described = left.map(({ word, field }) => {
    const form = field?.format === "unix-time" ? "like '2026-12-31 14:00'" : field?.values?.join(", ");
    return form ? `${word} (${form})` : word;
  });
  if (left.length === 0) return;
  const words = left.map(({ word }) => word);
  issues.add(new UsageError(`missing ${described.join(", ")}`), words);
}
