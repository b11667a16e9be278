import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sqliteLocal } from "../support/instance.ts";
import { describePlaces, newPlace } from "./places.ts";

const zone = ["--tz", "Europe/Copenhagen"];
const at = (text: string) => Date.parse(text) / 1000;

describePlaces("wcs events", (place) => {
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await place().wcs([...args, "--json"]);
    expect({ args, code, stderr }).toMatchObject({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await place().wcs(args);
    return { code, stdout, stderr };
  };

  it("events create, update and delete work", async () => {
    const { wcs } = place();
    expect((await wcs(["settings", "set", "timezone", "Europe/Copenhagen"])).code).toBe(0);
    // A server may take a moment to know.
    while ((await json("api", "GET", "/timezones")).instance !== "Europe/Copenhagen");
    const made = await json(
      ...["events", "create", "--type", "chain", "--title", "All hands", "--location", "Main hall"],
      ...["--body", "# Agenda"],
      ...["--start", "2027-03-05 14:00", "--end", "+90m", "--repeat", "every friday until 2027-04-09", ...zone],
    );
    const { id } = made;
    const event = await json("events", "get", String(id));
    expect(event).toMatchObject({
      title: "All hands",
      recurrence: [{ freq: "weekly", byday: ["FR"], until: "2027-04-09" }],
      dates: [
        { start: at("2027-03-05T13:00Z"), end: at("2027-03-05T14:30Z") },
        { start: at("2027-03-12T13:00Z"), end: at("2027-03-12T14:30Z") },
        { start: at("2027-03-19T13:00Z"), end: at("2027-03-19T14:30Z") },
        { start: at("2027-03-26T13:00Z"), end: at("2027-03-26T14:30Z") },
        { start: at("2027-04-02T12:00Z"), end: at("2027-04-02T13:30Z") },
        { start: at("2027-04-09T12:00Z"), end: at("2027-04-09T13:30Z") },
      ],
    });
    const day = "2027-04-02";
    expect(await json("events", "list", "--start", day, "--end", day, ...zone)).toMatchObject([{ id }]);
    const changed = await done("events", "update", `${id}`, "--repeat", "never", "--unset", "location", "--dry-run");
    const said = `Without --dry-run: Updated event ${id}.\nDry run: nothing was changed.\n`;
    expect(changed).toEqual({ code: 0, stdout: "", stderr: said });
    expect(await done("events", "update", `${id}`, "--repeat", "never", "--unset", "location")).toEqual({
      code: 0,
      stdout: "",
      stderr: `Updated event ${id}.\n`,
    });
    expect(await json("events", "get", `${id}`)).toMatchObject({
      recurrence: [],
      location: null,
      dates: [event.dates[0]],
    });
    expect((await done("events", "delete", `${id}`)).stderr).toContain("Pass --yes to confirm");
    expect(await done("events", "delete", `${id}`, "--yes")).toMatchObject({
      code: 0,
      stderr: `Deleted event ${id}.\n`,
    });
    expect((await done("events", "get", `${id}`)).code).toBe(6);
  });

  it("events accept, decline, seen and files work", async () => {
    const file = place().home.path("agenda.txt");
    writeFileSync(file, "one, two");
    const party = "events create --type unit --title Party --date 2030-12-24".split(" ");
    const { id } = await json(...party, "--file", file);
    expect(await json("events", "get", `${id}`)).toMatchObject({
      all_day: true,
      date: "2030-12-24",
      days: ["2030-12-24"],
    });
    expect((await done("events", "accept", `${id}`)).stderr).toBe(`Accepted event ${id}.\n`);
    expect((await done("events", "decline", `${id}`)).stderr).toBe(`Declined event ${id}.\n`);
    expect(await json("events", "participants", `${id}`)).toMatchObject([{ answer: "rejected", user: { id: 1 } }]);
    expect((await done("events", "withdraw", `${id}`)).code).toBe(0);
    expect(await json("events", "participants", `${id}`)).toEqual([]);
    expect((await done("events", "seen", `${id}`)).stderr).toBe(`Marked event ${id} as seen.\n`);
    expect(await json("events", "get", `${id}`)).toMatchObject({ seen: true, participation: { answer: null } });
    await done("events", "files", "add", `${id}`, "--file", file);
    const files = await json("events", "files", "list", `${id}`);
    expect(files).toMatchObject([{ name: "agenda.txt" }, { name: "agenda.txt" }]);
    expect((await done("events", "files", "get", `${files[0].id}`, "-o", "-")).stdout).toBe("one, two");
    await done("events", "files", "delete", `${id}`, `${files[0].id}`, "--yes");
    expect(await json("events", "files", "list", `${id}`)).toHaveLength(1);
    await json("usertypes", "create", "--name", "Employee");
    await done("events", "update", `${id}`, "--user-types", "Employee");
    const rule = '[{"freq":"daily","count":3}]';
    expect((await done("events", "update", `${id}`, "--recurrence", rule, "--repeat", "never")).code).toBe(2);
    expect((await done("events", "update", `${id}`, "--recurrence", rule)).code).toBe(0);
    expect(await json("events", "get", `${id}`)).toMatchObject({
      recurrence: [{ freq: "daily", count: 3 }],
      files: [{ name: "agenda.txt" }],
      userTypes: [{ name: "Employee" }],
    });
    expect((await done("events", "update", `${id}`, "--unset", "recurrence,files,user-types,body")).code).toBe(0);
    expect(await json("events", "get", `${id}`)).toMatchObject({ recurrence: [], files: [], userTypes: [], body: "" });
  });

  it("events calendar prints rows and JSON", async () => {
    const lunch = "events create --type user --title Lunch --end 13:00 --rrule FREQ=DAILY;COUNT=3".split(" ");
    await done(...lunch, "--start", "2030-12-23 12:00", ...zone);
    const month = ["events", "calendar", "--month", "2030-12", ...zone];
    expect((await done(...month)).stdout.split("\n").map((line) => line.split("\t").slice(0, 4))).toEqual([
      ["day", "start", "end", "title"],
      ["2030-12-23", "2030-12-23T12:00:00+01:00", "2030-12-23T13:00:00+01:00", "Lunch"],
      ["2030-12-24", "", "", "Party"],
      ["2030-12-24", "2030-12-24T12:00:00+01:00", "2030-12-24T13:00:00+01:00", "Lunch"],
      ["2030-12-25", "2030-12-25T12:00:00+01:00", "2030-12-25T13:00:00+01:00", "Lunch"],
      [""],
    ]);
    const week = await json("events", "calendar", "--week", "--from", "2030-12-24", "--type", "unit");
    expect(week).toMatchObject([{ title: "Party", day: "2030-12-24", all_day: true, start: null }]);
    expect(await json("events", "calendar", "--from", "2030-12-25", "--to", "2030-12-25", ...zone)).toMatchObject([
      { title: "Lunch", day: "2030-12-25", start: at("2030-12-25T11:00Z") },
    ]);
    expect(await json("events", "calendar", "--month", "2029-01")).toEqual([]);
  });

  it("events export writes what events import reads unchanged, here and in another instance", async () => {
    const out = place().home.path("out.ics");
    const contents = async (list: unknown[]) =>
      list.map((event) => {
        const {
          id: _,
          url,
          created_at,
          updated_at,
          files,
          seen,
          units,
          author,
          uploading_files,
          ...rest
        } = event as Record<string, unknown>;
        return rest;
      });
    expect((await done("events", "export", "--ics", "-o", out)).stderr).toBe(`Exported 2 events to ${out}\n`);
    expect((await done("events", "export")).stdout).toBe(readFileSync(out, "utf8"));
    expect(await done("events", "import", out)).toMatchObject({
      code: 0,
      stderr: "created 0, changed 0, unchanged 2, skipped 0\n",
    });
    const other = await newPlace(sqliteLocal);
    try {
      await other.wcs(["settings", "set", "timezone", "Europe/Copenhagen"]);
      const rehearsal = await other.wcs(["events", "import", out, "--keep-types", "-n"]);
      expect(rehearsal.stderr).toBe("created 2, changed 0, unchanged 0, skipped 0\nDry run: nothing was changed.\n");
      const done = await other.wcs(["events", "import", "-", "--keep-types"], { stdin: readFileSync(out, "utf8") });
      expect(done).toMatchObject({ code: 0, stderr: "created 2, changed 0, unchanged 0, skipped 0\n" });
      const there = JSON.parse((await other.wcs(["events", "list", "--json"])).stdout);
      expect(await contents(there)).toEqual(await contents(await json("events", "list")));
      const changed = readFileSync(out, "utf8")
        .replace("SUMMARY:Lunch", "SUMMARY:Brunch")
        .replace("COUNT=3", "COUNT=2");
      const again = await other.wcs(["events", "import", "-"], { stdin: changed });
      expect(again.stderr).toBe("created 0, changed 1, unchanged 1, skipped 0\n");
      const { stdout } = await other.wcs(["events", "list", "--json", "--query", "[?title=='Brunch'].dates | [0]"]);
      expect(JSON.parse(stdout)).toHaveLength(2);
    } finally {
      await other.close();
    }
  });
});
