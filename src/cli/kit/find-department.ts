import { ServiceError } from "../../contract/errors.ts";
import type { Field } from "../../contract/field-spec.ts";
import type { Caller } from "../../contract/operation.ts";
import { units } from "../../contract/units.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { Dialog } from "./command-spec.ts";
import { isNamed, takesDepartment } from "./field-flags.ts";
import { givenIn, type Input, wordOf } from "./read-input.ts";
import type { OperationInput } from "./read-line.ts";

/** Returns the unit of an input that the department belongs to. A membership that moves has the department of its new unit. */
export const unitIn = (fields: readonly Field[], input: Input): unknown =>
  fields.map(({ name, refersTo }) => (refersTo === "units" ? input[name] : undefined)).findLast(Boolean);

const readUnit = (fields: readonly Field[], input: Input, caller: Caller) =>
  caller.call(units.get, { id: Number(unitIn(fields, input)) });

/** Replaces the name of a department on the line by its ID, in an input that has the ID of its unit. */
export async function placeDepartment({ spec, line, input, connect }: OperationInput): Promise<void> {
  const place = spec.places.find((each) => takesDepartment(each.field) && isNamed(each.field, givenIn(each, line)));
  if (place === undefined) return;
  const text = String(givenIn(place, line)).trim();
  const { name, departments } = await readUnit(spec.fields, input, await connect());
  const { compare } = new Intl.Collator("en", { usage: "search", sensitivity: "base" });
  const exact = departments.filter((each) => each.name === text);
  const found = exact.length > 0 ? exact : departments.filter((each) => compare(each.name, text) === 0);
  const [first] = found;
  const label = wordOf(place, line);
  const list = (some: typeof departments) => some.map((each) => `${each.name} (${each.id})`).join(", ");
  if (first === undefined) {
    const others = departments.length === 0 ? "it has none" : `it has ${list(departments)}`;
    throw new ServiceError("not_found", `${label}: no department of ${name} is called ${text}; ${others}.`);
  }
  if (found.length > 1)
    throw new UsageError(`${label}: ${found.length} departments of ${name} are called ${text}: ${list(found)}`, {
      hint: "use an ID",
    });
  input[place.field.name] = first.id;
}

export async function chooseDepartment({ spec, input }: OperationInput, { caller, terminal }: Dialog): Promise<number> {
  const { name, departments } = await readUnit(spec.fields, input, caller);
  if (departments.length === 0) throw new ServiceError("not_found", `Unit ${name} has no departments.`);
  const choices = departments.map((each) => ({ name: terminal.sanitizeLine(each.name), value: each.id }));
  return (await terminal.ask()).pick("Department:", choices);
}
