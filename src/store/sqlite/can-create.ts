import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isSpecial } from "./sqlite-database.ts";
import { translateError } from "./sqlite-errors.ts";

/** Returns true when there is no file, or an empty one, and a database can be created there. Creates nothing. */
export function canCreate(path: string): boolean {
  try {
    if (isSpecial(path) || (existsSync(path) && statSync(path).size > 0)) return false;
    let place = path;
    // A link that leads nowhere, or back to itself, is there. A drive of Windows may be missing.
    while (lstatSync(place, { throwIfNoEntry: false }) === undefined && dirname(place) !== place)
      place = dirname(place);
    // The trailing slash makes this fail unless the path is a folder.
    accessSync(place === path ? place : `${place}/`, constants.W_OK);
    return true;
  } catch (error) {
    throw translateError(error, path);
  }
}
