import { beforeAll, expect, it } from "vitest";
import { settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { wrongFields } from "../support/outcome.ts";

const at = (date: string) => Date.parse(`${date}T12:00:00Z`) / 1000;

describeOnOneDatabase("birthdays", (environment) => {
  const world = useWorld(environment);
  /** Signs in again, because tokens are valid for a day. */
  const signIn = async () => {
    const { instance, actors, ids } = world();
    actors.administrator = await instance.as(ids.administrator);
    actors.member = await instance.as(ids.member);
  };
  /** Sets the clock to noon of that day, UTC. */
  const travel = async (date: string) => {
    const { instance } = world();
    instance.wait(at(date) - instance.now());
    await signIn();
  };
  const found = async (start?: string, end?: string) => {
    const { data } = await world().actors.administrator.call(users.birthdays, { start, end, limit: 500 });
    return data.map((user) => user.first_name);
  };

  beforeAll(async () => {
    const { actors, addUser, ids, units } = world();
    for (const id of [ids.member, ids.colleague]) await actors.administrator.call(users.update, { id, birthday: null });
    const days = ["12-24", "12-31", "01-01", "01-15", "02-27", "02-28", "02-29", "03-01", "06-15"];
    for (const monthDay of days) await addUser({ first_name: monthDay, birthday: `1992-${monthDay}` });
    await addUser({ first_name: "02-28 south", birthday: "1960-02-28", unit: units.south });
    await addUser({ first_name: "shy", birthday: "1992-02-28", settings: { birthdays_optout: true } });
    const { id } = await addUser({ first_name: "asleep", birthday: "1992-02-28" });
    await actors.administrator.call(users.deactivate, { id });
    const gone = await addUser({ first_name: "gone", birthday: "1992-02-28" });
    await actors.administrator.call(users.delete, { id: gone.id });
  });

  it("users.birthdays returns short users from the first day to the last, both included", async () => {
    expect(await found("01-01", "02-28")).toEqual(expect.arrayContaining(["01-01", "01-15", "02-27", "02-28"]));
    expect(await found("01-02", "01-14")).toEqual([]);
    expect(await found("01-15", "01-15")).toEqual(["01-15"]);
    const { data } = await world().actors.administrator.call(users.birthdays, { start: "06-15", end: "06-15" });
    const { units } = world();
    expect(data).toMatchObject([
      { content_type: "user", first_name: "06-15", day: "06-15", unit: { id: units.harbour }, avatar: null },
    ]);
    const fields = "active avatar content_type day first_name id last_name name physicalUnit title unit url".split(" ");
    expect(Object.keys(data[0]!).sort()).toEqual(fields);
  });

  it("users.birthdays: a period over New Year is sorted from its start", async () => {
    expect(await found("12-24", "01-15")).toEqual(["12-24", "12-31", "01-01", "01-15"]);
    expect(await found("12-25", "01-14")).toEqual(["12-31", "01-01"]);
    const year = ["03-01", "06-15", "12-24", "12-31", "01-01", "01-15", "02-27", "02-28", "02-28 south"];
    expect((await found("03-01", "02-28")).filter((name) => name !== "02-29")).toEqual(year);
  });

  it("users.birthdays omits users who opted out, are deactivated or deleted", async () => {
    const names = await found("01-01", "12-31");
    expect(names).not.toContain("shy");
    expect(names).not.toContain("asleep");
    expect(names).not.toContain("Deleted");
    expect(names).toHaveLength(10);
  });

  it("users.birthdays shows those of the actor's unit or none, as the actor's settings say", async () => {
    const { actors, ids } = world();
    const seen = async () => {
      const { data, meta } = await actors.member.call(users.birthdays, { start: "02-27", end: "02-28" });
      expect(meta.total).toBe(data.length);
      return data.map((user) => user.first_name).filter((name) => name !== "02-29");
    };
    const choose = (show_birthdays: "all" | "unit" | "none") =>
      actors.member.call(users.update, { id: ids.member, settings: { show_birthdays } });
    expect(await seen()).toEqual(["02-27", "02-28", "02-28 south"]);
    await choose("unit");
    expect(await seen()).toEqual(["02-27", "02-28"]);
    await choose("none");
    expect(await seen()).toEqual([]);
    await choose("all");
  });

  it("users.birthdays: links repeat the given filters, and no others", async () => {
    const { instance } = world();
    const input = { start: "01-01", end: undefined, limit: 4 };
    // Over HTTP, omitted fields do not reach the service.
    for (const kind of ["local", "http"] as const) {
      const { links } = await instance.withToken(await instance.tokenOf(1), kind).call(users.birthdays, input);
      expect(Object.fromEntries(new URL(String(links.first), instance.url).searchParams)).toEqual({
        start: "01-01",
        limit: "4",
        page: "1",
      });
    }
  });

  it("users.birthdays returns pages", async () => {
    const page = (number: number, limit = 4) =>
      world().actors.administrator.call(users.birthdays, { start: "01-01", end: "12-31", page: number, limit });
    const pages = [await page(1), await page(2), await page(3)];
    expect(pages.flatMap(({ data }) => data.map((user) => user.first_name))).toEqual(await found("01-01", "12-31"));
    const meta = { per_page: 4, last_page: 3, total: 10 };
    expect(pages[0]!.meta).toMatchObject({ ...meta, current_page: 1, from: 1, to: 4 });
    expect(pages[2]!.meta).toMatchObject({ ...meta, current_page: 3, from: 9, to: 10 });
    expect(pages[0]!.links).toMatchObject({ prev: null, next: expect.stringContaining("page=2") });
    expect(pages[2]!.links).toMatchObject({ prev: expect.stringContaining("page=2"), next: null });
    const past = await page(99);
    expect(past).toMatchObject({ data: [], meta: { ...meta, current_page: 99, from: null, to: null } });
    expect(past.links).toMatchObject({ prev: expect.stringContaining("page=3"), next: null });
    expect((await page(Number.MAX_SAFE_INTEGER, 500)).data).toEqual([]);
  });

  it("users.birthdays refuses days that do not exist", async () => {
    const asked = (start: unknown, end: unknown) =>
      wrongFields(world().actors.administrator.call(users.birthdays, { start, end, page: 0, limit: 501 } as never));
    for (const bad of ["02-30", "04-31", "00-01", "13-01", "1-1", "2024-01-01", "01-00", "01/01", ""]) {
      expect(await asked(bad, bad), bad).toEqual(["end", "limit", "page", "start"]);
    }
    expect(await asked("02-29", "12-31")).toEqual(["limit", "page"]);
  });

  it("users.birthdays starts today and ends after 30 days by default, in the time zone of the settings", async () => {
    await travel("2027-06-15");
    expect(await found()).toEqual(["06-15"]);
    await travel("2027-12-15");
    expect(await found()).toEqual(["12-24", "12-31", "01-01"]);
    await travel("2027-12-16");
    expect(await found()).toEqual(["12-24", "12-31", "01-01", "01-15"]);
    await travel("2027-12-20");
    expect(await found()).toEqual(["12-24", "12-31", "01-01", "01-15"]);
    expect(await found(undefined, "12-24")).toEqual(["12-24"]);
    expect(await found("12-02")).toEqual(["12-24", "12-31", "01-01"]);
    await travel("2027-12-24");
    const { instance, actors } = world();
    // Noon in UTC is the next day already in Kiritimati.
    await actors.administrator.call(settings.set, { timezone: "Pacific/Kiritimati" });
    instance.wait(1);
    expect(await found(undefined, "12-25")).toEqual([]);
    await actors.administrator.call(settings.set, { timezone: null });
    instance.wait(1);
    expect(await found(undefined, "12-25")).toEqual(["12-24"]);
  });

  it("users.birthdays shows 29 February on its day in a leap year", async () => {
    await travel("2028-01-10");
    expect(await found("02-28", "02-28")).toEqual(["02-28", "02-28 south"]);
    expect(await found("02-29", "02-29")).toEqual(["02-29"]);
    expect(await found("02-28", "03-01")).toEqual(["02-28", "02-28 south", "02-29", "03-01"]);
    expect(await found("03-01", "03-02")).toEqual(["03-01"]);
    await travel("2028-02-29");
    expect((await found())[0]).toBe("02-29");
  });

  it("users.birthdays shows 29 February on the 28th in other years", async () => {
    await travel("2029-01-10");
    expect(await found("02-28", "02-28")).toEqual(["02-28", "02-28 south", "02-29"]);
    expect(await found("02-27", "02-27")).toEqual(["02-27"]);
    expect(await found("02-29", "02-29"), "a day that this year has not").toEqual([]);
    expect(await found("02-29", "03-01")).toEqual(["03-01"]);
    expect(await found("02-27", "02-29")).toEqual(["02-27", "02-28", "02-28 south", "02-29"]);
    expect(await found("03-01", "03-02")).toEqual(["03-01"]);
    expect(await found("01-30"), "to 1 March").toEqual(["02-27", "02-28", "02-28 south", "02-29", "03-01"]);
    await travel("2029-02-28");
    expect((await found()).slice(0, 3)).toEqual(["02-28", "02-28 south", "02-29"]);
    await travel("2029-03-01");
    expect((await found())[0]).toBe("03-01");
  });

  it("users.birthdays shows 29 February of the next year in a period over New Year", async () => {
    await travel("2030-12-01");
    expect(await found("12-31", "02-28"), "2031").toEqual([
      "12-31",
      "01-01",
      "01-15",
      "02-27",
      "02-28",
      "02-28 south",
      "02-29",
    ]);
    await travel("2031-12-01");
    expect(await found("12-31", "02-28"), "2032").toEqual(["12-31", "01-01", "01-15", "02-27", "02-28", "02-28 south"]);
    expect(await found("12-31", "02-29"), "2032").toEqual([
      "12-31",
      "01-01",
      "01-15",
      "02-27",
      "02-28",
      "02-28 south",
      "02-29",
    ]);
  });
});
