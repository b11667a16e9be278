import { ServiceError } from "../../contract/errors.ts";
import type { Request } from "./command-spec.ts";
import { namedKindOf, textsIn } from "./field-flags.ts";
import { isId } from "./parse-value.ts";
import { givenIn, takesIds } from "./read-input.ts";
import type { OperationInput } from "./read-line.ts";

/** Adds the next step to the error about an ID on the line that does not exist, or about more IDs than one request takes. */
export function hintAtIds(error: ServiceError, operation: OperationInput, ids: Request["ids"]): ServiceError {
  const hint = hintAtPortions(error, operation, ids) ?? hintAtReference(error, operation);
  const { code, message, issues } = error;
  // The request for several IDs has them in a field that the command does not have.
  const fields = ids && error.fields ? { id: Object.values(error.fields).flat() } : error.fields;
  return hint === undefined && fields === error.fields
    ? error
    : new ServiceError(code, message, { fields, issues, hint, cause: error });
}

function hintAtPortions({ issues }: ServiceError, { path, spec }: OperationInput, ids: Request["ids"]) {
  const [first] = spec.args;
  const tooMany = issues.find(({ code, params }) => code === "too_big" && params?.of === "array");
  if (tooMany === undefined || first === undefined || !takesIds(first)) return undefined;
  if (ids === undefined && tooMany.field !== first.field) return undefined;
  return `Pass fewer at a time, as in xargs -n ${tooMany.params?.maximum} wcs ${path.join(" ")} < FILE`;
}

/** Returns the hint for a number in a place that takes a reference as well. */
function hintAtReference({ fields }: ServiceError, { spec, line }: OperationInput): string | undefined {
  const isNumber = spec.places
    // Without fields, the error is about the thing of the first argument, which may have no references.
    .filter(({ at, path }) => (fields === undefined ? at === 0 : Object.hasOwn(fields, path.join("."))))
    .filter(({ field }) => ["users", "units", "usertypes"].includes(namedKindOf(field) ?? ""))
    .some((place) => textsIn(givenIn(place, line), place.field).some(isId));
  return isNumber ? "A number is an ID; a reference begins with ref:, as in ref:1044." : undefined;
}
