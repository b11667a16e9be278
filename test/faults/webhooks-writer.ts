/**
 * Changes users and units for as long as it lives: the n-th change writes n where it can be read later. Prints n once the
 * change is acknowledged. Arguments: the database.
 */
import { flushCompileCache } from "node:module";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import { openDatabase } from "../../src/store/open-database.ts";

const [target = ""] = process.argv.slice(2);
const database = await openDatabase(target);
const caller = createService({ database }).caller({ userId: 1 });
const written = [
  ...(await database.reader.selectFrom("users").select("meta_field_0 as n").execute()),
  ...(await database.reader.selectFrom("units").select("description as n").execute()),
];

const person = (n: number) => ({
  first_name: "Bo",
  last_name: `No ${n}`,
  email: `bo${n}@example.com`,
  unit: 1,
  meta_field_0: String(n),
});
const row = (n: number) => ({ ...person(n), unit: "root", reference: `r${n}` });
let user = 0;
let unit = 0;
const changes: ((n: number) => Promise<number>)[] = [
  async (n) => {
    user = (await caller.call(users.create, person(n))).id;
    return 1;
  },
  async (n) => {
    if (user === 0) return 0;
    await caller.call(users.update, { id: user, meta_field_0: String(n) });
    return 1;
  },
  async (n) => {
    unit = (await caller.call(units.create, { name: "U", parent: 1, description: String(n) })).id;
    return 1;
  },
  async (n) => {
    if (unit === 0) return 0;
    await caller.call(units.update, { id: unit, description: String(n) });
    return 1;
  },
  async (n) => {
    await caller.call(users.import, { rows: [row(n), row(n + 1), row(n + 2)] });
    return 3;
  },
];

// The process may be killed before it would keep what it has compiled.
flushCompileCache();
let n = Math.max(...written.map((row) => Number(row.n))) + 1;
for (let turn = 0; ; turn++) {
  const made = await changes[turn % changes.length]!(n);
  n += made;
  process.stdout.write(`${n - 1}\n`);
}
