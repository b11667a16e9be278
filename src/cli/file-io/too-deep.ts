import { maxNesting } from "../../contract/nesting.ts";

export const tooDeep = `nested deeper than ${maxNesting} levels`;

/** Returns true for a value with more levels of lists and objects than the body of a request may have. */
export function isTooDeep(value: unknown, levels: number = maxNesting): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}
