import { ServiceError } from "../../contract/errors.ts";
import { type NamedKind, referenceNouns } from "../../contract/field-metadata.ts";
import { maxTexts, type NameMatch, names } from "../../contract/names.ts";
import type { AnyOperation, Caller } from "../../contract/operation.ts";
import { units } from "../../contract/units.ts";
import { users } from "../../contract/users.ts";
import { usertypes } from "../../contract/usertypes.ts";
import type { Request } from "./command-spec.ts";
import { namedKindOf, textsIn } from "./field-flags.ts";
import { isId } from "./parse-value.ts";
import { givenIn, takesIds } from "./read-input.ts";
import type { OperationInput } from "./read-line.ts";

/** Adds the next step to the error about an ID on the line that does not exist, or about more IDs than one request takes. */
export async function hintAtIds(error: ServiceError, operation: OperationInput, ids: Request["ids"]) {
  const hint = hintAtPortions(error, operation, ids) ?? (await hintAtReference(error, operation));
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

/** Returns the hint for an ID that is a reference or a name. */
async function hintAtReference(error: ServiceError, { spec, line, connect }: OperationInput) {
  const given = spec.places.flatMap((place) => {
    const kind = namedKindOf(place.field);
    const isWrong = error.fields === undefined || Object.hasOwn(error.fields, place.path.join("."));
    if (kind === undefined || !isWrong) return [];
    const texts = textsIn(givenIn(place, line), place.field).filter(isId);
    return texts.flatMap((text) => [`ref:${text.trim()}`, text.trim()].map((each) => ({ kind, text: each })));
  });
  if (given.length === 0 || given.length > maxTexts) return undefined;
  const caller = await connect();
  const input = { texts: given.map(({ text }) => text), kinds: [...new Set(given.map(({ kind }) => kind))] };
  const { data } = await caller.call(names.find, input).catch(() => ({ data: [] }));
  const matches = data.filter(({ kind, text }) => given.some((each) => each.kind === kind && each.text === text));
  const found = await firstWithoutId(
    matches.filter(({ text }) => text.startsWith("ref:")),
    caller,
  );
  const byName = matches.filter(({ match }) => match === "name");
  // With several IDs on the line, the error can be about another one than the name.
  const named = given.length === 2 && byName.length === 1 ? byName[0] : undefined;
  const { kind, text, id, name } = found ?? named ?? {};
  if (kind === undefined) return undefined;
  const use = found
    ? `Use ${text} for the ${referenceNouns[kind]} with this reference (${name})`
    : `Use ${id} for the ${referenceNouns[kind]} with this name`;
  return `A number is an ID. ${use}.`;
}

/** Returns the first match whose reference is not an ID as well: such a number names the thing with the ID. */
async function firstWithoutId(matches: readonly NameMatch[], caller: Caller): Promise<NameMatch | undefined> {
  for (const match of matches) {
    const get = getters[match.kind];
    const id = Number(match.text.slice("ref:".length));
    const isMissing = get && (await caller.call<AnyOperation>(get, { id }).then(() => false, isNotFound));
    if (isMissing) return match;
  }
  return undefined;
}

const isNotFound = (error: unknown) => error instanceof ServiceError && error.code === "not_found";

/** Operations by the kinds that have references. */
const getters: { readonly [K in NamedKind]?: AnyOperation } = {
  users: users.get,
  units: units.get,
  usertypes: usertypes.get,
};
