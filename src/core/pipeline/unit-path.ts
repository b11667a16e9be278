/** Returns the IDs of the units above the unit with that path, from the root down. */
export function ancestorsOf(path: string): number[] {
  return path.split("/").slice(1, -2).map(Number);
}

export function idInPath(path: string): number {
  return Number(path.split("/").at(-2));
}
