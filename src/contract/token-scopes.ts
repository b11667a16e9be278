import type { AnyOperation } from "./operation.ts";

type Scoped = Pick<AnyOperation, "name" | "method">;

/** Returns true when one of the scopes of a token covers the operation. An unknown scope covers nothing. */
export function allows(scopes: readonly string[], { name, method }: Scoped): boolean {
  return scopes.some(
    (scope) =>
      scope === "write" || scope === name || scope === `${groupOf(name)}.*` || (scope === "read" && method === "GET"),
  );
}

/** Returns true when the scopes cover all that `wanted` covers, also later operations. `operations` are all of the contract. */
export function includesScope(scopes: readonly string[], wanted: string, operations: readonly Scoped[]): boolean {
  if (scopes.includes(wanted) || scopes.includes("write") || scopes.includes(`${groupOf(wanted)}.*`)) return true;
  const named = operations.find(({ name }) => name === wanted);
  return named !== undefined && allows(scopes, named);
}

/** Returns true for `read`, `write`, the name of an operation, and the name of a group with a wildcard. */
export function isScope(text: string, operations: readonly Scoped[]): boolean {
  if (text === "read" || text === "write") return true;
  return operationsNamed(text, operations).length > 0;
}

/** Returns the names of the operations that a text names: one by its name, or all of a group by `group.*`. */
export function operationsNamed(text: string, operations: readonly Scoped[]): string[] {
  return operations.map(({ name }) => name).filter((name) => text === name || text === `${groupOf(name)}.*`);
}

const groupOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(".")));
