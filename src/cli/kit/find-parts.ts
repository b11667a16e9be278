import { ServiceError } from "../../contract/errors.ts";
import type { Field } from "../../contract/field-spec.ts";
import type { Caller } from "../../contract/operation.ts";
import { posts } from "../../contract/posts.ts";
import { units } from "../../contract/units.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import type { Dialog } from "./command-spec.ts";
import { givesNames, takesChoices, takesPart } from "./field-flags.ts";
import { withScopeHint } from "./find-by-name.ts";
import { givenIn, type Input, wordOf } from "./read-input.ts";
import type { OperationInput } from "./read-line.ts";

interface Part {
  readonly id: number;
  readonly name: string;
}

/** The departments of a unit, or the choices of a poll. */
interface Parts {
  readonly noun: string;
  /** The owner of the parts, as in `the poll of post 12`. */
  readonly owner: string;
  readonly parts: readonly Part[];
}

/** Replaces the names of parts on the line by their IDs, in an input that has the ID of the unit or post that they belong to. */
export async function placeParts({ spec, line, input, connect, names }: OperationInput): Promise<void> {
  const place = spec.places.find((each) => takesPart(each.field) && givesNames(each.field, givenIn(each, line)));
  if (place === undefined) return;
  const label = wordOf(place);
  const texts = [givenIn(place, line)].flat().map((text) => String(text).trim());
  if (!takesChoices(place.field)) {
    const departments = await departmentsIn(spec.fields, input, await connect());
    const { id, name } = findPart(texts.join(" "), label, departments);
    input[place.field.name] = id;
    names.set(`departments ${id}`, name);
    return;
  }
  const choices = await choicesIn(input, await connect());
  // A text may contain commas; IDs may be separated by them.
  input[place.field.name] = texts.flatMap((text) =>
    /^[\d,]+$/.test(text) ? text.split(",").filter(Boolean).map(Number) : findPart(text, label, choices).id,
  );
}

/** Returns the unit of an input that the department belongs to. A membership that moves has the department of its new unit. */
export const unitIn = (fields: readonly Field[], input: Input): unknown =>
  fields.map(({ name, refersTo }) => (refersTo === "units" ? input[name] : undefined)).findLast(Boolean);

async function departmentsIn(fields: readonly Field[], input: Input, caller: Caller): Promise<Parts> {
  const { name, departments } = await caller.call(units.get, { id: Number(unitIn(fields, input)) });
  return { noun: "department", owner: name, parts: departments };
}

async function choicesIn(input: Input, caller: Caller): Promise<Parts> {
  const { poll } = await caller.call(posts.get, { id: Number(input.id) }).catch((error) => {
    throw withScopeHint(error, "texts", posts.get);
  });
  const parts = (poll?.choices ?? []).map(({ id, title }) => ({ id, name: title }));
  return { noun: "choice", owner: `the poll of post ${input.id}`, parts };
}

/** Returns the part with a name. Throws an error that lists the parts when there is none, or several. */
function findPart(text: string, label: string, { noun, owner, parts }: Parts): Part {
  const { compare } = new Intl.Collator("en", { usage: "search", sensitivity: "base" });
  const exact = parts.filter((each) => each.name === text);
  const found = exact.length > 0 ? exact : parts.filter((each) => compare(each.name, text) === 0);
  const [first] = found;
  const list = (some: readonly Part[]) => some.map((each) => `${each.name} (${each.id})`).join(", ");
  if (first === undefined) {
    const others = parts.length === 0 ? "it has none" : `it has ${list(parts)}`;
    throw new ServiceError("not_found", `${label}: no ${noun} of ${owner} is called ${text}; ${others}.`);
  }
  if (found.length === 1) return first;
  throw new UsageError(`${label}: ${found.length} ${noun}s of ${owner} are called ${text}: ${list(found)}`, {
    hint: "use an ID",
  });
}

export async function chooseDepartment({ spec, input }: OperationInput, { caller, terminal }: Dialog): Promise<number> {
  const { owner, parts } = await departmentsIn(spec.fields, input, caller);
  if (parts.length === 0) throw new ServiceError("not_found", `Unit ${owner} has no departments.`);
  const choices = parts.map((each) => ({ name: sanitizeLine(each.name), value: each.id }));
  return (await terminal.ask()).pick("Department:", choices);
}
