import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isSpecial } from "./sqlite-database.ts";
import { translateError } from "./sqlite-errors.ts";

/** Returns true when there is no file, or an empty one, and a database can be created there. Creates nothing. */
export function canCreate(path: string): boolean {
  try {
    if (isSpecial(path) || (existsSync(path) && statSync(path).size > 0)) return false;
    let place = path;
    // Ends at a broken or circular link, and at the root of a Windows drive that is missing.
    while (lstatSync(place, { throwIfNoEntry: false }) === undefined && dirname(place) !== place)
      place = dirname(place);
    // The trailing slash makes this fail unless the path is a folder.
    accessSync(place === path ? place : `${place}/`, constants.W_OK);
    return true;
  } catch (error) {
    throw translateError(error, path);
  }
}
