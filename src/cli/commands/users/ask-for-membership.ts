import { units } from "../../../contract/units.ts";
import type { WizardRun } from "../../kit/command-spec.ts";
import { chooseSeveral } from "../../kit/find-by-name.ts";

export async function askForMembership(run: WizardRun) {
  const { input, caller, terminal, record } = run;
  const chosen = { ...input };
  chosen.userTypes ??= await chooseSeveral("usertypes", "--user-types", "User types", "None", run);
  if (input.department !== undefined) return chosen;
  const { departments } = await caller.call(units.get, { id: Number(input.unit) });
  if (departments.length === 0) return chosen;
  const department = await (await terminal.ask()).pick<number | undefined>("Department:", [
    { name: "None", value: undefined },
    ...departments.map(({ id, name }) => ({ name: terminal.sanitizeLine(name), value: id })),
  ]);
  if (department === undefined) return chosen;
  record("--department", String(department));
  return { ...chosen, department };
}
