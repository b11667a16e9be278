import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countedBeyond } from "../../src/contract/event-schemas.ts";
import { events } from "../../src/contract/events.ts";
import type { Caller, OutputOf } from "../../src/contract/operation.ts";
import { units as unitOperations } from "../../src/contract/units.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { isPostgres } from "../../src/store/dialect.ts";
import { newWorld, type World } from "../support/actors.ts";
import { tries } from "../support/effort.ts";
import { codeOf } from "../support/outcome.ts";
import { mistakes } from "../support/tables.ts";

type Event = OutputOf<typeof events.get>;

/** The properties of a reader that the rule needs. */
interface Reader {
  readonly id: number;
  readonly caller: Caller;
  readonly admin: boolean;
  /** IDs of the user's units and all above them. */
  readonly units: readonly number[];
  readonly branch: readonly number[];
  readonly types: readonly number[];
  /** Units that the ability calendar reaches. */
  readonly edits: readonly number[];
}

/** An event as it was created, with its occurrences as the API shows them. */
interface Made {
  readonly id: number;
  readonly author: number;
  readonly owner: number;
  readonly type: "chain" | "unit" | "user";
  readonly units: readonly number[];
  readonly userTypes: readonly number[];
  readonly shares: readonly number[];
  readonly occurrences: readonly { readonly start: number; readonly end: number; readonly day: string | null }[];
}

const day = 86_400;
const hour = 3600;
/** Mostly at full hours, so that some are the same. */
const someTime = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -12 * 24, max: 12 * 24 }).map((hours) => hours * hour) },
  { weight: 1, arbitrary: fc.integer({ min: -12 * day, max: 12 * day }) },
);
const shape = fc.record({
  type: fc.constantFrom<Made["type"][]>("chain", "unit", "user", "user"),
  by: fc.nat(5),
  units: fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 3 }),
  userTypes: fc.oneof(fc.constant<number[]>([]), fc.uniqueArray(fc.nat(2), { maxLength: 2 })),
  shares: fc.oneof(fc.constant<number[]>([]), fc.uniqueArray(fc.nat(5), { maxLength: 2 })),
  start: someTime,
  lasts: fc.constantFrom(0, 1, hour, 3 * hour, day, 2 * day, 20 * day, 300 * day),
  allDay: fc.boolean(),
  recurrence: fc.oneof(
    fc.constant([]),
    fc
      .record({ freq: fc.constantFrom("daily", "weekly"), count: fc.integer({ min: 1, max: 9 }) })
      .map((rule) => [rule]),
  ),
});
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;
const range = fc.record(
  {
    type: fc.constantFrom("chain", "unit", "user"),
    start: someTime,
    end: someTime,
    limit: fc.integer({ min: 1, max: 6 }),
    page: fc.integer({ min: 1, max: 4 }),
  },
  { requiredKeys: [] },
);

type Range = typeof range extends fc.Arbitrary<infer T> ? T : never;

for (const database of ["sqlite", "postgres"] as const) {
  // Beside many others, the total is limited, and the editor of North owns too many units to search the places of each.
  for (const others of [0, 1100]) {
    describe(`lists of events (${database}, beside ${others} others)`, () => {
      let world: World;
      let readers: Reader[];
      let made: Made[];
      beforeAll(async () => {
        world = await newWorld({ database, caller: "local" });
        readers = await addReaders(world);
        made = await addOthers(world, others);
      });
      afterAll(async () => {
        const found = await mistakes(world.instance.database);
        await world.instance.close();
        expect(found).toEqual([]);
      });

      it("list, upcoming and get show the occurrences of the rule, in order", async () => {
        const property = fc.asyncProperty(
          fc.array(shape, { minLength: 1, maxLength: 6 }),
          fc.array(range, { minLength: 2, maxLength: 4 }),
          fc.nat(),
          async (shapes, ranges, chosen) => {
            for (const each of shapes) made.push(await add(world, readers, each));
            if (chosen % 2 === 0 && made.length > 1) {
              const [gone] = made.splice(chosen % made.length, 1);
              await readers.find(({ id }) => id === gone!.author)!.caller.call(events.delete, { id: gone!.id });
            }
            for (const reader of readers) {
              const readable = made.filter((event) => reads(reader, event));
              for (const filter of ranges) await compareList(world, reader, readable, filter);
              await compareUpcoming(world, reader, readable);
              const any = made[chosen % made.length]!;
              const code = await codeOf(reader.caller.call(events.get, { id: any.id }));
              expect(code).toBe(readable.includes(any) ? "ok" : "not_found");
            }
          },
        );
        await fc.assert(property, { numRuns: tries(database === "sqlite" ? 25 : 8) });
      });
    });
  }
}

