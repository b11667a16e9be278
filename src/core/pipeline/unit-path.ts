/** Returns the IDs in the path of a unit: those of the units above it, from the root down, and its own. */
export function idsInPath(path: string): number[] {
  return path.split("/").slice(1, -1).map(Number);
}

/** Returns the IDs of the units above the unit with that path, from the root down; none for "/", the whole tree. */
export function ancestorsOf(path: string): number[] {
  return idsInPath(path).slice(0, -1);
}

export function lastIdInPath(path: string): number {
  return Number(path.split("/").at(-2));
}
