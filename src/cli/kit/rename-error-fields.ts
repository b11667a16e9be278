import { ServiceError } from "../../contract/errors.ts";
import type { FileItem } from "../../contract/file-schemas.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { fieldSentences } from "../output/field-sentences.ts";
import type { CommandFlag } from "./command-spec.ts";
import { holdsFiles, type OperationFlag } from "./field-flags.ts";
import {
  attributeOf,
  givenIn,
  type Input,
  type InputSpec,
  longOf,
  type ParsedLine,
  placeFor,
  secretFlag,
  wordOf,
} from "./read-input.ts";

/**
 * Replaces field names in a validation error by the names that `nameOf` returns, and suggests one of the `known` fields for an
 * unknown one. Other errors stay unchanged.
 */
export function renameErrorFields(
  error: unknown,
  nameOf: (field: string) => string,
  known: readonly string[] = [],
): unknown {
  if (!(error instanceof ServiceError) || !error.fields) return error;
  const sentences = fieldSentences(error.fields, nameOf);
  if (sentences.length === 0) return error;
  const { code, fields, issues } = error;
  const [unknown, ...others] = issues.filter((issue) => issue.code === "unknown_field");
  const meant = unknown && others.length === 0 ? suggestName(unknown.field, known) : undefined;
  const hint = error.hint ?? (meant && `Did you mean ${meant}?`);
  return new ServiceError(code, sentences.join("; "), { fields, hint });
}

/** Returns a function that names the argument or flag of a field, as in `--contact-phone` for `contact.phone`. */
export function nameInLine(spec: InputSpec, line: ParsedLine, input: Input): (field: string) => string {
  return (field) => {
    if (field === "Idempotency-Key") return "--idempotency-key";
    const [first = "", index = ""] = field.split(".");
    const file = index && (input[first] as Partial<FileItem>[] | undefined)?.[Number(index)]?.name;
    const isIn = (path: string) => `${field}.`.startsWith(`${path}.`);
    const place = placeFor(spec, line, (path) => isIn(path.join(".")));
    const isGiven = (flag: CommandFlag) => line.options[attributeOf(flag)] !== undefined;
    const other = spec.more.find((flag) => flag.field !== undefined && isIn(flag.field) && isGiven(flag));
    if (other && place?.at === undefined) return longOf(other);
    if (!place) {
      // The error is about all of an object of which a flag has set a part.
      const [part, ...others] = spec.more.filter((flag) => flag.field?.startsWith(`${field}.`) && isGiven(flag));
      return part && others.length === 0 ? longOf(part) : field;
    }
    const secret = place.reads === "secret" ? secretFlag(place, line) : undefined;
    if (secret !== undefined && input[first] !== undefined) return secret;
    if (isFromData(place, line, input)) return `${field} in --data`;
    // A secret that was asked for has no flag on the line.
    if (place.reads === "secret" && input[first] !== undefined) return field;
    return `${wordOf(place)}${file && holdsFiles(place.field) ? ` ${file}` : ""}`;
  };
}

/** Returns true for a field that has a value although no argument or flag of the line gives it, when the line has --data. */
const isFromData = (place: OperationFlag, line: ParsedLine, input: Input): boolean =>
  line.options.data !== undefined && givenIn(place, line) === undefined && input[place.path[0] ?? ""] !== undefined;