/** The administrator, editors of North and of Harbour, the member, the outsider, a manager in Yard, and an editor of all units. */
async function addReaders({ actors, instance, units, types, ids, addUser }: World): Promise<Reader[]> {
  const calendar = await actors.administrator.call(usertypes.create, {
    name: "Calendar",
    abilities: { calendar: true },
  });
  const of = async (fields: Parameters<typeof addUser>[0]) => {
    const { id } = await addUser(fields);
    return { id, caller: await instance.as(id) };
  };
  const { root, north, harbour, yard, south } = units;
  const none = { admin: false, edits: [] };
  const editor = [calendar.id];
  return [
    { ...none, id: 1, caller: actors.administrator, admin: true, units: [root], branch: [root], types: [] },
    {
      ...none,
      ...(await of({ unit: north, userTypes: editor })),
      ...{ units: [north], branch: [north, root], types: editor, edits: [north, harbour, yard] },
    },
    {
      ...none,
      ...(await of({ unit: harbour, userTypes: [...editor, types.employee] })),
      ...{ units: [harbour], branch: [harbour, north, root], types: [...editor, types.employee], edits: [harbour] },
    },
    {
      ...none,
      ...{ id: ids.member, caller: actors.member },
      ...{ units: [harbour], branch: [harbour, north, root], types: [types.employee] },
    },
    { ...none, id: ids.outsider, caller: actors.outsider, units: [south], branch: [south, root], types: [] },
    {
      ...none,
      ...(await of({ unit: yard, userTypes: [types.manager] })),
      ...{ units: [yard], branch: [yard, north, root], types: [types.manager] },
    },
    {
      ...none,
      ...(await of({ unit: root, userTypes: editor })),
      ...{ units: [root], branch: [root], types: editor, edits: [root, north, harbour, yard, south] },
    },
  ];
}

/** Events of all units, for managers, that come before all others: copies of one, because there are many. */
async function addOthers({ actors, units, types, instance }: World, count: number): Promise<Made[]> {
  if (count === 0) return [];
  const teams = Array.from({ length: 501 }, (_, at) => ({ reference: `T${at}`, name: `Team ${at}`, parent: "north" }));
  const { results } = await actors.administrator.call(unitOperations.import, { rows: teams });
  expect(results.filter(({ action }) => action === "created")).toHaveLength(teams.length);
  const start = instance.now() - 13 * day;
  const readers = { units: [units.root], userTypes: [types.manager], shares: [] };
  const input = { title: "Other", type: "chain", start, end: start, ...readers } as const;
  const { id } = await actors.administrator.call(events.create, input);
  const { database } = instance;
  const event = await database.reader.selectFrom("events").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const { audience_id } = event;
  const far = 1_000_000;
  const ids = Array.from({ length: count - 1 }, (_, at) => far + at);
  await database.write(async (tx) => {
    const copy = async (
      table: "audiences" | "audience_units" | "audience_user_types" | "events" | "event_dates" | "event_places",
      column: string,
      key: number,
    ) => {
      const rows = await tx
        .selectFrom(table)
        .selectAll()
        .where(column as never, "=", key as never)
        .execute();
      await insertRows(
        tx,
        table,
        ids.flatMap((id) =>
          rows.map((row) => ({ ...row, [column]: id, ...(table === "events" && { audience_id: id }) })),
        ),
      );
    };
    await copy("audiences", "id", audience_id);
    await copy("audience_units", "audience_id", audience_id);
    await copy("audience_user_types", "audience_id", audience_id);
    await copy("events", "id", id);
    await copy("event_dates", "event_id", id);
    await copy("event_places", "event_id", id);
  });
  // PostgreSQL does it by itself, a while later; without statistics its plans can take minutes.
  if (isPostgres(database.reader)) await sql`analyze`.execute(database.reader);
  const occurrences = [{ start, end: start, day: null }];
  return [id, ...ids].map((id) => ({ id, author: 1, owner: units.root, type: "chain", ...readers, occurrences }));
}

