import { isRecord } from "../../../../contract/parse-json.ts";

/** Returns the value without its empty parts; undefined when nothing is left. */
export function withoutEmpty(value: unknown): unknown {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return undefined;
  if (!isRecord(value)) return value;
  const full = Object.entries(value).flatMap(([name, inner]) => {
    const kept = withoutEmpty(inner);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return full.length === 0 ? undefined : Object.fromEntries(full);
}
