import { deepest } from "../../contract/nesting.ts";

export const tooDeep = `nested deeper than ${deepest} levels`;

/** Returns true for a value with more levels of lists and objects than the body of a request may have. */
export function isTooDeep(value: unknown, levels: number = deepest): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}
