import type { Caller } from "../../../contract/operation.ts";
import { settings } from "../../../contract/settings.ts";
import { units } from "../../../contract/units.ts";
import { users } from "../../../contract/users.ts";
import { usertypes } from "../../../contract/usertypes.ts";

const branches: readonly (readonly [reference: string, name: string, parent: string])[] = [
  ["eng", "Engineering", ""],
  ["eng-plat", "Platform", "eng"],
  ["eng-apps", "Applications", "eng"],
  ["sales", "Sales", ""],
  ["sales-dk", "Sales Denmark", "sales"],
  ["sales-jp", "Sales Japan", "sales"],
  ["people", "People and Culture", ""],
];

const staff: readonly (readonly [first: string, last: string, unit: string, types: string, title: string])[] = [
  ["Grace", "Hopper", "eng", "Employee;Manager", "Head of Engineering"],
  ["Linus", "Åkesson", "eng-plat", "Employee", "Platform Engineer"],
  ["Radia", "Perlman", "eng-plat", "Employee", "Network Engineer"],
  ["Karen", "Jones", "eng-apps", "Employee", "Application Engineer"],
  ["Søren", "Dahl", "sales-dk", "Employee;Manager", "Sales Manager"],
  ["Yuki", "Tanaka", "sales-jp", "Employee", "Account Manager"],
  ["Amina", "Diallo", "people", "Employee;Editor", "Communications Lead"],
];

/** Fills a new instance with a small sample organisation, and allows webhooks to call this machine. */
export async function fillOrganisation(caller: Caller): Promise<void> {
  await caller.call(settings.set, { "webhooks.allow_private": true });
  await caller.call(usertypes.create, { name: "Employee" });
  await caller.call(usertypes.create, { name: "Manager", abilities: { user: true, units: true, calendar: true } });
  await caller.call(usertypes.create, { name: "Editor", abilities: { news: true, calendar: true } });
  await caller.call(units.import, {
    rows: branches.map(([reference, name, parent]) => ({ reference, name, parent, unit_type: "unit" })),
  });
  await caller.call(users.import, {
    rows: staff.map(([first_name, last_name, unit, user_types, title], index) => ({
      reference: `E-${String(index + 1).padStart(3, "0")}`,
      first_name,
      last_name,
      email: `${first_name}.${last_name}@example.com`
        // Unlike other letters with marks, it has no decomposition.
        .replaceAll("ø", "o")
        .normalize("NFKD")
        .replace(/[^\w.@-]/g, "")
        .toLowerCase(),
      unit,
      user_types,
      title,
    })),
  });
}
