import { beforeAll, expect, it } from "vitest";
import { describePlaces } from "./places.ts";

const zone = ["--tz", "Europe/Copenhagen"];
const at = (text: string) => Date.parse(text) / 1000;

describePlaces("wcs events update --start", (place) => {
  const wcs = (...args: string[]) => place().wcs([...args, ...zone]);
  const create = async (...args: string[]) => {
    const { stdout, stderr } = await wcs("events", "create", "--type", "user", "--json", ...args);
    if (stdout === "") throw new Error(stderr);
    return String(JSON.parse(stdout).id);
  };
  const datesOf = async (id: string) => JSON.parse((await wcs("events", "get", id, "--json")).stdout).dates;
  const update = async (id: string, ...args: string[]) => {
    const { code, stderr } = await wcs("events", "update", id, ...args);
    return { code, stderr, first: (await datesOf(id))[0] };
  };
  beforeAll(async () => {
    await wcs("settings", "set", "timezone", "Europe/Copenhagen");
  });

  it("keeps the duration, and the day when only a time of day is given", async () => {
    const id = await create("--title", "Review", "--start", "2030-12-09 09:00", "--end", "09:15");
    const dry = await update(id, "--start", "10:30", "--dry-run");
    expect(dry.stderr).toContain("It would be on 2030-12-09 10:30–10:45.\n");
    expect(dry.first.start).toBe(at("2030-12-09T08:00Z"));
    expect(await update(id, "--start", "10:30")).toEqual({
      code: 0,
      stderr: `Updated event ${id}.\nIt is on 2030-12-09 10:30–10:45.\n`,
      first: { start: at("2030-12-09T09:30Z"), end: at("2030-12-09T09:45Z") },
    });
    expect((await update(id, "--start", "2030-12-08 9:00")).first).toEqual({
      start: at("2030-12-08T08:00Z"),
      end: at("2030-12-08T08:15Z"),
    });
    expect((await update(id, "--end", "8:30")).stderr).toContain("It is on 2030-12-08 09:00 – 2030-12-09 08:30.\n");
    expect((await update(id, "--start", "8am", "--end", "9am")).stderr).toContain("2030-12-08 08:00–09:00.\n");
    expect((await update(id, "--start", "23:30")).stderr).toContain("2030-12-08 23:30 – 2030-12-09 00:30.\n");
  });

  it("moves each occurrence of an event that repeats", async () => {
    const days = ["--start", "2030-03-29 14:00", "--end", "+90m", "--repeat", "every friday until 2030-04-05"];
    const id = await create("--title", "Weekly", ...days);
    const { stderr } = await update(id, "--start", "15:00");
    expect(stderr).toBe(`Updated event ${id}.\nThe first occurrence is on 2030-03-29 15:00–16:30.\n`);
    // Summer time begins on 31 March.
    expect(await datesOf(id)).toEqual([
      { start: at("2030-03-29T14:00Z"), end: at("2030-03-29T15:30Z") },
      { start: at("2030-04-05T13:00Z"), end: at("2030-04-05T14:30Z") },
    ]);
  });

  it("keeps hours across a change of the clock, and of several days the time of day of the end", async () => {
    const night = await create("--title", "Night", "--start", "2030-03-01 22:00", "--end", "+8h");
    expect((await update(night, "--start", "2030-03-30 22:00")).first).toEqual({
      start: at("2030-03-30T21:00Z"),
      end: at("2030-03-31T05:00Z"),
    });
    const fair = await create("--title", "Fair", "--start", "2030-03-01 09:00", "--end", "2030-03-03 17:00");
    expect((await update(fair, "--start", "2030-03-29")).stderr).toContain("2030-03-29 00:00 – 2030-03-31 08:00.\n");
    expect((await update(fair, "--start", "9:00")).stderr).toContain("2030-03-29 09:00 – 2030-03-31 17:00.\n");
  });

  it("does not move an all-day event, but makes one with an end a time, and the other way round", async () => {
    const id = await create("--title", "Eve", "--date", "2030-12-24");
    const { code, stderr } = await wcs("events", "update", id, "--start", "10:00");
    expect([code, stderr]).toEqual([
      2,
      `error: Event ${id} is an all-day event.\nhint: Move it with --date, or pass --no-all-day with --start and --end.\n`,
    ]);
    const open = await wcs("events", "update", id, "--no-all-day", "--start", "2030-12-24 10:00");
    expect([open.code, open.stderr]).toEqual([3, expect.stringContaining("--end is required")]);
    const clock = await update(id, "--no-all-day", "--start", "10:00", "--end", "11:00");
    expect(clock.stderr).toContain("It is on 2030-12-24 10:00–11:00.\n");
    expect(clock.first.start).toBe(at("2030-12-24T09:00Z"));
    expect((await wcs("events", "update", id, "--date", "2030-12-24")).code).toBe(0);
    const timed = await update(id, "--no-all-day", "--start", "2030-12-24 10:00", "--end", "+2h");
    expect(timed.stderr).toContain("The new time is 2030-12-24 10:00–12:00.\n");
    expect((await wcs("events", "update", id, "--date", "2030-12-31")).stderr).toBe(`Updated event ${id}.\n`);
  });

  it("does not read the event when start and end are whole, which make an all-day event a time", async () => {
    const id = await create("--title", "Trip", "--date", "2030-06-01");
    const token = await wcs("tokens", "create", "--name", "mover", "--scopes", "events.update", "--json");
    const env = { WCS_TOKEN: JSON.parse(token.stdout).token };
    const move = async (...args: string[]) => {
      const { code, stderr } = await place().wcs(["events", "update", id, ...args, ...zone], { env });
      return { code, stderr };
    };
    const note = (is: string) => `The new time ${is} 2030-06-02 10:00–11:00.\n`;
    const dry = await move("--start", "2030-06-02 10:00", "--end", "11:00", "--dry-run");
    expect(dry).toEqual({ code: 0, stderr: expect.stringContaining(note("would be")) });
    expect(await move("--start", "2030-06-02 10:00", "--end", "11:00")).toEqual({
      code: 0,
      stderr: `Updated event ${id}.\n${note("is")}`,
    });
    expect(await datesOf(id)).toEqual([{ start: at("2030-06-02T08:00Z"), end: at("2030-06-02T09:00Z") }]);
    expect(await move("--start", "10:00", "--end", "11:00")).toEqual({
      code: 5,
      stderr: expect.stringContaining("events.get"),
    });
  });
});
