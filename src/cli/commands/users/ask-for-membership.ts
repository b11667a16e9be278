import { units } from "../../../contract/units.ts";
import { users } from "../../../contract/users.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { WizardRun } from "../../kit/command-spec.ts";
import { chooseSeveral } from "../../kit/find-by-name.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";

export async function askForMembership(run: WizardRun) {
  const { input, caller, terminal, record } = run;
  const chosen = { ...input };
  chosen.userTypes ??= await chooseSeveral("usertypes", "--user-types", "User types", "None", run);
  if (input.department !== undefined) return chosen;
  const { departments } = await caller.call(units.get, { id: Number(input.unit) });
  if (departments.length === 0) return chosen;
  const department = await (await terminal.ask()).pick<number | undefined>("Department:", [
    { name: "None", value: undefined },
    ...departments.map(({ id, name }) => ({ name: sanitizeLine(name), value: id })),
  ]);
  if (department === undefined) return chosen;
  record("--department", String(department));
  return { ...chosen, department };
}

/** Returns the unit of the user's only membership. Of several, asks for one; without a terminal, throws an error that names them. */
export async function findUnitOfMembership({ input, caller, terminal, record }: WizardRun): Promise<number> {
  const { data } = await caller.call(users.memberships, { user: Number(input.user) });
  const held = data.map(({ unit: { id, name } }) => ({ name: sanitizeLine(`${name} (${id})`), value: id }));
  const [first] = held;
  if (first !== undefined && held.length === 1) return first.value;
  if (!terminal.interactive)
    throw new UsageError("missing <unit>", {
      hint: `the user is a member of ${held.map(({ name }) => name).join(", ")}`,
    });
  const unit = await (await terminal.ask()).pick("Unit of the membership:", held);
  record(String(unit));
  return unit;
}
