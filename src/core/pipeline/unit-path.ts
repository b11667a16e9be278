/** Returns the IDs of the units above the unit with that path, from the root down. */
export function ancestorsOf(path: string): number[] {
  return path.split("/").slice(1, -2).map(Number);
}

/** Returns the ID of the unit with that path. */
export function idInPath(path: string): number {
  return Number(path.split("/").at(-2));
}
