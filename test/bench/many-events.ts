import { sql } from "kysely";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { spanOf } from "../../src/core/events/event-times.ts";
import { earliestTime } from "../../src/core/events/index-event.ts";
import { createService } from "../../src/core/service.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { isPostgres } from "../../src/store/dialect.ts";
import { openNewInstance } from "../support/new-instance.ts";

const day = 86_400;
const week = 7 * day;
/** The first event is not earlier; `now` is in the middle. */
export const base = 1_800_000_000;
export const now = base + 250 * day;
const datesEach = 20;
const eventsPerUnit = 50;
const unitsEach = 2;
/** The first events are of the last unit, and not personal. */
export const ofLastUnit = 200;

/** For whom events are: of a hundred so many personal, of one unit, of one unit with all below, and for all. */
export type Mix = readonly [personal: number, unit: number, chain: number, all: number];

/**
 * An instance with so many events of twenty dates over a year and a half, in units below ten regions, with two users each.
 * The callers are the administrator and a user of the last unit.
 */
export async function fillEvents(target: string, count: number, mix: Mix) {
  const database = await openNewInstance(target, base);
  const service = createService({ database, clock: () => now * 1000 });
  const admin = service.caller({ userId: 1 });
  const leaves = count / eventsPerUnit;
  const regions = Math.min(leaves, 10);
  const unit = (at: number, parent?: string) => ({
    reference: `u${at}`,
    name: `Unit ${at}`,
    ...(parent && { parent }),
  });
  const root = await admin.call(units.update, { id: 1, reference: "root" });
  if (root.reference !== "root") throw new Error("the root has no reference");
  await inParts(
    Array.from({ length: regions }, (_, at) => unit(at, "root")),
    (rows) => admin.call(units.import, { rows }),
  );
  await inParts(
    Array.from({ length: leaves }, (_, at) => unit(regions + at, `u${at % regions}`)),
    (rows) => admin.call(units.import, { rows }),
  );
  await inParts(
    Array.from({ length: leaves * unitsEach }, (_, at) => ({
      reference: `p${at}`,
      first_name: "Given",
      last_name: `Family${at}`,
      email: `p${at}@example.com`,
      unit: `u${regions + (at % leaves)}`,
    })),
    (rows) => admin.call(users.import, { rows }),
  );
  const member = await admin.call(users.reference, { reference: `p${leaves - 1}` });
  await database.write(async (tx) => {
    const [lastUnit, lastUser] = [regions + leaves + 1, leaves * unitsEach + 1];
    const rows = Array.from({ length: count }, (_, at) => row(at + 1, mix, { lastUnit, lastUser, regions }));
    const audiences = rows.map((each) => each.audience);
    await insertRows(tx, "audiences", audiences);
    const audienceUnits = rows.flatMap((each) => each.units);
    await insertRows(tx, "audience_units", audienceUnits);
    await insertRows(
      tx,
      "events",
      rows.map((each) => each.event),
    );
    for (let at = 0; at < rows.length; at += 1000) {
      await insertRows(
        tx,
        "event_dates",
        rows.slice(at, at + 1000).flatMap((each) => each.dates),
      );
    }
    await sql`insert into event_places (place, start_at, event_id, end_at, span, previous_at, limited)
      select p.place, d.start_at, d.event_id, d.end_at, d.span,
        lag(d.start_at, 1, ${sql.lit(earliestTime)}) over (partition by p.place, d.event_id order by d.start_at), 0
      from event_dates d join (
        select id, 'a' || author_id as place from audiences
        union all select id, 'o' || owner_unit_id from audiences where personal = 0
        union all select id, 'c' from audiences where personal = 0
        union all select audience_id, (case falldown when 1 then 'd' else 'u' end) || unit_id from audience_units
      ) p on p.id = d.event_id`.execute(tx);
  });
  // PostgreSQL does it by itself, a while later.
  if (isPostgres(database.reader)) await sql`vacuum analyze`.execute(database.reader);
  return { database, admin, member: service.caller({ userId: member.id }) };
}

async function inParts<T>(rows: T[], send: (part: T[]) => Promise<{ results: readonly { action: string }[] }>) {
  for (let at = 0; at < rows.length; at += 500) {
    const { results } = await send(rows.slice(at, at + 500));
    if (results.some((row) => row.action !== "created")) throw new Error("the rows did not go in");
  }
}

/** An event with all that belongs to it: numbers that look as if they were drawn, and are the same each time. */
function row(id: number, [personal, unit, chain]: Mix, { lastUnit, lastUser, regions }: Record<string, number>) {
  const drawn = (salt: number, below: number) => (Math.imul(id * 31 + salt, 2_654_435_761) >>> 8) % below;
  const kind = drawn(1, 100);
  // Small or large: of the last unit there is more than is ever counted.
  const isOfLast = id <= ofLastUnit;
  const isPersonal = !isOfLast && kind < personal;
  const falldown = kind >= personal + unit ? 1 : 0;
  // Units below the root follow it in the order in which they were made.
  const any = kind >= personal + unit + chain ? 1 : 2 + regions! + drawn(2, lastUnit! - regions! - 1);
  const place = isOfLast ? lastUnit! : any;
  const start_at = base + drawn(3, 365 * 24) * 3600;
  const length = drawn(4, 20) === 0 ? 3 * day : 3600;
  const owner = isPersonal ? null : place;
  return {
    audience: {
      id,
      author_id: isPersonal ? 2 + drawn(5, lastUser! - 1) : 1,
      owner_unit_id: owner,
      personal: isPersonal ? 1 : 0,
    },
    units: isPersonal ? [] : [{ audience_id: id, unit_id: place, falldown }],
    event: {
      id,
      audience_id: id,
      type: isPersonal ? "user" : falldown === 1 ? "chain" : "unit",
      title: `Event ${id}`,
      start_at,
      end_at: start_at + length,
      last_at: start_at + (datesEach - 1) * week + length,
      timezone: "UTC",
      uid: `${id}@bench`,
      recurrence: JSON.stringify([{ freq: "weekly", count: datesEach }]),
      created_at: now + 1,
      updated_at: base,
    },
    dates: Array.from({ length: datesEach }, (_, at) => ({
      event_id: id,
      start_at: start_at + at * week,
      end_at: start_at + at * week + length,
      span: spanOf(length),
    })),
  };
}
