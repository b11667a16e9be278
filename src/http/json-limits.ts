import { ServiceError } from "../contract/errors.ts";
import { maxNesting } from "../contract/nesting.ts";

const [quote, comma, colon, backslash, openList, closeList, openObject, closeObject] = [
  34, 44, 58, 92, 91, 93, 123, 125,
];

/** Maximum bytes of numbers, blanks and names of fields. Parsing them takes longer than the texts, which may be files. */
const maxBesideTexts = 4_194_304;

/** Checks a JSON text as it arrives: parsing millions of values or levels takes gigabytes, and seconds in which nothing else runs. */
export function jsonLimits(maxValues = 50_000): (chunk: Buffer) => void {
  let values = 0;
  let depth = 0;
  let besideTexts = 0;
  let textLength = 0;
  let inString = false;
  let isEscaped = false;
  return (chunk) => {
    // The content of a file is one long string.
    if (inString && !isEscaped && !chunk.includes(quote) && !chunk.includes(backslash)) {
      textLength += chunk.length;
      return;
    }
    for (const byte of chunk) {
      if (inString) {
        textLength += 1;
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inString = false;
        continue;
      }
      besideTexts += byte === colon ? textLength : 1;
      if (byte === quote) {
        inString = true;
        textLength = 0;
      } else if (byte === closeList || byte === closeObject) depth -= 1;
      else if (byte === comma) values += 1;
      else if (byte === openList || byte === openObject) {
        // The first value in it; the others follow commas.
        values += 1;
        depth += 1;
        if (depth > maxNesting)
          throw new ServiceError("bad_request", `The body must not be nested deeper than ${maxNesting} levels.`);
      }
      if (values > maxValues) throw tooMuch(`${maxValues} values`);
      if (besideTexts > maxBesideTexts) throw tooMuch(`${maxBesideTexts} bytes of numbers, blanks and names of fields`);
    }
  };
}

const tooMuch = (limit: string): ServiceError =>
  new ServiceError("payload_too_large", `The body must have at most ${limit}.`);
