import { ServiceError } from "../../contract/errors.ts";
import type { Field } from "../../contract/field-spec.ts";
import type { Caller } from "../../contract/operation.ts";
import { units } from "../../contract/units.ts";
import type { Dialog } from "./command-spec.ts";
import { isNamed, takesDepartment } from "./field-flags.ts";
import { findNamedPart } from "./find-named-part.ts";
import { givenIn, type Input, wordOf } from "./read-input.ts";
import type { OperationInput } from "./read-line.ts";

/** Returns the unit of an input that the department belongs to. A membership that moves has the department of its new unit. */
export const unitIn = (fields: readonly Field[], input: Input): unknown =>
  fields.map(({ name, refersTo }) => (refersTo === "units" ? input[name] : undefined)).findLast(Boolean);

const readUnit = (fields: readonly Field[], input: Input, caller: Caller) =>
  caller.call(units.get, { id: Number(unitIn(fields, input)) });

/** Replaces the name of a department on the line by its ID, in an input that has the ID of its unit. */
export async function placeDepartment({ spec, line, input, connect, names }: OperationInput): Promise<void> {
  const place = spec.places.find((each) => takesDepartment(each.field) && isNamed(each.field, givenIn(each, line)));
  if (place === undefined) return;
  const text = String(givenIn(place, line)).trim();
  const { name, departments } = await readUnit(spec.fields, input, await connect());
  const label = wordOf(place, line);
  const id = findNamedPart(text, { label, noun: "department", owner: name, parts: departments });
  input[place.field.name] = id;
  names.set(`departments ${id}`, text);
}

export async function chooseDepartment({ spec, input }: OperationInput, { caller, terminal }: Dialog): Promise<number> {
  const { name, departments } = await readUnit(spec.fields, input, caller);
  if (departments.length === 0) throw new ServiceError("not_found", `Unit ${name} has no departments.`);
  const choices = departments.map((each) => ({ name: terminal.sanitizeLine(each.name), value: each.id }));
  return (await terminal.ask()).pick("Department:", choices);
}