async function add(world: World, readers: readonly Reader[], given: Shape): Promise<Made> {
  const { units: places, types, instance } = world;
  const all = [places.root, places.north, places.harbour, places.yard, places.south];
  const personal = given.type === "user";
  const author = personal ? readers[given.by]! : readers[given.by % 3]!;
  const wanted = given.units.map((at) => all[at]!).filter((unit) => author.admin || author.edits.includes(unit));
  const units = wanted.length > 0 ? wanted : author.units;
  const named = personal ? [] : given.type === "unit" ? units.slice(0, 1) : [...units];
  const userTypes = personal ? [] : given.userTypes.map((at) => Object.values(types)[at]!);
  const shares = given.shares.map((at) => readers[at]!.id).filter((id) => id !== author.id);
  const start = instance.now() + given.start;
  const times = given.allDay
    ? { all_day: true, date: new Date(start * 1000).toISOString().slice(0, 10) }
    : { start, end: start + given.lasts };
  const recurrence = given.recurrence as never;
  const input = { title: "Made", type: given.type, ...times, recurrence, units: named, userTypes, shares };
  const { id } = await author.caller.call(events.create, input);
  const { dates, days } = await author.caller.call(events.get, { id });
  const owner = given.type === "unit" ? named[0]! : author.units[0]!;
  const occurrences = [
    ...dates.map((each) => ({ ...each, day: null })),
    ...days.map((each) => ({ start: midnight(each), end: midnight(each) + day, day: each })),
  ];
  return { id, author: author.id, owner, type: given.type, units: named, userTypes, shares, occurrences };
}

/** In the time zone of the instance, UTC. */
const midnight = (date: string) => Date.parse(date) / 1000;

function reads(reader: Reader, { type, author, owner, units, userTypes, shares }: Made): boolean {
  if (author === reader.id || shares.includes(reader.id)) return true;
  if (type === "user") return false;
  if (reader.admin || reader.edits.includes(owner)) return true;
  const there = type === "chain" ? reader.branch : reader.units;
  const inUnit = units.some((unit) => there.includes(unit));
  return inUnit && (userTypes.length === 0 || userTypes.some((userType) => reader.types.includes(userType)));
}

async function compareList(world: World, reader: Reader, readable: readonly Made[], filter: Range): Promise<void> {
  const now = world.instance.now();
  const { limit = 50, page = 1, type } = filter;
  const [a, b] = [filter.start, filter.end].map((time) => (time === undefined ? undefined : now + time));
  const [start, end] = a !== undefined && b !== undefined && b < a ? [b, a] : [a, b];
  const given = { ...filter, start, end };
  const input = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const inRange = (event: Made) =>
    event.occurrences.filter((each) => each.start >= (start ?? -Infinity) && each.start <= (end ?? Infinity));
  const expected = readable
    .filter((event) => type === undefined || event.type === type)
    .flatMap((event) =>
      inRange(event)
        .slice(0, 1)
        .map((first) => ({ id: event.id, first: first.start })),
    )
    .sort((x, y) => x.first - y.first || x.id - y.id)
    .map(({ id }) => id);
  const { hits, meta } = await reader.caller.call(events.list, input as never);
  const shown = expected.slice((page - 1) * limit, page * limit);
  expect(hits.map((event) => event.id)).toEqual(shown);
  const total = Math.min(expected.length, page * limit + countedBeyond);
  expect(meta.pagination).toEqual({
    total,
    count: shown.length,
    per_page: limit,
    current_page: page,
    total_pages: Math.max(Math.ceil(total / limit), 1),
    links: [],
  });
  for (const event of hits)
    expect(occurrencesOf(event)).toEqual(readable.find(({ id }) => id === event.id)!.occurrences);
}

function occurrencesOf({ dates, days }: Pick<Event, "dates" | "days">): Made["occurrences"] {
  const whole = days.map((each) => ({ start: midnight(each), end: midnight(each) + day, day: each }));
  return [...dates.map((each) => ({ ...each, day: null })), ...whole];
}

async function compareUpcoming(world: World, reader: Reader, readable: readonly Made[]): Promise<void> {
  const now = world.instance.now();
  const expected = readable
    .flatMap(({ id, occurrences }) => occurrences.map((occurrence) => ({ id, occurrence })))
    .filter(({ occurrence: { start, end } }) => end > now || start >= now)
    .sort((x, y) => x.occurrence.start - y.occurrence.start || x.id - y.id)
    .slice(0, 3);
  const { hits, meta } = await reader.caller.call(events.upcoming, {});
  expect(hits.map((hit) => ({ id: hit.id, occurrences: occurrencesOf(hit), date: hit.date }))).toEqual(
    expected.map(({ id, occurrence }) => ({ id, occurrences: [occurrence], date: occurrence.day })),
  );
  expect(hits.some((hit) => "shared" in hit)).toBe(false);
  const count = expected.length;
  expect(meta.pagination).toEqual({ total: count, count, per_page: 3, current_page: 1, total_pages: 1, links: [] });
}
