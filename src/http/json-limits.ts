import { maxNesting } from "../contract/nesting.ts";
import { nestedTooDeep, tooManyValues } from "./codec.ts";

const [quote, comma, backslash, openList, closeList, openObject, closeObject] = [34, 44, 92, 91, 93, 123, 125];

const bodyLevels = { max: maxNesting, tooDeep: nestedTooDeep };

/** Checks a JSON text as it arrives: parsing millions of values takes gigabytes and seconds, of levels a minute, in which nothing else runs. */
export function jsonLimits(maxValues: number, levels = bodyLevels): (chunk: Buffer) => void {
  let values = 0;
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  return (chunk) => {
    // The content of a file is one long string.
    if (inString && !isEscaped && !chunk.includes(quote) && !chunk.includes(backslash)) return;
    for (const byte of chunk) {
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) inString = true;
      else if (byte === closeList || byte === closeObject) depth -= 1;
      else if (byte === comma) values += 1;
      else if (byte === openList || byte === openObject) {
        // The first value in it; the others follow commas.
        values += 1;
        depth += 1;
        if (depth > levels.max) throw levels.tooDeep();
      }
      if (values > maxValues) throw tooManyValues(maxValues);
    }
  };
}
